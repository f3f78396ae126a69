/** Refuses a folder whose files a new program does not fit. */
import { InvalidInput } from "../../../provider";
import { issueAt } from "../../../provider/contract";

/** @param text what the file does, as in "has no resources" */
export const misfit = (file: string, text: string, remedy: string): InvalidInput =>
  new InvalidInput("import", [issueAt([file], "stated", { text, remedy })]);
