/** The form of an API key: `<prefix>_<environment>_<unique_identifier>` (contract, part 5, item 3). */

export type Environment = "live" | "test";
export const environments = ["live", "test"] as const satisfies readonly Environment[];

export interface KeyParts {
  readonly prefix: string;
  readonly environment: Environment;
  readonly unique: string;
}

/** By the first `_live_` or `_test_`; else undefined. Assumption: Key prefix and characters. */
export function parseApiKey(key: string): KeyParts | undefined {
  const head = /^([A-Za-z0-9][A-Za-z0-9_-]*?)_(live|test)_/.exec(key);
  if (!head) return undefined;
  // The expression has two groups, and the second is one of the two words.
  const [matched, prefix, environment] = head as unknown as [string, string, Environment];
  const unique = key.slice(matched.length);
  return /^[\x21-\x7e]+$/.test(unique) ? { prefix, environment, unique } : undefined;
}
