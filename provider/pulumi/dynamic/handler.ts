/**
 * What runs in Pulumi's dynamic provider process. Closures in the state only call this by name, so
 * that an old state runs the code of the release that is installed now.
 */
import "../../start/node";
import { camel, issueAt } from "../../contract";
import {
  EngineError,
  PartialFailure,
  type Foreseen,
  type OperationOptions,
  type Engine,
} from "../../engine";
import { pathText, sentence, type Message } from "../../messages";
import { kinds, programPath, type Kind } from "../../resources";
import { isOfRun, onceOf, PULUMI_UNKNOWN } from "../values";
import { dynamicVoice, failureText, propertyFailure, type PropertyFailure } from "../voice";
import { configureFrom, engine, preflight, print, underEngine, type StackConfig } from "./runtime";
import { hiddenOf, inputsOf, outputsOf, readInputsOf, stateOf, type Hidden } from "./state";

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
  failures: PropertyFailure[];
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
  const kind = Object.values(kinds).find((each) => each.title === title);
  if (!kind) {
    throw new Error(`erphost has no ${title}. A newer release may have written this state.`);
  }
  const run = <T>(does: (call: Call) => Promise<T> | T, inputs: Properties = {}): Promise<T> =>
    reporting(kind, inputs, () => underEngine(async () => does({ engine: engine(), kind })));
  const work: typeof run = (does, inputs) =>
    run(async (call) => {
      await preflight();
      return does(call);
    }, inputs);
  return {
    configure: ({ config }) => Promise.resolve(configureFrom(config)),
    check: (olds, news) => run((call) => check(call, olds, news)),
    diff: (id, olds, news) => run((call) => diff(call, id, olds, news)),
    create: (inputs) => work((call) => create(call, inputs), inputs),
    read: (id, properties) => work((call) => read(call, id, properties)),
    update: (id, olds, news) => work((call) => update(call, id, olds, news), news),
    delete: (id, properties) => work((call) => remove(call, id, properties)),
  };
}

interface Call {
  readonly engine: Engine;
  readonly kind: Kind;
}

/** Failures in the names of the program. An object that exists keeps its id. */
async function reporting<T>(kind: Kind, inputs: Properties, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    const failure = new Error(failureText(dynamicVoice, error));
    if (error instanceof PartialFailure) throw partial(kind, failure, inputs, error);
    // Pulumi prints both next to the message, and they say nothing to a person.
    failure.stack = "";
    failure.name = "";
    throw failure;
  }
}

/** Pulumi reads these members of the error: the object stays in the state, marked as failed. */
function partial(
  kind: Kind,
  failure: Error,
  inputs: Properties,
  { state, warnings }: PartialFailure,
) {
  warnAll(warnings);
  return Object.assign(failure, {
    id: state.id,
    // The SDK adds its own member to the outputs of a success but not to these, and without it
    // nothing more could ever be done with the object.
    properties: { ...outputsOf(kind, state, hiddenOf(inputs)), __provider: inputs["__provider"] },
    reasons: [failure.message],
  });
}

const warnAll = (warnings: readonly Message[]): void => {
  for (const warning of warnings) tell("warning", warning);
};

/** What was shown of the run, and not of one object. */
const shown = new Set<string>();

function tell(severity: "warning" | "note", message: Message): void {
  if (isOfRun(message) && shown.size === shown.add(onceOf("", message)).size) return;
  print(`${severity}: ${sentence(dynamicVoice, message)}`);
}

