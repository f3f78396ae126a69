/** Messages and errors as the engines show them: a constant summary, whole sentences, an attribute. */
import { InvalidInput, isRecord } from "../contract";
import { EngineError, PartialFailure, reasonOf } from "../engine";
import { message, type Message, type Path } from "../messages";
import { TIMEOUTS } from "./names";
import { attributeNamed, type Attribute } from "./schema/model";
import { Severity, type AttributePath, type Diagnostic, type PathStep } from "./wire/messages.gen";
import { sayWithBlocks, textOf } from "./voice";

/** A refusal of the provider itself. */
export class ProviderError extends Error {
  override readonly name = "ProviderError";

  constructor(readonly reason: Message) {
    super(textOf(reason));
  }
}

/** A path as far as Terraform can follow it: not into sets and free maps. */
export function pathOf(attributes: readonly Attribute[], path: Path): AttributePath | undefined {
  const [head, ...rest] = path;
  if (typeof head !== "string") return undefined;
  if (head === TIMEOUTS) return { steps: path.map((name) => ({ attribute_name: String(name) })) };
  const attribute = attributeNamed(attributes, head);
  if (!attribute) return undefined;
  return { steps: [{ attribute_name: head }, ...innerSteps(attribute, rest)] };
}

function innerSteps(attribute: Attribute, rest: Path): PathStep[] {
  const [first, ...further] = rest;
  const { nested, type } = attribute;
  if (first === undefined || type === "dynamic") return [];
  if (nested?.nesting === "list" && typeof first === "number") {
    return [{ element_key_int: first }, ...(pathOf(nested.attributes, further)?.steps ?? [])];
  }
  if (nested?.nesting === "single") return [...(pathOf(nested.attributes, rest)?.steps ?? [])];
  if (typeof type === "string" || nested) return [];
  if (type[0] === "map" && typeof first === "string") return [{ element_key_string: first }];
  if (type[0] === "list" && typeof first === "number") return [{ element_key_int: first }];
  return [];
}

/** Messages that stop the operation. */
export const refusals = (attributes: readonly Attribute[], why: readonly Message[]): Diagnostic[] =>
  why.map((message) => diagnostic(Severity.error, attributes, message));

/** Engines show one of all warnings with the same summary: what only others name would be lost. */
export function warning(attributes: readonly Attribute[], message: Message): Diagnostic {
  const { apart } = sayWithBlocks(message);
  const said = diagnostic(Severity.warning, attributes, message);
  return apart === "" ? said : { ...said, summary: `${said.summary}: ${apart}` };
}

/** What an operation says of its own accord: what stops it, and warnings. */
export const diagnosticsOf = (
  attributes: readonly Attribute[],
  {
    refused,
    notes,
  }: { readonly refused?: Message | undefined; readonly notes: readonly Message[] },
): Diagnostic[] => [
  ...refusals(attributes, refused ? [refused] : []),
  ...notes.map((note) => warning(attributes, note)),
];

/**
 * Deletion protection with a remedy that works for the object. A plan cannot tell why an object is to
 * be deleted; the delete of a tainted one comes without a plan.
 */
export function protectedInState(refused: Message, tainted: boolean): Message {
  const { code, subject, path } = refused;
  if (code !== "protected" || subject === undefined) return refused;
  return message("protected_in_state", { subject, tainted }, { path });
}

function diagnostic(
  severity: Diagnostic["severity"],
  attributes: readonly Attribute[],
  message: Message,
): Diagnostic {
  const { summary, detail } = sayWithBlocks(message);
  const attribute = pathOf(attributes, message.path ?? []);
  return { severity, summary, detail, ...(attribute && { attribute }) };
}

/**
 * Any failure of an operation, at the attribute it is about.
 * @param operation without an id, as in "Updating erphost_server"
 * @param fieldOf the attribute behind a field of the service's response
 */
export function failure(
  operation: string,
  attributes: readonly Attribute[],
  error: unknown,
  fieldOf: (wire: string) => string = (wire) => wire,
): Diagnostic[] {
  if (error instanceof InvalidInput && error.issues.length > 0)
    return refusals(attributes, error.issues);
  if (isRefusal(error)) return refusals(attributes, [error.reason]);
  const attribute = pathOf(attributes, pathOfError(error, fieldOf));
  return [
    {
      severity: Severity.error,
      summary: `${operation} failed`,
      detail: textOf(reasonOf(error)),
      ...(attribute && { attribute }),
    },
  ];
}

/** Errors with a summary of their own; the one of a failed call is the operation that it was for. */
const isRefusal = (error: unknown): error is { readonly reason: Message } =>
  error instanceof EngineError || error instanceof PartialFailure || error instanceof ProviderError;

/** Errors of calls name the field that the service found at fault, as in `members[0].email`. */
function pathOfError(error: unknown, fieldOf: (wire: string) => string): Path {
  const field = isRecord(error) ? error["field"] : undefined;
  if (typeof field !== "string") return [];
  const [head = "", ...rest] = field.split(/[.[\]]+/).filter((part) => part !== "");
  return [fieldOf(head), ...rest.map((part) => (/^\d+$/.test(part) ? Number(part) : part))];
}
