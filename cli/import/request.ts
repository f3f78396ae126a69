/** What a command line of `erphost import` asks for, checked before any call is made. */
import { basename, dirname, resolve } from "node:path";
import { stated, type InvalidInput } from "../../provider/contract";
import { kinds, type Kind } from "../../provider/resources";
import type { AccountOptions } from "../account";
import type { World } from "../world";
import { Folder, type Files } from "./folder";
import { addRecorded, parseRecord, RECORD_FILE, type ImportRecord } from "./known/record";
import { KnownObjects } from "./known/known";
import { addState } from "./known/state-file";
import { globPattern, inOrder, type Selection } from "./program/selection";
import { writers } from "./write";
import type { Survey, Writer } from "./write/writer";

export interface ImportOptions extends AccountOptions {
  readonly to?: string;
  readonly out?: string;
  readonly kind: readonly string[];
  readonly name: readonly string[];
  readonly status: readonly string[];
  readonly property: readonly string[];
  readonly state: readonly string[];
  readonly forEach?: boolean;
  /** True: the report is printed. */
  readonly report?: string | true;
}

/** In whose language one declaration can make all objects that are alike, each under a key. */
const GROUPING = "terraform";

/** Where a program goes, and what is there. */
export interface Target {
  readonly format: string;
  readonly writer: Writer;
  readonly folder: Folder;
  readonly existing: Files;
  readonly survey: Survey;
  readonly recorded: string | undefined;
  readonly record: ImportRecord | undefined;
}

type Destination = Pick<Target, "format" | "writer" | "folder">;

export interface Request {
  /** Undefined: nothing is written but the report. */
  readonly target: Target | undefined;
  /** Each after those that it refers to. */
  readonly kinds: readonly Kind[];
  readonly asked: readonly string[];
  readonly selection: Selection;
  /** What `--state` names. */
  readonly states: readonly { readonly file: string; readonly text: string }[];
  readonly known: KnownObjects;
  /** One declaration makes all objects that are alike. */
  readonly inGroups: boolean;
  /** A file's path, or true for stdout. */
  readonly report: string | true | undefined;
}

/** Kinds that the service keeps: what can be taken over. */
export const importableKinds: readonly Kind[] = inOrder(
  Object.values(kinds).filter(({ resource }) => resource !== undefined),
);

/** @throws InvalidInput with one sentence per fault */
export function readRequest(options: ImportOptions, world: World): Request {
  const { to, out, kind: asked, report } = options;
  if ((to === undefined) !== (out === undefined)) {
    const [given, missing] = to === undefined ? ["--out", "--to"] : ["--to", "--out"];
    throw fault(missing, `is required with ${given}`, "--to says what is written, --out where.");
  }
  if (to === undefined && report === undefined) {
    throw fault("--to", "is required", "Or use --report to see what a program could take over.");
  }
  const isOfAnother = to === undefined || (to !== GROUPING && Object.hasOwn(writers, to));
  if (options.forEach === true && isOfAnother) {
    throw fault("--for-each", "is for --to terraform", "Leave it out.");
  }
  const unknown = asked.find((name) => importableKinds.every((kind) => kind.name !== name));
  if (unknown !== undefined) {
    const names = importableKinds.map(({ name }) => name).join(", ");
    throw fault("--kind", `is ${unknown}, which cannot be imported`, `Use one of ${names}.`);
  }
  const target =
    to !== undefined && out !== undefined ? surveyed(destination(to, out, world)) : undefined;
  const states = options.state.map((file) => ({ file, text: textOfState(file, world) }));
  return {
    target,
    kinds: importableKinds.filter(({ name }) => asked.length === 0 || asked.includes(name)),
    asked,
    selection: {
      names: options.name.map(globPattern),
      statuses: options.status,
      properties: options.property.map(globPattern),
    },
    states,
    known: knownFrom(target, states),
    inGroups: options.forEach === true,
    report: reportPlace(report, world),
  };
}

/** The request with what is in the folder by now: somebody may have worked there in the meantime. */
export function readAgain(request: Request): Request {
  const target = request.target && surveyed(request.target);
  return { ...request, target, known: knownFrom(target, request.states) };
}

function knownFrom(target: Target | undefined, states: Request["states"]): KnownObjects {
  const known = new KnownObjects();
  if (target) {
    for (const { kind, id, place } of target.survey.imports) {
      known.add(kind, id, { in: "program", place });
    }
    if (target.record) addRecorded(known, target.record);
  }
  for (const { file, text } of states) addState(known, file, text);
  return known;
}

function destination(format: string, out: string, world: World): Destination {
  const writer = Object.hasOwn(writers, format) ? writers[format] : undefined;
  if (!writer) {
    const formats = Object.keys(writers).join(", ");
    throw fault("--to", `is ${format}, which is not known`, `Use one of ${formats}.`);
  }
  const folder = new Folder(resolve(world.cwd, out));
  if (folder.isSomethingElse()) {
    throw fault("--out", `is ${out}, which is not a folder`, "Name a folder, new or not.");
  }
  return { format, writer, folder };
}

function surveyed({ format, writer, folder }: Destination): Target {
  const existing = folder.read(writer.reads);
  const recorded = folder.text(RECORD_FILE);
  const record = recorded === undefined ? undefined : parseRecord(recorded);
  const survey = writer.survey(existing);
  return { format, writer, folder, existing, recorded, record, survey };
}

function reportPlace(report: string | true | undefined, { cwd }: World): string | true | undefined {
  if (typeof report !== "string") return report;
  const path = resolve(cwd, report);
  const folder = new Folder(dirname(path));
  if (folder.isThere() && folder.mayHold(basename(path))) return path;
  throw fault(
    "--report",
    `is ${report}, which cannot be a file`,
    "Name a file that is not a link, in a folder that exists.",
  );
}

function textOfState(file: string, world: World): string {
  try {
    return world.readFile(resolve(world.cwd, file));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw fault("--state", `names ${file}, which cannot be read: ${why}`, "Name a readable file.");
  }
}

const fault = (option: string, text: string, remedy: string): InvalidInput =>
  stated("import", [option], text, remedy);
