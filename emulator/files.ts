/** Files that a caller names. */
import { accessSync, constants, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { stated, type InvalidInput } from "../provider/contract";

/** A call that cannot be followed, whatever the machine is like. */
export const wrongCall = (subject: string, text: string): InvalidInput => stated(subject, [], text);

/** Whether a file can be made: before long work that it is for. @throws the error of Node.js */
export const assertFolder = (file: string): void => accessSync(dirname(file), constants.W_OK);

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
