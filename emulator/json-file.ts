/** Files that a command line names. */
import { readFileSync } from "node:fs";

/** Reads a file of JSON. @throws Error that names the option */
export function readJson(option: string, path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    const reason = error instanceof SyntaxError ? "is not valid JSON" : "cannot be read";
    throw new Error(`${option} ${path}: ${reason}.`, { cause: error });
  }
}
