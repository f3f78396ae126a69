/** Between Pulumi's property values (camelCase, with its own unknown) and the engine's values, state and messages. */
import * as z from "zod";
import { camel, isRecord, issueAt, jsonOf, toCamel, toSnake } from "../contract";
import type { InputIssue, Resource, Values } from "../contract";
import { EngineError, type Engine, type Findings, type Private, type State } from "../engine";
import { subjectText, type Message, type MessageCode, type Path } from "../messages";
import { present, selectorsOf, UNKNOWN, type Kind, type LookupForm } from "../resources";

/** How Pulumi writes a value that is not known yet. */
export const PULUMI_UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

/** Marks what only Pulumi understands: on the wire, secrets and outputs; in values, assets and resources. */
export const SIGNATURE = "4dabf18193072939515e22adb298388d";

/**
 * The output that holds what the engine keeps of an object besides its values. Pulumi neither shows
 * nor compares outputs with two underscores. It is text because Pulumi stores, logs and compares
 * each member of an object separately, in every step.
 */
export const STATE_KEY = "__state";

/** The hidden input of a dynamic resource that names its account; left out for the stack's own. */
export const ACCOUNT_KEY = "__account";

/** Pulumi's inputs or outputs as engine values; members with two underscores are the face's own. */
export function fromPulumi(kind: Kind, properties: Values): Record<string, unknown> {
  const own: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("__")) continue;
    // Lists are the service's own: only in free fields is a null something else than left out.
    own[key] = Array.isArray(value)
      ? value.map((each: unknown) => (isRecord(each) ? present(each) : each))
      : value;
  }
  return toSnake(kind.fields, replaced(own, PULUMI_UNKNOWN, UNKNOWN) as Values);
}

const FOREIGN = {
  text: "is an asset, an archive or a resource, which the service cannot hold",
  remedy: "Use its text.",
};

/** What only a program of Pulumi's can get wrong: its own kinds of values, and names of the contract. */
export function strangeInputs(kind: Kind, properties: Values): InputIssue[] {
  const issues = foreignPaths(properties).map((path) => issueAt(path, "stated", FOREIGN));
  for (const [name] of kind.inputs) {
    if (camel(name) === name || !Object.hasOwn(properties, name)) continue;
    // The path is shown as the program should write it.
    issues.push(issueAt([name], "stated", { text: `must not be written as ${name}` }));
  }
  return issues;
}

function foreignPaths(value: unknown, path: Path = []): Path[] {
  if (Array.isArray(value)) {
    return value.flatMap((element, index) => foreignPaths(element, [...path, index]));
  }
  if (!isRecord(value)) return [];
  if (SIGNATURE in value) return [path];
  return Object.entries(value).flatMap(([key, inner]) => foreignPaths(inner, [...path, key]));
}

export const toPulumi = (kind: Kind, values: Values): Record<string, unknown> =>
  toCamel(kind.fields, replaced(values, UNKNOWN, PULUMI_UNKNOWN) as Values);

/** What a lookup is narrowed by, under the contract's names. */
export const selectionFrom = (resource: Resource, form: LookupForm, args: Values): Values =>
  toSnake(Object.fromEntries(selectorsOf(resource, form).map((each) => [each.name, each])), args);

function replaced(value: unknown, mark: unknown, by: unknown): unknown {
  if (value === mark) return by;
  if (Array.isArray(value)) return value.map((element) => replaced(element, mark, by));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, replaced(inner, mark, by)]),
  );
}

// Loose: members that the engine adds to these stay as they are.
const privateSchema = z.looseObject({
  account: z.object({
    baseUrl: z.string(),
    environment: z.enum(["live", "test"]),
    id: z.string().exactOptional(),
    twinOf: z.string().exactOptional(),
  }),
  profile: z.string(),
  managed: z.array(z.string()),
  echo: z.record(z.string(), z.tuple([z.string(), z.string()])),
});

export const statePropertiesOf = (kind: Kind, state: State): Record<string, unknown> => ({
  ...toPulumi(kind, state.values),
  [STATE_KEY]: JSON.stringify(state.private),
});

const OF_RUN: ReadonlySet<string> = new Set<MessageCode>(["state_moves", "state_becomes_twins"]);

/** Whether a message says the same of all objects of a run. */
const isOfRun = ({ code }: Message): boolean => OF_RUN.has(code);

/** What says messages of one resource. */
export interface Speaker {
  readonly urn: string | undefined;
  /** What was said once in this process. */
  readonly said: Set<string>;
  log(severity: "info" | "warning", message: Message): void;
}

/** Says it once in a process, of a resource or of the run: Pulumi asks more than once for a diff. */
export function tell(speaker: Speaker, message: Message, severity: "info" | "warning" = "info") {
  const { said, urn = "" } = speaker;
  const once = `${isOfRun(message) ? "" : urn} ${JSON.stringify(message)}`;
  if (said.size < said.add(once).size) speaker.log(severity, message);
}

export function warn(speaker: Speaker, warnings: readonly Message[]): void {
  for (const warning of warnings) {
    if (isOfRun(warning)) tell(speaker, warning, "warning");
    else speaker.log("warning", warning);
  }
}

/** Warns of what a plan foresees. @throws what it refuses */
export function heed(speaker: Speaker & { readonly engine: Engine }, findings: Findings): void {
  const { refused, notes } = speaker.engine.tell(findings);
  warn(speaker, notes);
  if (refused) throw new EngineError(refused);
}

/** Whether these outputs were written by this package; those of an import were not. */
export const hasState = (properties: Values): boolean => STATE_KEY in properties;

/** The last text that was read, and what it says: most objects of a state have the same one. */
let known: { readonly text: string; readonly own: Private } | undefined;

/** The state as the engine knows it; throws where this package did not write it. */
export function stateOf(kind: Kind, id: string, properties: Values): State {
  const text = String(properties[STATE_KEY]);
  if (known?.text !== text) {
    const own = privateSchema.safeParse(jsonOf(text));
    if (!own.success) {
      throw new Error(
        `The state of ${subjectText({ kind: kind.name, id })} was not written by erphost and cannot be used. Remove it with \`pulumi state delete\`, then import the object by its id.`,
      );
    }
    known = { text, own: own.data satisfies Private };
  }
  return { id, values: fromPulumi(kind, properties), private: known.own };
}
