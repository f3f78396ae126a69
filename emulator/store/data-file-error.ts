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
