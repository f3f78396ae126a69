/** The contract profile: an object, JSON, or a file that holds it. */
import {
  InvalidInput,
  isRecord,
  issueAt,
  resolveContract,
  type Contract,
  type InputIssue,
} from "../../contract";

type ReadFile = ((path: string) => string) | undefined;

/** The contract with the profile applied, or what is wrong with it, below `profile`. */
export function readProfile(profile: unknown, readFile: ReadFile): Contract | InputIssue[] {
  try {
    return resolveContract(typeof profile === "string" ? fromText(profile, readFile) : profile);
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return error.issues.map((issue) => ({ ...issue, path: ["profile", ...issue.path] }));
  }
}

/** A profile from JSON, or from the file that a path names. */
function fromText(text: string, readFile: ReadFile): unknown {
  const file = text.trimStart().startsWith("{") ? undefined : text;
  const json = file === undefined ? text : contentOf(file, readFile);
  try {
    const value: unknown = JSON.parse(json);
    return value;
  } catch {
    throw new InvalidInput("profile", [issueAt([], "profile_not_json", { file })]);
  }
}

function contentOf(file: string, readFile: ReadFile): string {
  try {
    if (!readFile) throw new Error("No file can be read here.");
    return readFile(file);
  } catch (error) {
    const code = isRecord(error) ? error["code"] : undefined;
    const errorCode = typeof code === "string" ? code : undefined;
    throw new InvalidInput("profile", [issueAt([], "unreadable_profile", { file, errorCode })]);
  }
}
