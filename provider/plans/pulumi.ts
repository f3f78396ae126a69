/** Reads `pulumi preview --json`, of the plugin's resources and of dynamic ones. */
import * as z from "zod";
import { camel, isRecord, type Contract, type Values } from "../contract";
import { kinds, type Kind } from "../resources";
import { changesAt, differing, openSides, type Path } from "./fields";
import { plannedObject, type Step } from "./object";
import { HIDDEN, UNKNOWN_VALUE } from "./plan";
import type { Drift, FieldChange, OtherChange, OtherDrift, Plan } from "./plan";

const members = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform((values) => values ?? {});
const stateSchema = z.object({
  urn: z.string().optional(),
  parent: z.string().optional(),
  type: z.string().optional(),
  id: z.string().optional(),
  inputs: members,
  outputs: members,
  protect: z.boolean().optional(),
  retainOnDelete: z.boolean().optional(),
  delete: z.boolean().optional(),
  provider: z.string().optional(),
});
type State = z.output<typeof stateSchema>;
const sideSchema = stateSchema
  .nullish()
  .transform((state) => (state ? { ...state, provider: placedIn(state) } : undefined));
const stepSchema = z.object({
  op: z.string(),
  urn: z.string(),
  oldState: sideSchema,
  newState: sideSchema,
  replaceReasons: z.array(z.string()).nullish(),
  detailedDiff: z.record(z.string(), z.unknown()).nullish(),
});
export interface PreviewStep extends z.output<typeof stepSchema> {
  /** Id of an object that an earlier replacement could not delete: the apply tries it again. */
  readonly left?: string | undefined;
}

/** Only what is read. */
export const pulumiSchema = z.object({
  steps: z.array(stepSchema).transform((steps) => steps.map((step) => withLeft(step, steps))),
  changeSummary: z.record(z.string(), z.number()).default({}),
  diagnostics: z.array(z.object({ severity: z.string().optional() })).default([]),
});

export type PulumiPreview = z.output<typeof pulumiSchema>;

/**
 * A preview with --refresh only reads such an object, and says nowhere that it is deleted. Pulumi marks
 * what this very plan replaces as well.
 */
function withLeft(step: PreviewStep, all: readonly PreviewStep[]): PreviewStep {
  const { op, urn, oldState: { delete: isMarked = false, id = "" } = {} } = step;
  if (!isMarked || (op !== "refresh" && op !== DELETE_REPLACED)) return step;
  const isReplaced = (one: PreviewStep): boolean =>
    one.op === "replace" && one.urn === urn && one.oldState?.id === id;
  if (op !== "refresh" && all.some(isReplaced)) return step;
  return { ...step, op: DELETE_REPLACED, newState: undefined, left: id };
}

const DELETE_REPLACED = "delete-replaced";
/** What Pulumi writes in the place of a secret. */
const SECRET = "[secret]";
/** Members of an object that stands for a secret, as the engine stores it. */
const SIGNATURE = "4dabf18193072939515e22adb298388d";
/** What stands for a value that is not known yet. */
const UNKNOWN_TEXTS = new Set<unknown>(["04da6b54-80e4-46f7-96ec-b56ff0331ba9", "output<string>"]);

