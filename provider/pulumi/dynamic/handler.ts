/** What runs in Pulumi's dynamic provider process; programs in the state call it by name alone. */
import "../../start/node";
import { camel, issueAt } from "../../contract";
import { changesOf, checkDeclared, diff, EngineError, engineError, isRetried } from "../../engine";
import { plannedDelete, plannedNames, plannedRights } from "../../engine";
import type { Change, Engine, State } from "../../engine";
import { message, type Message, type Path } from "../../messages";
import { kinds, programPath, type Kind } from "../../resources";
import { Protected } from "../engines";
import { heed, PULUMI_UNKNOWN, strangeInputs, tell, warn } from "../values";
import { checkFailures, failureText, voiceOf } from "../voice";
import { calling, callOf, optionsOf, subjectOf } from "./call";
import type { Call, Does, Properties } from "./call";
import { configureFrom, engines, underEngine, type StackConfig } from "./runtime";
import { hiddenOf, inputsOf, outputsOf, readInputsOf, stateOf, type Hidden } from "./state";

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
  failures: ReturnType<typeof checkFailures>;
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
  const run = <T>(properties: Properties, does: Does<T>, id?: string): Promise<T> =>
    calling({ kind, properties, id }, does);
  const work = <T>(properties: Properties, does: Does<T>, id?: string): Promise<T> =>
    run(
      properties,
      async (call) => {
        await engines().preflight(call.account);
        return does(call);
      },
      id,
    );
  return {
    configure: ({ config }) => Promise.resolve(configureFrom(config)),
    check: (olds, news) => underEngine(() => check(kind, olds, news)),
    diff: (id, olds, news) => run(news, (call) => answerDiff(call, id, olds, news)),
    create: (inputs) => work(inputs, (call) => create(call, inputs)),
    read: (id, properties) => work(properties, (call) => read(call, id, properties), id),
    update: (id, olds, news) => work(news, (call) => update(call, id, olds, news)),
    delete: (id, properties) => work(properties, (call) => remove(call, id, properties), id),
  };
}

/** An id or `name=…`. A value that is not known yet is checked when it is. */
const isReference = (value: unknown): boolean =>
  value === PULUMI_UNKNOWN || (typeof value === "string" && /^(?!name=$)./.test(value));

/** Pulumi checks one resource after another and stops at a fault: one that all have is said once. */
async function check(kind: Kind, olds: Properties, news: Properties): Promise<CheckAnswer> {
  try {
    const call = callOf({ kind, properties: news });
    const answer = await checkInputs(call, olds, news);
    if (answer.failures.length > 0) return answer;
    await engines().preflight(call.account);
    // Pulumi tells a provider of a create by asking for its check alone.
    if (Object.keys(olds).length === 0) await foreseeCreate(call, news);
    return answer;
  } catch (error) {
    const reason = failureText(voiceOf(hiddenOf(news).__account), error);
    return { inputs: news, failures: [{ property: "", reason }] };
  }
}

async function checkInputs(
  { engine, kind, voice }: Call,
  olds: Properties,
  news: Properties,
): Promise<CheckAnswer> {
  const hidden = hiddenOf(news);
  refreshed.delete(hidden.__identity);
  const hasState = Object.keys(olds).length > 0;
  protects.noteInputs(hidden.__identity, inputsOf(kind, olds), engine);
  const declared = inputsOf(kind, news);
  const seen = await engine.observe(kind, { identity: hidden.__identity, hasState, declared });
  const checked = checkDeclared(seen, declared);
  const { inputs } = checked;
  const issues = [...strangeInputs(kind, news), ...checked.issues];
  if ("adoptId" in news && !isReference(news["adoptId"])) {
    const text = "must be the id of an object or name=…; leave it out to create a new one";
    issues.push(issueAt(["adoptId"], "stated", { text }));
  }
  const failures = checkFailures(voice, issues, kind.name);
  const kept = Object.keys(inputs).map((name) => camel(name));
  const clean = Object.entries(news).filter(
    ([key]) => key.startsWith("__") || key === "adoptId" || kept.includes(key),
  );
  return { inputs: Object.fromEntries(clean), failures };
}

async function answerDiff(
  call: Call,
  id: string,
  olds: Properties,
  news: Properties,
): Promise<DiffAnswer> {
  const { engine, kind } = call;
  const hidden = hiddenOf(news);
  const inputs = inputsOf(kind, news);
  const prior = stateOf(kind, id, olds);
  if (refreshed.has(hidden.__identity)) {
    // It only shows what somebody changed: that is neither planned nor refused.
    const changes = changesOf(kind, prior, inputs);
    return answerOf(changes.length > 0, replacesOf(call, hidden, changes));
  }
  const renamed = await renamedAccount(call, prior, { olds, news });
  const seen = await engine.observe(kind, { identity: hidden.__identity, prior });
  const planned = diff(seen, prior, inputs);
  const { changes, rewrites, notes } = planned;
  const replaces = replacesOf(call, hidden, changes);
  const replace = replaces.length > 0;
  // Protection also keeps what the program alone wants replaced.
  const turnedOff = inputs["deletion_protection"] !== true;
  const refused =
    planned.refused ?? (replace ? plannedDelete(seen, prior, turnedOff).refused : undefined);
  if (refused) throw new EngineError(refused);
  heed(call, plannedRights(seen, { prior, inputs, difference: { ...planned, replace } }));
  const reasons = changes.flatMap(({ reason }) => reason ?? []);
  for (const said of [...renamed, ...reasons, ...notes]) tell(call, said);
  // A state that is only rewritten is an update without a difference: only then does Pulumi write it.
  // It forgets in a refresh that an object failed.
  const isAgain = rewrites || renamed.length > 0 || isRetried(seen, prior, inputs);
  return answerOf(isAgain || changes.length > 0, replaces);
}

