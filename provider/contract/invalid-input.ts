/** Bad input, said in one sentence per fault: what, where, why, what to do. */
import type { z } from "zod";

export interface InputIssue {
  /** Where, as keys and indices; empty: the whole. */
  readonly path: readonly (string | number)[];
  /** Why, as the rest of a sentence that starts with the place. */
  readonly message: string;
}

/** `members[0].email` */
export const pathText = (path: readonly (string | number)[]): string =>
  path.reduce<string>(
    (text, part) =>
      typeof part === "number" ? `${text}[${part}]` : text === "" ? part : `${text}.${part}`,
    "",
  );

/** Thrown before any call is made. */
export class InvalidInput extends Error {
  override readonly name = "InvalidInput";
  readonly code = "invalid_input";
  readonly issues: readonly InputIssue[];

  constructor(subject: string, issues: readonly InputIssue[], remedy: string) {
    const places = issues.map(({ path, message }) => {
      const place = pathText(path);
      return place === "" ? message : `${place} ${message}`;
    });
    super(`${subject}: ${places.join("; ")}. ${remedy}`.trim());
    this.issues = issues;
  }
}

/** What zod found, without ever repeating a value that may be secret. */
export const issuesOf = (error: z.ZodError): InputIssue[] =>
  error.issues.flatMap((issue): InputIssue[] => {
    const path = issue.path.map((part) => (typeof part === "symbol" ? String(part) : part));
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({ path: [...path, key], message: "is not known here" }));
    }
    return [
      {
        path,
        message: issue.message
          .replace(/^Invalid input: /, "")
          .replace(/^Invalid /, "is not a valid "),
      },
    ];
  });