export function fromPulumi(contract: Contract, preview: PulumiPreview): Plan {
  const onlyReads = isRefresh(preview.steps);
  const isComplete = preview.diagnostics.every(({ severity }) => severity !== "error");
  const others: OtherChange[] = [];
  const drift: Drift[] = [];
  const otherDrift: OtherDrift[] = [];
  // A replacement has several steps for one URN.
  const groups = Map.groupBy(preview.steps, ({ urn, left }) => JSON.stringify([urn, left]));
  const objects = [...groups.values()].flatMap((steps) => {
    const { urn = "", left } = steps[0] ?? {};
    const note = left === undefined ? "" : " (left by an earlier replacement)";
    const kind = kindOfType(typeOf(urn));
    const planned = onlyReads ? [] : steps.filter(({ op }) => op !== "refresh");
    const found = onlyReads ? foundBy(steps) : foundBetween(steps);
    if (kind !== undefined) {
      drift.push(...found.flatMap((one) => driftOf(kind, one)));
      const isThere = planned.length > 0 || !onlyReads;
      const address = nameOf(urn) + note;
      return isThere ? [plannedObject(contract, { ...stepOf(kind, planned, steps), address })] : [];
    }
    // A stack, and not a provider, whose configuration says which service all of this is about.
    if (typeOf(urn).startsWith("pulumi:pulumi:")) return [];
    otherDrift.push(...found.flatMap(otherDriftOf));
    const does = doesOf(planned);
    if (does !== "none") {
      const [isImported, changes] = [does === "import", changesOf(planned)];
      const { old, next = old } = endsOf(planned);
      const provider = next?.provider;
      others.push({ address: withType(urn) + note, provider, action: does, isImported, changes });
    }
    return [];
  });
  return {
    engine: "pulumi",
    stack: stackOf(preview.steps[0]?.urn ?? ""),
    invocations: [],
    deferred: [],
    later: [],
    moves: [...groups.values()].flatMap((steps) => movesOf(steps).slice(0, 1)),
    failedChecks: [],
    isComplete,
    gap: isComplete ? undefined : "an error in its diagnostics",
    objects,
    drift,
    unnamedDrift: onlyReads ? unnamed(preview) : 0,
    others,
    otherDrift,
    changesState: preview.steps.some(changesState),
    lookups: [],
  };
}

/** A deletion asks the state whether the object is protected, and not the program that has lost it. */
const changesState = ({ oldState: old, newState: next }: PreviewStep): boolean =>
  isRecord(old) && isRecord(next) && kept(old) !== kept(next);

/** By an alias of the program. */
const movesOf = (steps: readonly PreviewStep[]): Plan["moves"] =>
  steps.flatMap(({ urn, oldState: { urn: from = urn } = {}, newState }) =>
    newState === undefined || from === urn ? [] : [{ from: placeOf(from), to: placeOf(urn) }],
  );

/** What the state alone holds of an object. */
const kept = ({ urn, parent, provider, protect = false, retainOnDelete = false }: State): string =>
  JSON.stringify([urn, parent, provider, protect, retainOnDelete]);

/** `pulumi refresh --preview-only`: its updates and deletes are what it found. */
const isRefresh = (steps: readonly PreviewStep[]): boolean => {
  const stacks = steps.filter(({ urn }) => typeOf(urn) === "pulumi:pulumi:Stack");
  return stacks.length > 0 && stacks.every(({ op }) => op === "refresh");
};

/** Such a preview counts the changes that it found, and names those of dynamic resources nowhere. */
const unnamed = ({ steps, changeSummary }: PulumiPreview): number =>
  Math.max(0, (changeSummary["update"] ?? 0) - steps.filter(({ op }) => op === "update").length);

/** Types of `urn:pulumi:stack::project::parent$type::name`. */
const typeOf = (urn: string): string => urn.split("::")[2]?.split("$").at(-1) ?? "";
/** A move may be one to another parent or type, and keep the name. */
const placeOf = (urn: string): string => urn.split("::").slice(2).join("::");
const nameOf = (urn: string): string => urn.split("::").slice(3).join("::");
/** An explicit provider, without its id, or an account of the dynamic classes. */
function placedIn({ provider = "", inputs: { __account: account } }: State): string | undefined {
  const name = placeOf(provider).replace(/pulumi:providers:[^:]*::|::[^:]*$/g, "");
  if (!/^$|^default(?:$|_\d+_\d+_\d+|_\w+_\/)/.test(name)) return name;
  return typeof account === "string" ? account : undefined;
}
/** Names of other providers' objects alone say little. */
const withType = (urn: string): string => `${nameOf(urn)} (${typeOf(urn)})`;

function stackOf(urn: string): string | undefined {
  const [stack = "", project = ""] = urn.replace(/^urn:pulumi:/, "").split("::");
  return project === "" ? undefined : `${project}/${stack}`;
}