const answerOf = (changes: boolean, replaces: readonly string[]): DiffAnswer => {
  return { changes, replaces: [...new Set(replaces)], deleteBeforeReplace: false };
};

/** Of the dependents of what is deleted first, Pulumi asks in a refresh, too, what replaces them. */
const replacesOf = ({ kind }: Call, hidden: Hidden, changes: readonly Change[]): string[] =>
  changes
    .map((change) => ({ ...change, path: programPath(kind.name, change.path) }))
    .filter(({ replace, path }) => replace || replacesOn(hidden, path))
    .map(({ path: [head] }) => String(head));

/**
 * An object stays in its account: the lists of another one would show it as gone, and a replacement
 * nobody asked for would delete it. Only a new name of the same account is taken.
 * @returns what is to be said of a new name
 * @throws EngineError `object_of_other_account`
 */
async function renamedAccount(
  { engine, kind, account: to }: Call,
  prior: State,
  { olds, news }: Readonly<Record<"olds" | "news", Properties>>,
): Promise<Message[]> {
  const { __account: from } = hiddenOf(olds);
  if (from === to) return [];
  const subject = subjectOf(kind, prior.id, olds);
  if (await engine.hasObject(kind, prior))
    return [message("account_renamed", { subject, from, to })];
  const { __identity: urn } = hiddenOf(news);
  throw engineError("object_of_other_account", { subject, from, to, urn });
}

async function foreseeCreate(call: Call, news: Properties): Promise<void> {
  const { engine, kind } = call;
  const hidden = hiddenOf(news);
  const options = optionsOf(call, hidden, "create");
  const { __identity: identity, adoptId: adopts } = hidden;
  const declared = inputsOf(kind, news);
  await protects.assertCreatable(identity, call, declared);
  if (adopts !== undefined) {
    if (adopts !== PULUMI_UNKNOWN) await engine.observe(kind, { identity, adopts }, options);
    return;
  }
  // A list is read for the name only where the key may do what is planned.
  const asked = await engine.observe(kind, { identity, declared });
  heed(call, plannedRights(asked, { creates: declared }));
  const seen = await engine.observe(kind, { identity, declared, names: true }, options);
  heed(call, plannedNames(seen, declared));
}

/** Pulumi's engine leaves `replaceOnChanges` to providers that say what changed, as this one does. */
const replacesOn = ({ __replaceOn = [] }: Hidden, path: Path): boolean =>
  __replaceOn.map(stepsOf).some((chosen) =>
    // A path stands for what is inside it too, and a star for any one step.
    chosen.every((step, at) => at in path && (step === "*" || step === String(path[at]))),
  );

/** `properties["cost.centre"].a[*]` → `properties`, `cost.centre`, `a`, `*` */
const stepsOf = (path: string): string[] =>
  [...path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|[^.[\]]+/g)].map(
    ([step, quoted]) => quoted?.replace(/\\(.)/g, "$1") ?? step,
  );

async function create(call: Call, news: Properties) {
  const { engine, kind } = call;
  const hidden = hiddenOf(news);
  const options = optionsOf(call, hidden, "create");
  const inputs = inputsOf(kind, news);
  await protects.assertCreatable(hidden.__identity, call, inputs);
  if (hidden.adoptId !== undefined) {
    const { state, warnings } = await engine.adopt(kind, hidden.adoptId, inputs, options);
    warn(call, warnings);
    return { id: state.id, outs: outputsOf(kind, state, hidden) };
  }
  const { state, warnings } = await engine.create(kind, inputs, options);
  warn(call, warnings);
  if (options.identity !== undefined) created.set(options.identity, { engine, id: state.id });
  return { id: state.id, outs: outputsOf(kind, state, hidden) };
}

/** Identities that were read and not checked since: Pulumi refreshes them, and plans nothing yet. */
const refreshed = new Set<string | undefined>();

const protects = new Protected();

/** The objects that this process created, by identity. */
const created = new Map<string, { readonly engine: Engine; readonly id: string }>();

async function read(call: Call, id: string, properties: Properties) {
  const { engine, kind } = call;
  const hidden = hiddenOf(properties);
  if (hidden.__identity !== undefined) refreshed.add(hidden.__identity);
  const options = optionsOf(call, hidden, "read");
  const { state, warnings } = await engine.read(kind, stateOf(kind, id, properties), options);
  protects.note(hidden.__identity, state);
  warn(call, warnings);
  // Without an id Pulumi removes the object from its state: the engine has proved that it is gone.
  if (!state) return {};
  const inputs = readInputsOf(kind, state, hidden);
  return { id: state.id, props: outputsOf(kind, state, hidden), inputs };
}

async function update(call: Call, id: string, olds: Properties, news: Properties) {
  const { engine, kind } = call;
  const hidden = hiddenOf(news);
  const prior = stateOf(kind, id, olds);
  await renamedAccount(call, prior, { olds, news });
  const options = optionsOf(call, hidden, "update");
  const { state, warnings } = await engine.update(kind, prior, inputsOf(kind, news), options);
  warn(call, warnings);
  return { outs: outputsOf(kind, state, hidden) };
}

async function remove(call: Call, id: string, properties: Properties): Promise<void> {
  const { engine, kind } = call;
  const hidden = hiddenOf(properties);
  const successor = created.get(hidden.__identity ?? "");
  // Pulumi deletes the object that it replaced once the new one is in its state.
  await successor?.engine.noteStored(kind, successor.id);
  const options = optionsOf(call, hidden, "delete");
  const { warnings } = await engine.delete(kind, stateOf(kind, id, properties), options);
  protects.note(hidden.__identity, undefined);
  warn(call, warnings);
}
