/** Validation of what constructs declare: the provider's own check, in the words of constructs. */
import type { TerraformResource } from "cdktf";
import {
  camel,
  DURATION_EXPECTED,
  durationMs,
  isRecord,
  pathText,
  resolveContract,
  type InputIssue,
  type Values,
} from "../provider/contract";
import { check } from "../provider/engine/planning/check";
import type { Kind } from "../provider/resources";
import { blockOf, inputsOf, isLate } from "./rendered";

/** Fields that a construct takes under another name: an id as the construct that has it. */
export type Renamed = Readonly<Record<string, string>>;

/** Everything that is wrong with a resource, one sentence or two each: field, fault, remedy. */
export function faultsOf(kind: Kind, resource: TerraformResource, renamed: Renamed): string[] {
  const block = blockOf(resource);
  if (block === undefined) return [];
  const { issues } = check(resolveContract(), kind, inputsOf(kind, block));
  return [
    ...issues.map((issue) => sentence(kind, issue, renamed)),
    ...timesOf(block),
    ...givenTwice(block),
    ...manyOfOneIdentity(block),
  ];
}

/** Times that are no durations, which only the provider would see. */
function timesOf({ timeouts }: Values): string[] {
  if (!isRecord(timeouts)) return [];
  return Object.entries(timeouts)
    .filter(
      ([, text]) => typeof text === "string" && !isLate(text) && durationMs(text) === undefined,
    )
    .map(
      ([name]) => `timeouts.${name} ${DURATION_EXPECTED}. For example timeouts: { ${name}: "5m" }.`,
    );
}

const givenTwice = (block: Values): string[] =>
  Object.keys(block)
    .filter((name) => block[name] !== undefined && block[`${name}_wo`] !== undefined)
    .map(
      (name) => `${camel(name)} and ${camel(`${name}_wo`)} give the same. Leave one of them out.`,
    );

/** Two objects under one identity would be taken for each other after an interrupted run. */
function manyOfOneIdentity(block: Values): string[] {
  const multiplied = ["count", "for_each"].find((name) => block[name] !== undefined);
  const token = block["idempotency_token"];
  if (multiplied === undefined || typeof token !== "string" || /(?:count|each)\./.test(token)) {
    return [];
  }
  return [
    `${multiplied} would give several objects the identity of one construct. Make a construct for each, in a loop, or set idempotencyToken to a text with count.index or each.key in it.`,
  ];
}

function sentence(kind: Kind, { path, message }: InputIssue, renamed: Renamed): string {
  const [head, ...rest] = path;
  const field = kind.fields[String(head)];
  const name = renamed[String(head)] ?? camel(String(head));
  const said = inOwnNames(kind, message, renamed);
  const remedy =
    field === undefined ? "" : ` ${field.doc}${exampleOf(field.example, name, renamed)}`;
  return `${pathText([name, ...rest])} ${said}.${remedy}`;
}

function exampleOf(example: unknown, name: string, renamed: Renamed): string {
  // An example of an id helps nobody who gives a construct.
  if (example === undefined || Object.values(renamed).includes(name)) return "";
  return ` For example ${name}: ${JSON.stringify(example)}.`;
}

/** A message of the check names fields as the contract does. */
function inOwnNames(kind: Kind, message: string, renamed: Renamed): string {
  return message.replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (word) =>
    word in kind.fields ? (renamed[word] ?? camel(word)) : word,
  );
}
