/** The issues of the engine's check, at the place where the program wrote the value. */
import { isRecord, issueAt, type InputIssue, type Values } from "../../contract";
import { message } from "../../messages";
import type { ResourceModel } from "../schema/model";
import type { RawObject } from "../wire/msgpack";
import { memberOf } from "./values";

/**
 * Terraform sorts sets before a provider sees them, so a member is named by its key and not by an
 * index; and a write-only value is named by the attribute that it came from.
 */
export function asWritten(
  { kind, writeOnly }: ResourceModel,
  config: RawObject,
  inputs: Values,
  issue: InputIssue,
): InputIssue {
  const subject = { kind: kind.name };
  const [head, index, ...inner] = issue.path;
  const field = kind.fields[String(head)];
  if (head === undefined || field === undefined) return { ...issue, subject };
  if (field.unordered === true && typeof index === "number") {
    const set = inputs[head];
    const isNull = Array.isArray(set) && set[index] === null;
    if (isNull)
      return { ...issueAt([head], "wrong_form", { expected: "must not contain null" }), subject };
    const member = memberKey(set, index, field.key);
    if (member === undefined) return { ...issue, path: [head, ...inner], subject };
    return issue.code === "same_key"
      ? { ...message("same_member", { key: field.key, member }), path: [head], subject }
      : { ...issue, path: [head, member, ...inner], subject };
  }
  const secret = writeOnly.find(
    ({ field: name, attribute }) => name === head && memberOf(config, attribute) !== null,
  );
  const path = [secret?.attribute ?? head, ...issue.path.slice(1)];
  // Which one it has to be shows nothing of a secret.
  return secret && issue.code === "wrong_shape" && path.length === 1
    ? { ...message("wrong_type", { type: "object" }), path, subject }
    : { ...issue, path, subject };
}

/** What identifies a member of a set; undefined where that is not known or not text. */
function memberKey(set: unknown, index: number, key: string | undefined): string | undefined {
  const element: unknown = Array.isArray(set) ? set[index] : undefined;
  const value = key !== undefined && isRecord(element) ? element[key] : element;
  return typeof value === "string" ? value : undefined;
}