const OUR_TYPE = /^(?:erphost:index(?:\/\w+)?|pulumi-nodejs:dynamic\/erphost):(\w+)$/;
const byTitle = new Map(Object.values(kinds).map((kind) => [kind.title, kind]));

/** The kind of a Pulumi type: of the plugin, or of a dynamic resource. */
export const kindOfType = (type: string): Kind | undefined =>
  byTitle.get(OUR_TYPE.exec(type)?.[1] ?? "");

function doesOf(steps: readonly PreviewStep[]): Step["does"] {
  const has = (op: string): boolean => steps.some((step) => step.op === op);
  if (has("replace") || has("create-replacement") || has("import-replacement")) return "replace";
  if (has("create")) return "create";
  if (has("delete") || has(DELETE_REPLACED)) return "delete";
  if (has("discard") || has("discard-replaced")) return "forget";
  if (has("update")) return "update";
  return has("import") ? "import" : "none";
}

/** @param all of the planned steps, with what a refresh showed where nothing is planned */
function stepOf(kind: Kind, steps: readonly PreviewStep[], all: readonly PreviewStep[]) {
  const does = doesOf(steps);
  const { old, next } = endsOf(steps, all);
  const before = old && valuesOf(kind, old);
  const after = does === "delete" || !next ? undefined : valuesOf(kind, next);
  // A preview without --show-replacement-steps has neither.
  const [first] = steps.filter(({ op }) => /-replacement$|^delete-replaced$/.test(op));
  return {
    provider: (next ?? old)?.provider,
    kind,
    does,
    before,
    after,
    changed: changedBy(kind, steps, [old, next]),
    forcedBy: [...new Set(steps.flatMap(({ replaceReasons }) => replaceReasons ?? []))].map(
      (name) => contractName(kind, name),
    ),
    isCreatedFirst: first && first.op !== DELETE_REPLACED,
    isImported: does === "import",
    isProtected: old?.protect === true,
    isUnprotected: (does === "none" || does === "update") && protectionsLost(old, next).length > 0,
    isRetained: old?.retainOnDelete === true,
  };
}

/** What kept the engine from deleting the object, and does no longer. */
export const protectionsLost = (old: State | undefined, next: State | undefined) =>
  (["protect", "retainOnDelete"] as const).filter(
    (name) => old?.[name] === true && next !== undefined && next[name] !== true,
  );

const endsOf = (steps: readonly PreviewStep[], all = steps) => ({
  old: (steps.length > 0 ? steps : all).find(({ oldState }) => oldState)?.oldState,
  next: steps.find(({ op, newState }) => newState && !op.startsWith("delete"))?.newState,
});

/** Inputs that differ, what the plugin says that differs, and a rotation that is due. */
function changedBy(
  kind: Kind,
  steps: readonly PreviewStep[],
  [old, next]: readonly [State | undefined, State | undefined],
): Path[] {
  if (old === undefined || next === undefined) return [];
  const sides = { before: inContract(kind, old.inputs), after: inContract(kind, next.inputs) };
  const said = steps.flatMap(({ detailedDiff }) => Object.keys(detailedDiff ?? {}));
  const isDue = inContract(kind, old.outputs)["rotation_due"] === true;
  const changed = [
    ...differing(sides),
    ...said.map((path) => contractName(kind, path.replace(/\[.*/s, "")).split(".")),
    ...(isDue ? [["rotation_due"]] : []),
  ];
  if (changed.length > 0)
    return [...new Map(changed.map((path) => [JSON.stringify(path), path])).values()];
  // Dynamic resources have no list of changes: an update that nothing explains is one of a secret.
  return Object.entries(sides.after).flatMap(([name, value]) =>
    holdsHidden(value) ? [[name]] : [],
  );
}

const holdsHidden = (value: unknown): boolean =>
  value === HIDDEN ||
  (Array.isArray(value) && value.some(holdsHidden)) ||
  (isRecord(value) && Object.values(value).some(holdsHidden));

/** What another provider's object gets: its inputs. */
function changesOf(steps: readonly PreviewStep[]): FieldChange[] {
  const { old, next } = endsOf(steps);
  if (!next) return [];
  const [before, after] = [old, next].map((state) => {
    const values = Object.entries(state?.inputs ?? {});
    return state && Object.fromEntries(values.map(([name, value]) => [name, markedValue(value)]));
  });
  const sides = openSides(undefined, { before, after });
  return changesAt(differing(sides), sides);
}

/** Outputs, with the inputs over them: what a plan wants counts, and results stay. */
function valuesOf(kind: Kind, { id, inputs, outputs }: State): Values {
  const values = { ...inContract(kind, outputs), ...inContract(kind, inputs) };
  return id === undefined || id === "" ? values : { id, ...values };
}

const namesOf = new Map(
  Object.values(kinds).map((kind) => [
    kind,
    new Map(Object.keys(kind.fields).map((name) => [camel(name), name])),
  ]),
);

/** `serverId` → `server_id`; a member of a free map keeps its name. */
const contractName = (kind: Kind, path: string): string => {
  const [, head = path, rest = ""] = /^([^.[]+)(.*)$/.exec(path) ?? [];
  return `${namesOf.get(kind)?.get(head) ?? head}${rest}`;
};

/** Members of ours, by contract name, with marks for what Pulumi hides or does not know. */
export function inContract(kind: Kind, values: Values): Values {
  const known = namesOf.get(kind);
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]): [string, unknown][] => {
      const name = known?.get(key);
      return name === undefined ? [] : [[name, markedValue(value)]];
    }),
  );
}

