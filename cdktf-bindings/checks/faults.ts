/** Validation of what constructs declare: the provider's own check, and what only constructs can see. */
import type { TerraformResource } from "cdktf";
import type { IConstruct } from "constructs";
import { camel, DURATION_EXPECTED, durationMs, isRecord, issueAt } from "../../provider/contract";
import { resolveContract, snake } from "../../provider/contract";
import type { InputIssue, Values } from "../../provider/contract";
import { nearest, say, type Voice } from "../../provider/messages";
import { check, type Kind } from "../../provider/resources";
import { l1Voice, takesConstruct } from "../voice";
import { blockOf, inputsOf, isKnownLater } from "./block";
import { resolved } from "./references";

/** Resources that have a validation already. */
const validated = new WeakSet<TerraformResource>();

/** Validates a resource once, in synthesis after Aspects; faults have the construct's path. */
export function validate(
  construct: IConstruct,
  resource: TerraformResource,
  kind: Kind,
  voice: Voice,
): void {
  if (validated.has(resource)) return;
  validated.add(resource);
  construct.node.addValidation({
    validate: () => faultsOf(kind, resource).map((issue) => sentence(kind, issue, voice)),
  });
}

/** Refuses, at synthesis, props that the generated resource would leave out without a word. */
export function refuseUnknown(
  construct: IConstruct,
  kind: Kind,
  props: readonly string[],
  voice: Voice,
): void {
  const known = kind.inputs.map(([name]) => name);
  const issues = props.map((prop) =>
    issueAt([prop], "unknown_input", { kind: kind.name, near: nearest(snake(prop), known), known }),
  );
  if (issues.length === 0) return;
  construct.node.addValidation({ validate: () => issues.map((it) => sentence(kind, it, voice)) });
}

function faultsOf(kind: Kind, resource: TerraformResource): readonly InputIssue[] {
  const block = blockOf(resource);
  if (block === undefined) return [];
  return [
    ...check(resolveContract(), kind, inputsOf(kind, block)).issues,
    ...timeoutFaults(block),
    ...setTwice(block),
    ...sharedIdentity(resource, block),
  ];
}

/** Timeouts that are not durations; otherwise only the provider would notice. */
function timeoutFaults({ timeouts }: Values): InputIssue[] {
  if (!isRecord(timeouts)) return [];
  return Object.entries(timeouts)
    .filter(([, text]) => typeof text === "string" && !isKnownLater(text) && !durationMs(text))
    .map(([name]) =>
      issueAt(["timeouts", name], "bad_timeout", { name, expected: DURATION_EXPECTED }),
    );
}

const setTwice = (block: Values): InputIssue[] =>
  Object.keys(block)
    .filter((name) => block[name] !== undefined && block[`${name}_wo`] !== undefined)
    .map((name) => issueAt([name], "set_twice", { field: name, other: camel(`${name}_wo`) }));

/** After an interrupted run, objects with the same identity would be mistaken for each other. */
function sharedIdentity(resource: TerraformResource, block: Values): InputIssue[] {
  const by = ["count", "for_each"].find((name) => block[name] !== undefined);
  const token = block["idempotency_token"];
  if (by === undefined || token === undefined) return [];
  if (/\b(?:count|each)\./.test(String(resolved(resource, token)))) return [];
  return [issueAt([], "one_identity", { by: by === "count" ? by : "forEach" })];
}

/** What is wrong and what to do, with the documentation of the field and an example. */
function sentence(kind: Kind, issue: InputIssue, voice: Voice): string {
  const said = say(voice, { ...issue, subject: { kind: kind.name } });
  const name = String(issue.path[0]);
  const field = kind.fields[name];
  // Some are about several fields, so that the documentation of one does not help.
  if (field === undefined || said.clause === said.text) return said.sentence;
  // What is said of an id does not help where a construct is expected.
  if (voice !== l1Voice && takesConstruct(kind.name, name)) {
    return `${said.sentence} Pass a construct of the class ${voice.type(field.references ?? "")}.`;
  }
  const doc = field.doc.replace(/`(\w+)`/g, (whole, word: string) =>
    kind.fields[word] ? `\`${voice.field([word], kind.name)}\`` : whole,
  );
  const example =
    field.example === undefined
      ? ""
      : ` For example ${voice.field([name], kind.name)}: ${JSON.stringify(field.example)}.`;
  return `${said.sentence} ${doc}${example}`;
}
