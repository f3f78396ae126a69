/** Files that a caller names. */
import { readFileSync } from "node:fs";
import { stated, type InvalidInput } from "../provider/contract";

/** A call that cannot be followed, whatever the machine is like. */
export const wrongCall = (subject: string, text: string): InvalidInput => stated(subject, [], text);

/** Reads a file of JSON. @throws InvalidInput that names the option */
export function readJson(option: string, path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    const reason = error instanceof SyntaxError ? "is not valid JSON" : "cannot be read";
    throw wrongCall(`${option} ${path}`, reason);
  }
}

/** A data file that cannot be used. */
export class DataFileError extends Error {
  override readonly name = "DataFileError";

  constructor(
    readonly file: string,
    /** Without the file, such as `is a folder`. */
    readonly reason: string,
    readonly remedy: string,
    cause?: unknown,
  ) {
    super(`the data file ${file} ${reason}. ${remedy}`, { cause });
  }
}
