/**
 * What runs in Pulumi's dynamic provider process. Closures in the state call this by name and
 * nothing else, so that an old state runs the code of the release that is installed now.
 */
import { camel, issueAt } from "../../contract";
import { EngineError, PartialFailure, type OperationOptions, type Engine } from "../../engine";
import { say, type Message } from "../../messages";
import { kinds, type Kind } from "../../resources";
import { PULUMI_UNKNOWN, pulumiPath, speak } from "../values";
import { about } from "../voice";
import { configureFrom, engine, tell, underEngine, type StackConfig } from "./runtime";
import { hiddenOf, inputsOf, outputsOf, readInputsOf, stateOf, type Hidden } from "./state";
import { textOf, voice } from "./voice";

type Properties = Record<string, unknown>;

/** Pulumi's dynamic provider interface, as plain values. */
export interface Handler {
  configure(request: { config: StackConfig }): Promise<void>;
  check(olds: Properties, news: Properties): Promise<CheckAnswer>;
  diff(id: string, olds: Properties, news: Properties): Promise<DiffAnswer>;
  create(inputs: Properties): Promise<{ id: string; outs: Properties }>;
  read(id: string, properties: Properties): Promise<ReadAnswer>;
  update(id: string, olds: Properties, news: Properties): Promise<{ outs: Properties }>;
  delete(id: string, properties: Properties): Promise<void>;
}

interface CheckAnswer {
  inputs: Properties;
  failures: { property: string; reason: string }[];
}

interface ReadAnswer {
  id?: string;
  props?: Properties;
  inputs?: Properties;
}

interface DiffAnswer {
  changes: boolean;
  replaces: string[];
  deleteBeforeReplace: boolean;
}

/** The handler of a kind, by its class name: `handler("Server")`. */
export function handler(title: string): Handler {
  const kind = kinds[kindName(title)];
  if (!kind) throw new Error(`erphost knows no ${title}; the state may be of a newer release.`);
  const spoken = <T>(work: (host: Host) => Promise<T> | T, inputs: Properties = {}): Promise<T> =>
    speaking(kind, work, inputs);
  return {
    configure: ({ config }) => Promise.resolve(configureFrom(config)),
    check: (olds, news) => spoken((host) => check(host, olds, news)),
    diff: (id, olds, news) => spoken((host) => diff(host, id, olds, news)),
    create: (inputs) => spoken((host) => create(host, inputs), inputs),
    read: (id, properties) => spoken((host) => read(host, id, properties)),
    update: (id, olds, news) => spoken((host) => update(host, id, olds, news), news),
    delete: (id, properties) => spoken((host) => remove(host, id, properties)),
  };
}

interface Host {
  readonly engine: Engine;
  readonly kind: Kind;
}

