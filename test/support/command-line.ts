/** What the command lines of the checkout (bench, chaos, soak, builds) share. */
import { join } from "node:path";

/** A call that cannot be carried out as written. */
export class UsageError extends Error {}

const USAGE_EXIT_CODE = 2;

/** Reads an option that takes a whole number. @throws UsageError if it is less than `least` */
export function wholeNumber(option: string, text: string, least = 1): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value;
  throw new UsageError(`--${option} must be a whole number of at least ${least}, not "${text}".`);
}

/** Where figures are written unless `--json` names another folder. */
export const FIGURES = join(__dirname, "..", "..", "dist", "figures");

/** Reads `--json`. @throws UsageError if it names nothing */
export function folder(text: string): string {
  if (text.trim() !== "") return text;
  throw new UsageError("--json must name a folder.");
}

/**
 * What `names` name, in the order in which it is known; all of it if nothing is named.
 * @throws UsageError with every name if there is no such thing
 */
export function chosen<T extends { readonly name: string }>(
  kind: "Face" | "Part" | "Section",
  names: readonly string[],
  all: readonly T[],
): readonly T[] {
  const known = all.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) {
    return all.filter(({ name }) => names.length === 0 || names.includes(name));
  }
  const one = kind.toLowerCase();
  throw new UsageError(`There is no ${one} "${unknown}". ${kind}s: ${known.join(", ")}.`);
}

/** A plain table; cells are padded to the width of their column. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const rule = widths.map((width) => "─".repeat(width));
  return [head, rule, ...rows]
    .map((row) => row.map((text, column) => text.padEnd(widths[column] ?? 0)))
    .map((cells) => cells.join("  ").trimEnd())
    .join("\n");
}

const isUsage = (error: unknown): boolean =>
  error instanceof UsageError ||
  // What parseArgs says about an option that does not exist.
  (error instanceof TypeError &&
    "code" in error &&
    String(error.code).startsWith("ERR_PARSE_ARGS"));

/**
 * Runs a command line. An error is printed as one sentence; exits with 2 if the call is wrong.
 * @param help what `--help` prints instead
 */
export function runCommand(
  main: (args: readonly string[]) => Promise<number>,
  help?: string,
): void {
  const args = process.argv.slice(2);
  const isHelp = help !== undefined && args.some((arg) => arg === "--help" || arg === "-h");
  if (isHelp) process.stdout.write(help);
  (isHelp ? Promise.resolve(0) : main(args)).then(
    (code) => process.exit(code),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      process.exit(isUsage(error) ? USAGE_EXIT_CODE : 1);
    },
  );
}
