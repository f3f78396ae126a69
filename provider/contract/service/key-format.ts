/** The form of an API key: `<prefix>_<environment>_<unique_identifier>` (contract, part 5, item 3). */

/** Which world a key belongs to. */
export type Environment = "live" | "test";
export const environments = ["live", "test"] as const satisfies readonly Environment[];

export interface KeyParts {
  readonly prefix: string;
  readonly environment: Environment;
  readonly unique: string;
}

/**
 * Takes a key apart at the first `_live_` or `_test_`; undefined where it does not have the form.
 * Assumption: any prefix. No checksum is checked.
 */
export function parseApiKey(key: string): KeyParts | undefined {
  const match = /^([A-Za-z0-9][A-Za-z0-9_-]*?)_(live|test)_([A-Za-z0-9_-]{4,})$/.exec(key);
  if (!match) return undefined;
  const [, prefix, environment, unique] = match as unknown as [string, string, Environment, string];
  return { prefix, environment, unique };
}
