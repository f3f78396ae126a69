/**
 * What an earlier release left in the folder of entries, and the service as it was then.
 *
 * The fixture holds what commit 0b58fec wrote. Its engine worked with an emulator under a fixed
 * address, with fixed clocks, ids and keys, and its files were copied where the run was to die:
 * `sent` is the moment at which a request went out that the service answered, `unsent` the same
 * where the service never saw it. Each record says what the service saw, and that is repeated here.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Agent } from "undici";
import type { Emulator } from "../../../emulator";
import type { Engine, EngineError, IntentEntry, ReadResult } from "../../../provider/engine";
import type { Result, State } from "../../../provider/engine";
import recorded from "../../fixtures/earlier/entries.json";
import { atEnd, folder, given, type EngineGiven } from "../../support/given";
import { hurried } from "../support";

export const { apiKey, scope } = recorded;
export const anotherKey = "erp_test_recordedanotherkey00000";

/** What the service saw: a request, or what somebody did by hand. */
export interface Call {
  readonly act?: "createObjects" | "createKey" | "setFaults";
  readonly given?: readonly unknown[];
  readonly method?: string;
  readonly path?: string;
  readonly key?: string;
  readonly body?: string;
  readonly auth?: string;
}

interface Left {
  /** The folder of entries, by name. */
  readonly files: Readonly<Record<string, string>>;
  readonly calls: readonly Call[];
  readonly states?: States;
}

type States = Readonly<Record<string, State>>;
const records = recorded.entries as unknown as Readonly<Record<string, Left>>;

/** How the run that follows differs from the usual one, which the same user starts a minute later. */
export interface Later {
  readonly after?: string;
  readonly engine?: EngineGiven;
  /** The process that wrote the entries still works. */
  readonly isAlive?: true;
  /** What somebody else does in the meantime. */
  readonly between?: (emulator: Emulator) => void;
  /** What becomes of each file, and of its name. */
  readonly rewrite?: (text: string) => string;
  readonly rename?: (file: string) => string;
}

/** What a run does, in words. */
export type Next = (run: {
  readonly engine: Engine;
  readonly states: States;
  /** An outcome in words: the id and the warnings, or the error and the ids that it names. */
  readonly reported: (work: Promise<Result | ReadResult>) => Promise<string>;
}) => Promise<string>;

async function repeat(emulator: Emulator, call: Call): Promise<string> {
  const { act, given: words = [], method = "", path = "", key, body, auth } = call;
  // The fixture holds what these calls were given.
  if (act) return JSON.stringify(emulator[act](...(words as [never, never])));
  const answer = await fetch(new URL(path, emulator.url), {
    method,
    headers: {
      authorization: `Bearer ${auth}`,
      "content-type": "application/json",
      ...(key !== undefined && { "idempotency-key": key }),
    },
    ...(body !== undefined && { body }),
  });
  return answer.text();
}

/** A service that has seen what that of a record saw. */
export async function serviceOf({ calls }: Pick<Left, "calls">) {
  const begun = performance.now();
  const realTime = { wallMs: () => recorded.begins, monotonicMs: () => performance.now() - begun };
  const service = await given({ adminKey: apiKey, realTime });
  const answers = [];
  for (const call of calls) answers.push(await repeat(service.emulator, call));
  service.emulator.createKey({ name: "another", value: anotherKey });
  return { service, answers: answers.join() };
}

/** The folder of a record's entries: its name is part of what was signed. */
function folderOf({ files }: Left, { rewrite = same, rename = same }: Later): string {
  const intents = join(folder(), "recorded");
  mkdirSync(intents, { mode: 0o700 });
  for (const [file, text] of Object.entries(files)) {
    writeFileSync(join(intents, rename(file)), rewrite(text), { mode: 0o600 });
  }
  return intents;
}

const same = (text: string): string => text;

/** What a run makes of a record: its outcome, the changes that it sends, and the entries it leaves. */
export async function continued(name: string, next: Next, later: Later = {}): Promise<string[]> {
  const left = records[name];
  if (!left) throw new Error(`nothing is recorded of ${name}`);
  const { service, answers } = await serviceOf(left);
  const { emulator, processes } = service;
  later.between?.(emulator);
  emulator.advance(later.after ?? "1m");
  emulator.clearJournal();
  const intents = folderOf(left, later);
  for (const file of later.isAlive ? [] : Object.keys(left.files)) {
    processes.kill(/([^.]+)[.]json/.exec(file)?.[1] ?? "");
  }
  const agent = new Agent();
  atEnd(() => agent.close());
  const run = service.engine({
    apiKey,
    userKey: Buffer.alloc(32, 7),
    baseUrl: recorded.base,
    dispatcher: agent.compose(
      (dispatch) => (options, handler) => dispatch({ ...options, origin: emulator.url }, handler),
    ),
    clock: { ...hurried, wallMs: () => Date.parse(emulator.clock().now) },
    intents,
    ...later.engine,
  });
  const reported = (work: Promise<Result | ReadResult>) => inWords(work, answers);
  const outcome = await next({ engine: run.engine, states: left.states ?? {}, reported });
  const said = run.warnings.map(({ code }) => `(${code})`);
  const changes = emulator
    .journal()
    .filter(({ method }) => method !== "GET")
    .map(({ method, path }) => `${method} ${path}`);
  return [[outcome, ...said].join(" "), changes.join(", "), remaining(intents).join(", ")];
}

async function inWords(work: Promise<Result | ReadResult>, answers: string): Promise<string> {
  try {
    const { state, warnings } = await work;
    const secret = state?.values["value"];
    const isKnown = answers.includes(String(secret));
    const which = isKnown ? ["with its secret"] : ["with another secret"];
    const shown = secret === undefined ? [] : which;
    const current = state?.values["current_key_id"];
    const ids = [state?.id ?? "nothing", ...(typeof current === "string" ? [current] : [])];
    return [...ids, ...shown, ...warnings.map(({ code }) => code)].join(" ");
  } catch (error) {
    // A partial failure has no code, and an error of the client no reason.
    const { code, reason, message } = error as Partial<EngineError> & Error;
    const ids = new Set(message.match(/\b(?:srv|ins|bak|key)_\d+/g));
    return [code ?? reason?.code ?? message, ...ids].join(" ");
  }
}

function remaining(intents: string): string[] {
  return readdirSync(intents)
    .map((file) => [file, readFileSync(join(intents, file), "utf8")] as const)
    .map(([file, text]) => {
      if (file.endsWith(".tmp")) return "draft";
      const { operation, answer, target, handedAt } = JSON.parse(text) as Partial<IntentEntry>;
      if (operation === undefined) return "note";
      const handed = handedAt === undefined ? "" : " handed over";
      return `${operation} ${answer ?? `of ${target ?? "?"}`}${handed}`;
    })
    .sort();
}
