/** What went wrong or is worth telling, as the engines show it: with the attribute it is about. */
import { InvalidInput, isRecord, type InputIssue } from "../contract";
import { EngineError, PartialFailure } from "../engine";
import { say, sentence, type Message } from "../messages";
import { attributeNamed, type Attribute } from "./schema/model";
import {
  SEVERITY_ERROR,
  SEVERITY_WARNING,
  type AttributePath,
  type Diagnostic,
  type PathStep,
} from "./wire/messages";
import { voice } from "./voice";

type EnginePath = InputIssue["path"];

/** The engine's path as far as Terraform can follow it: not into sets and free maps. */
export function pathOf(
  attributes: readonly Attribute[],
  path: EnginePath,
): AttributePath | undefined {
  const [head, ...rest] = path;
  if (typeof head !== "string") return undefined;
  const attribute = attributeNamed(attributes, head);
  if (!attribute) return undefined;
  return { steps: [{ attribute_name: head }, ...innerSteps(attribute, rest)] };
}

function innerSteps(attribute: Attribute, rest: EnginePath): PathStep[] {
  const [first, ...further] = rest;
  const { nested, type } = attribute;
  if (first === undefined || type === "dynamic") return [];
  if (nested?.nesting === "list" && typeof first === "number") {
    const inner = pathOf(nested.attributes, further)?.steps ?? [];
    return [{ element_key_int: first }, ...inner];
  }
  if (nested?.nesting === "single") return [...(pathOf(nested.attributes, rest)?.steps ?? [])];
  if (typeof type === "string" || nested) return [];
  if (type[0] === "map" && typeof first === "string") return [{ element_key_string: first }];
  if (type[0] === "list" && typeof first === "number") return [{ element_key_int: first }];
  return [];
}

/** One fault of the configuration. */
export function issueError(
  what: string,
  attributes: readonly Attribute[],
  issue: Message,
): Diagnostic {
  const attribute = pathOf(attributes, issue.path ?? []);
  return {
    severity: SEVERITY_ERROR,
    summary: `Invalid ${what}`,
    detail: sentence(voice, issue),
    ...(attribute && { attribute }),
  };
}

/** What is worth knowing. Terraform folds equal summaries, so the details name the objects. */
export function warning(attributes: readonly Attribute[], message: Message): Diagnostic {
  const attribute = pathOf(attributes, message.path ?? []);
  const { summary, sentence: detail } = say(voice, message);
  return { severity: SEVERITY_WARNING, summary, detail, ...(attribute && { attribute }) };
}

/**
 * Any failure of an operation, told at the attribute it is about.
 * @param operation as in "Updating erphost_server srv_1"
 * @param fieldOf the attribute behind a field of the service's answer
 */
export function failure(
  operation: string,
  attributes: readonly Attribute[],
  error: unknown,
  fieldOf: (wire: string) => string = (wire) => wire,
): Diagnostic[] {
  if (error instanceof InvalidInput && error.issues.length > 0) {
    return error.issues.map((issue) => issueError(operation, attributes, issue));
  }
  const path = pathOfError(error, fieldOf);
  const attribute = path && pathOf(attributes, path);
  return [
    {
      severity: SEVERITY_ERROR,
      summary: `${operation} failed`,
      detail: textOfError(error),
      ...(attribute && { attribute }),
    },
  ];
}

function pathOfError(error: unknown, fieldOf: (wire: string) => string): EnginePath | undefined {
  if (error instanceof EngineError) return error.path;
  // Errors of calls name the field that the service found at fault.
  const field = isRecord(error) ? error["field"] : undefined;
  if (typeof field !== "string") return undefined;
  const [head = "", ...rest] = field.split(/[.[\]]+/).filter((part) => part !== "");
  return [fieldOf(head), ...rest.map((part) => (/^\d+$/.test(part) ? Number(part) : part))];
}

function textOfError(error: unknown): string {
  if (error instanceof EngineError || error instanceof PartialFailure) {
    return sentence(voice, error.reason);
  }
  return error instanceof Error ? error.message : String(error);
}