const markedValue = (value: unknown): unknown =>
  withMarks(value, (each) =>
    each === SECRET || (isRecord(each) && SIGNATURE in each) ? HIDDEN : undefined,
  );

/** Marks what is not known yet, at any depth. @param markOf of another value */
export function withMarks(
  value: unknown,
  markOf: (value: unknown) => typeof HIDDEN | undefined = () => undefined,
): unknown {
  const inner = (each: unknown): unknown => withMarks(each, markOf);
  const mark = UNKNOWN_TEXTS.has(value) ? UNKNOWN_VALUE : markOf(value);
  if (mark !== undefined) return mark;
  if (Array.isArray(value)) return value.map(inner);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, inner(each)]));
}

interface Found {
  readonly urn: string;
  readonly what: Drift["what"];
  /** As the state had it, and as it is. */
  readonly before: State | undefined;
  readonly after: State | undefined;
}

/** Of a refresh that does nothing else. */
const foundBy = (steps: readonly PreviewStep[]): Found[] =>
  steps
    .filter(({ op }) => op === "delete" || op === "update")
    .map(({ op, urn, oldState, newState }) => ({
      urn,
      what: op === "delete" ? "gone" : "changed",
      before: oldState,
      after: newState,
    }));

/** Of the refresh of a preview: the state before it, and what the plan begins with. */
function foundBetween(steps: readonly PreviewStep[]): Found[] {
  const seen = steps.find(({ op }) => op === "refresh");
  const planned = steps.find(({ op }) => op !== "refresh");
  // A preview without --show-sames has no other step for an object that stays as it is.
  if (seen === undefined || planned === undefined) return [];
  const what = planned.op === "create" ? "gone" : "changed";
  return [{ urn: seen.urn, what, before: seen.oldState, after: planned.oldState }];
}

function driftOf(kind: Kind, { urn, what, before, after }: Found): Drift[] {
  const of = { address: nameOf(urn), kind: kind.name, id: before?.id, what };
  if (what === "gone") return [{ ...of, changes: [] }];
  // What the service has, which are the outputs.
  const [had, has] = [before, after].map((state) => state && inContract(kind, state.outputs));
  const sides = openSides(kind, { before: had, after: has });
  const paths = differing(sides);
  return paths.length === 0 ? [] : [{ ...of, changes: changesAt(paths, sides) }];
}

function otherDriftOf({ urn, what, before, after }: Found): OtherDrift[] {
  const isDrift =
    what === "gone" || differing({ before: before?.outputs, after: after?.outputs }).length > 0;
  return isDrift ? [{ address: withType(urn), what }] : [];
}
