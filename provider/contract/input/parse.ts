/** Values held against schemas, with what is wrong in the project's own words: no text of zod's. */
import type { z } from "zod";
import { issueAt, type InputIssue } from "./invalid-input";
import { message, type Message } from "../../messages";
import { isRecord } from "../definition/values";

export type ParseResult<T> =
  | { readonly success: true; readonly data: T }
  | { readonly success: false; readonly issues: readonly InputIssue[] };

/** In place of zod's own texts, which nobody sees; what a schema itself says is kept. */
const UNSAID = "";
const MISSING = "missing";
const NUMBER = "number";

/** Reads a value by a schema. No issue repeats the value, which may be secret. */
export function parse<S extends z.ZodType>(schema: S, value: unknown): ParseResult<z.output<S>> {
  const read = schema.safeParse(value, {
    error: ({ code, input }) => {
      if (code !== "invalid_type") return UNSAID;
      return input === undefined ? MISSING : typeof input === "number" ? NUMBER : UNSAID;
    },
  });
  return read.success
    ? { success: true, data: read.data }
    : { success: false, issues: read.error.issues.flatMap(issuesOf) };
}

/** For a custom check whose message has parts: `refine(check, fails(message(…)))`. */
export const fails = (fault: Message): { readonly params: { readonly fault: Message } } => ({
  params: { fault },
});

function issuesOf(issue: z.core.$ZodIssue): InputIssue[] {
  const path = issue.path.map((part) => (typeof part === "symbol" ? String(part) : part));
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => issueAt([...path, key], "unknown_member", {}));
  }
  return [{ ...reasonOf(issue), path }];
}

function reasonOf(issue: z.core.$ZodIssue): Message {
  if (issue.code === "custom" && isRecord(issue.params) && "fault" in issue.params) {
    // Only `fails` puts it there.
    return issue.params["fault"] as Message;
  }
  if (issue.message === MISSING) return message("required", {});
  if (issue.code === "invalid_type") {
    // YAML reads 17.0 as a number.
    const isNumber = issue.message === NUMBER && issue.expected === "string";
    return message("wrong_type", { type: issue.expected, ...(isNumber && { isNumber }) });
  }
  if (issue.message !== UNSAID) return message("wrong_form", { expected: issue.message });
  switch (issue.code) {
    case "too_small":
      return message("too_small", {
        of: issue.origin,
        least: Number(issue.minimum),
        exclusive: issue.inclusive === false,
      });
    case "too_big":
      return message("too_big", {
        of: issue.origin,
        most: Number(issue.maximum),
        exclusive: issue.inclusive === false,
      });
    case "invalid_format":
      return message("wrong_format", { format: issue.format });
    case "invalid_value":
      return message("not_a_choice", { values: issue.values.map(String) });
    case "not_multiple_of":
      return message("not_a_multiple", { of: issue.divisor });
    default:
      return message("wrong_shape", {});
  }
}