const optionsOf = (
  hidden: Hidden,
  operation: "create" | "update" | "delete" | "read",
): OperationOptions => {
  const timeoutMs = operation === "read" ? undefined : hidden.__timeouts?.[operation];
  return {
    ...(hidden.__identity !== undefined && { identity: hidden.__identity }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    onNotice: ({ kind, data }) => {
      if (kind !== "progress") print(sentence(dynamicVoice, data));
    },
  };
};

/** An id or `name=…`. A value that is not known yet is checked when it is. */
const isReference = (value: unknown): boolean =>
  value === PULUMI_UNKNOWN || (typeof value === "string" && /^(?!name=$)./.test(value));

/** Pulumi checks one resource after another and stops at a fault: one that all have is said once. */
async function check(call: Call, olds: Properties, news: Properties): Promise<CheckAnswer> {
  const answer = checkInputs(call, olds, news);
  if (answer.failures.length > 0) return answer;
  // Pulumi tells a provider of a create by asking for its check alone.
  const creates = Object.keys(olds).length === 0 && !("adoptId" in news);
  const failures = await preflight()
    .then(() => (creates ? foreseeCreate(call, news) : undefined))
    .then(
      () => [],
      (error: unknown) => [{ property: "", reason: failureText(dynamicVoice, error) }],
    );
  return { ...answer, failures };
}

function checkInputs({ engine, kind }: Call, olds: Properties, news: Properties): CheckAnswer {
  const hidden = hiddenOf(news);
  const hasState = Object.keys(olds).length > 0;
  const checked = engine.check(kind, inputsOf(kind, news), hidden.__identity, hasState);
  const { inputs } = checked;
  const issues = [...checked.issues];
  if ("adoptId" in news && !isReference(news["adoptId"])) {
    const text = "must be the id of an object or name=…; leave it out to create a new one";
    issues.push(issueAt(["adoptId"], "stated", { text }));
  }
  const failures = issues.map((issue) => propertyFailure(dynamicVoice, issue, kind));
  const kept = Object.keys(inputs).map((name) => camel(name));
  const clean = Object.entries(news).filter(
    ([key]) => key.startsWith("__") || key === "adoptId" || kept.includes(key),
  );
  return { inputs: Object.fromEntries(clean), failures };
}

async function diff(
  { engine, kind }: Call,
  id: string,
  olds: Properties,
  news: Properties,
): Promise<DiffAnswer> {
  const hidden = hiddenOf(news);
  const inputs = inputsOf(kind, news);
  const difference = await engine.diff(kind, stateOf(kind, id, olds), inputs, hidden.__identity);
  const { changes, rewrites, refused, notes } = difference;
  if (refused) throw new EngineError(refused);
  foresee(engine.plannedRights(kind, { inputs, difference }));
  const reasons = changes.flatMap(({ reason }) => reason ?? []);
  for (const note of [...reasons, ...notes]) tell("note", note);
  const replaces = changes
    .map((change) => ({ ...change, path: programPath(kind.name, change.path) }))
    .filter(({ replace, path }) => replace || replacesOn(hidden, pathText(path)))
    .map(({ path: [head] }) => String(head));
  return {
    // A state that is only rewritten is an update without a difference: only then does Pulumi write it.
    changes: rewrites || changes.length > 0,
    replaces: [...new Set(replaces)],
    deleteBeforeReplace: false,
  };
}

/** Warns of what a plan foresees. @throws what it refuses */
function foresee({ refused, notes }: Foreseen): void {
  warnAll(notes);
  if (refused) throw new EngineError(refused);
}

async function foreseeCreate({ engine, kind }: Call, news: Properties): Promise<void> {
  foresee(engine.plannedRights(kind, "create"));
  const options = optionsOf(hiddenOf(news), "create");
  foresee(await engine.plannedNames(kind, inputsOf(kind, news), options));
}

/** Pulumi's engine leaves `replaceOnChanges` to providers that say what changed, as this one does. */
const replacesOn = ({ __replaceOn = [] }: Hidden, path: string): boolean =>
  __replaceOn.some(
    (chosen) =>
      chosen === "*" ||
      path === chosen ||
      path.startsWith(`${chosen}.`) ||
      path.startsWith(`${chosen}[`),
  );

async function create({ engine, kind }: Call, news: Properties) {
  const hidden = hiddenOf(news);
  const options = optionsOf(hidden, "create");
  const inputs = inputsOf(kind, news);
  if (hidden.adoptId !== undefined) {
    const { state, warnings } = await engine.adopt(kind, hidden.adoptId, inputs, options);
    warnAll(warnings);
    return { id: state.id, outs: outputsOf(kind, state, hidden) };
  }
  const { state, warnings } = await engine.create(kind, inputs, options);
  warnAll(warnings);
  if (options.identity !== undefined) created.set(options.identity, state.id);
  return { id: state.id, outs: outputsOf(kind, state, hidden) };
}

/** Ids of the objects that this process created, by identity. */
const created = new Map<string, string>();

async function read({ engine, kind }: Call, id: string, properties: Properties) {
  const hidden = hiddenOf(properties);
  const { state, warnings } = await engine.read(
    kind,
    stateOf(kind, id, properties),
    optionsOf(hidden, "read"),
  );
  warnAll(warnings);
  // Without an id Pulumi removes the object from its state: the engine has proved that it is gone.
  if (!state) return {};
  const inputs = readInputsOf(kind, state, hidden);
  return { id: state.id, props: outputsOf(kind, state, hidden), inputs };
}

async function update({ engine, kind }: Call, id: string, olds: Properties, news: Properties) {
  const hidden = hiddenOf(news);
  const { state, warnings } = await engine.update(
    kind,
    stateOf(kind, id, olds),
    inputsOf(kind, news),
    optionsOf(hidden, "update"),
  );
  warnAll(warnings);
  return { outs: outputsOf(kind, state, hidden) };
}

async function remove({ engine, kind }: Call, id: string, properties: Properties): Promise<void> {
  const hidden = hiddenOf(properties);
  const successor = created.get(hidden.__identity ?? "");
  // Pulumi deletes the object that it replaced once the new one is in its state.
  if (successor !== undefined && successor !== id) await engine.noteStored(kind, successor);
  const { warnings } = await engine.delete(
    kind,
    stateOf(kind, id, properties),
    optionsOf(hidden, "delete"),
  );
  warnAll(warnings);
}