/** `ApiKey` → `api_key`. */
const kindName = (title: string): string =>
  title.replace(/(?<!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();

/** Errors in the words of a Pulumi program; what exists keeps its id. */
async function speaking<T>(
  kind: Kind,
  work: (host: Host) => Promise<T> | T,
  inputs: Properties,
): Promise<T> {
  try {
    return await underEngine(async () => work({ engine: engine(), kind }));
  } catch (error) {
    if (error instanceof PartialFailure) throw partial(kind, error, inputs);
    throw plain(kind, error);
  }
}

function plain(kind: Kind, error: unknown): Error {
  const plainError = new Error(textOfError(kind, error));
  // Pulumi prints both next to the message, and they mean nothing to a person.
  plainError.stack = "";
  plainError.name = "";
  return plainError;
}

function textOfError(kind: Kind, error: unknown): string {
  if (error instanceof EngineError) return textOf(kind, error.reason);
  return speak(kind, error instanceof Error ? error.message : String(error));
}

/** Pulumi reads these members off the error: the object stays in the state, marked as failed. */
const partial = (kind: Kind, failure: PartialFailure, inputs: Properties): Error => {
  warnAll(kind, failure.warnings);
  return Object.assign(new Error(textOf(kind, failure.reason)), {
    id: failure.state.id,
    // The SDK adds its own member to what succeeds, and not to this: without it nothing more could
    // ever be done with the object.
    properties: {
      ...outputsOf(kind, failure.state, hiddenOf(inputs)),
      __provider: inputs["__provider"],
    },
    reasons: [textOf(kind, failure.reason)],
  });
};

const warnAll = (kind: Kind, warnings: readonly Message[]): void => {
  for (const warning of warnings) tell(`warning: ${textOf(kind, warning)}`);
};

const contextOf = (
  kind: Kind,
  hidden: Hidden,
  operation: "create" | "update" | "delete" | "read",
): OperationOptions => {
  const timeoutMs = operation === "read" ? undefined : hidden.__timeouts?.[operation];
  return {
    ...(hidden.__identity !== undefined && { identity: hidden.__identity }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    onNotice: (notice) => {
      if (notice.kind !== "progress") tell(textOf(kind, notice.message));
    },
  };
};

/** An id or `name=…`; what is not known yet is looked at when it is. */
const isReference = (given: unknown): boolean =>
  given === PULUMI_UNKNOWN || (typeof given === "string" && /^(?!name=$)./.test(given));

function check({ engine, kind }: Host, olds: Properties, news: Properties): CheckAnswer {
  const hidden = hiddenOf(news);
  const hasState = Object.keys(olds).length > 0;
  const checked = engine.check(kind, inputsOf(kind, news), hidden.__identity, hasState);
  const { inputs } = checked;
  const issues = [...checked.issues];
  if ("adoptId" in news && !isReference(news["adoptId"])) {
    const text = "must be the id of an object or name=…; leave it out to make a new one";
    issues.push(issueAt(["adoptId"], "stated", { text }));
  }
  const failures = issues.map((issue) => ({
    property: pulumiPath(kind, issue.path),
    reason: say(voice, about(kind, issue)).reason,
  }));
  const kept = Object.keys(inputs).map((name) => camel(name));
  const clean = Object.entries(news).filter(
    ([key]) => key.startsWith("__") || key === "adoptId" || kept.includes(key),
  );
  return { inputs: Object.fromEntries(clean), failures };
}

async function diff(
  { engine, kind }: Host,
  id: string,
  olds: Properties,
  news: Properties,
): Promise<DiffAnswer> {
  const prior = stateOf(kind, id, olds);
  const found = await engine.diff(kind, prior, inputsOf(kind, news), hiddenOf(news).__identity);
  if (found.refused) throw new EngineError(found.refused);
  const reasons = found.changes.flatMap(({ reason }) => reason ?? []);
  for (const message of [...reasons, ...found.notes]) tell(`note: ${textOf(kind, message)}`);
  const replaces = found.changes
    .filter((change) => change.replace || replacesOn(hiddenOf(news), pulumiPath(kind, change.path)))
    .map(({ path: [head] }) => camel(String(head)));
  return {
    changes: found.changes.length > 0,
    replaces: [...new Set(replaces)],
    deleteBeforeReplace: false,
  };
}

/** The engine leaves `replaceOnChanges` to providers that say what changed, as this one does. */
const replacesOn = ({ __replaceOn = [] }: Hidden, path: string): boolean =>
  __replaceOn.some(
    (given) =>
      given === "*" ||
      path === given ||
      path.startsWith(`${given}.`) ||
      path.startsWith(`${given}[`),
  );

async function create({ engine, kind }: Host, news: Properties) {
  const hidden = hiddenOf(news);
  const context = contextOf(kind, hidden, "create");
  const inputs = inputsOf(kind, news);
  if (hidden.adoptId !== undefined) {
    const { state, warnings } = await engine.adopt(kind, hidden.adoptId, inputs, context);
    warnAll(kind, warnings);
    return { id: state.id, outs: outputsOf(kind, state, hidden) };
  }
  const { state, warnings } = await engine.create(kind, inputs, context);
  warnAll(kind, warnings);
  if (context.identity !== undefined) created.set(context.identity, state.id);
  return { id: state.id, outs: outputsOf(kind, state, hidden) };
}

/** Ids that creates of this process were answered, by identity. */
const created = new Map<string, string>();

async function read({ engine, kind }: Host, id: string, properties: Properties) {
  const hidden = hiddenOf(properties);
  const { state, warnings } = await engine.read(
    kind,
    stateOf(kind, id, properties),
    contextOf(kind, hidden, "read"),
  );
  warnAll(kind, warnings);
  // Without an id Pulumi takes the object out of its state: only a verdict leads here.
  if (!state) return {};
  const inputs = readInputsOf(kind, state, hidden);
  return { id: state.id, props: outputsOf(kind, state, hidden), inputs };
}

async function update({ engine, kind }: Host, id: string, olds: Properties, news: Properties) {
  const hidden = hiddenOf(news);
  const { state, warnings } = await engine.update(
    kind,
    stateOf(kind, id, olds),
    inputsOf(kind, news),
    contextOf(kind, hidden, "update"),
  );
  warnAll(kind, warnings);
  return { outs: outputsOf(kind, state, hidden) };
}

async function remove({ engine, kind }: Host, id: string, properties: Properties): Promise<void> {
  const hidden = hiddenOf(properties);
  const anew = created.get(hidden.__identity ?? "");
  // Pulumi deletes what it replaced once the new object is in its state.
  if (anew !== undefined && anew !== id) await engine.noteStored(kind, anew);
  const { warnings } = await engine.delete(
    kind,
    stateOf(kind, id, properties),
    contextOf(kind, hidden, "delete"),
  );
  warnAll(kind, warnings);
}
