/** `--rules` and `--rego`: rules of one's own, as they were before the pull request. */
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { dirname, extname, join, posix, sep } from "node:path";
import * as z from "zod";
import { jsonOf } from "../../../provider/contract";
import { HIDDEN, readPlan } from "../../../provider/plans";
import { runChild, type Child } from "../../child";
import { refusal } from "../forge/choose";
import type { Job } from "../job";
import { inRepository, takeFiles, type Taken } from "./tree";

export interface OwnOptions {
  readonly rules?: string;
  readonly rego?: string;
}

/** What a rule says of an object. */
export interface Finding {
  readonly rule: string;
  readonly address: string;
  /** What is wrong with it. */
  readonly why: string;
  /** The two as a sentence. */
  readonly text: string;
}

/** What rules say of a plan, and which ones they were: undefined where there is none. */
export interface Judgement {
  readonly broken: readonly Finding[];
  readonly warned: readonly Finding[];
  readonly hash: string | undefined;
}

const LIMIT_MS = 10_000;
const ANSWER_LENGTH_MAX = 1024 ** 2;
const COMPLAINT_LENGTH_MAX = 2_000;
const TEXT_LENGTH_MAX = 500;
const short = z.string().min(1).max(TEXT_LENGTH_MAX);
const answers = z
  .array(
    z.object({
      name: short,
      level: z.enum(["warn", "refuse"]),
      found: z.array(z.object({ address: short, why: short })),
    }),
  )
  .min(1);
const results = z.array(z.object({ msg: z.string() })).nullish();
const conftest = z
  .array(
    z.object({ successes: z.number(), warnings: results, failures: results, exceptions: results }),
  )
  .min(1);

/** @throws InvalidInput where a path leads out of the repository */
export function checkOwn({ rules, rego }: OwnOptions): void {
  for (const [option, path] of Object.entries({ "--rules": rules, "--rego": rego })) {
    if (path !== undefined && inRepository(path) === undefined) {
      throw refusal(option, "must be a path from the top of the repository");
    }
  }
}

/** @throws Error where rules are missing or answer as none do: nothing is judged by fewer */
export async function judgedByOwn(job: Job, { rules, rego }: OwnOptions, judged: Judged) {
  const parts = [
    ...(rules === undefined ? [] : [await byModule(job, rules, judged)]),
    ...(rego === undefined ? [] : [await byRego(job, rego, judged)]),
  ];
  const hash = createHash("sha256").update(JSON.stringify(parts.map((part) => part.hash)));
  return {
    broken: parts.flatMap(({ broken }) => broken),
    warned: parts.flatMap(({ warned }) => warned),
    hash: parts.length === 0 ? undefined : hash.digest("hex"),
  };
}

interface Judged {
  readonly json: string;
  readonly commit: string;
}

async function byModule(job: Job, path: string, { json, commit }: Judged): Promise<Judgement> {
  const file = inRepository(path) ?? "";
  const names = /\.[cm]?[jt]s$|\.json$/;
  const taken = await takeFiles(job, { commit, folder: posix.dirname(file), names });
  const entry = join(taken.folder, file);
  if (!taken.paths.includes(file)) throw missing(`The file ${path} in --rules`, commit);
  const reading = readPlan(json, job.contract);
  const plan = "plan" in reading ? reading.plan : undefined;
  const child = join(__dirname, `child${extname(__filename)}`);
  // Zod may be in another folder than the package that needs it. Node.js takes no path in another one.
  const folders = ["erphost/package.json", "zod"].map((name) => dirname(require.resolve(name)));
  const readable = [taken.folder, ...folders].filter(
    (each) => !folders.some((other) => each.startsWith(`${other}${sep}`)),
  );
  const words = ["--permission", ...readable.map((at) => `--allow-fs-read=${at}`), child, entry];
  const input = JSON.stringify(plan, (_, value: unknown) =>
    typeof value === "symbol" ? (value === HIDDEN ? "(secret)" : "(known after apply)") : value,
  );
  const said = await asked(job, { program: process.execPath, words, input, what: "--rules" });
  const found = parsed(answers, said, "--rules").flatMap(({ name: rule, level, found: all }) =>
    all.map(({ address, why }) => ({ rule, level, address, why, text: `${address} ${why}.` })),
  );
  return {
    broken: found.filter(({ level }) => level === "refuse"),
    warned: found.filter(({ level }) => level === "warn"),
    hash: hashOf(taken, file),
  };
}

async function byRego(job: Job, path: string, { json, commit }: Judged): Promise<Judgement> {
  const folder = inRepository(path) ?? "";
  const taken = await takeFiles(job, { commit, folder, names: /\.(?:rego|json|ya?ml)$/ });
  const policy = join(taken.folder, folder);
  if (taken.paths.length === 0) throw missing(`The folder ${path} in --rego`, commit);
  const plan = join(job.work, "rego-plan.json");
  writeFileSync(plan, json, { mode: 0o600 });
  const words = ["test", plan, "--policy", policy, "--output=json", "--no-color"];
  const said = await asked(job, { program: "conftest", words, what: "--rego" });
  const all = parsed(conftest, said, "--rego");
  const counted = all.flatMap(({ successes, warnings, failures, exceptions }) => [
    successes,
    ...[warnings, failures, exceptions].map((each) => each?.length ?? 0),
  ]);
  if (counted.every((count) => count === 0)) {
    throw new Error("Nothing was judged: --rego found no rule in the package main.");
  }
  const findings = (of: "failures" | "warnings"): Finding[] =>
    all
      .flatMap((each) => each[of] ?? [])
      .map(({ msg: why }) => ({ rule: "rego", address: folder, why, text: why }));
  const [broken, warned] = [findings("failures"), findings("warnings")];
  return { broken, warned, hash: hashOf(taken, folder) };
}

const hashOf = ({ hash }: Taken, path: string): string => `${path} ${hash}`;

const missing = (what: string, commit: string): Error =>
  new Error(
    `${what} is not in ${commit.slice(0, 12)}, which the plan is judged by. Rules count once they are merged.`,
  );

interface Asked extends Pick<Child, "program" | "words" | "input"> {
  readonly what: string;
}

/** What a program prints that gets nothing of the job's but its PATH. @throws Error where it fails */
async function asked({ world, work }: Job, { what, input, ...started }: Asked): Promise<string> {
  let [stdout, stderr] = ["", ""];
  const late = new AbortController();
  const cancel = world.after(LIMIT_MS, () => late.abort());
  const { PATH, SystemRoot } = world.env;
  const { code, fault } = await runChild({
    ...started,
    ...(input !== undefined && { input }),
    env: { PATH, ...(SystemRoot !== undefined && { SystemRoot }) },
    cwd: work,
    onText(text, from) {
      if (from === "stdout" && stdout.length <= ANSWER_LENGTH_MAX) stdout += text;
      else stderr = `${stderr}${text}`.slice(-COMPLAINT_LENGTH_MAX);
    },
    stopped: AbortSignal.any([world.stopped, late.signal]),
    stop: (kill) => void kill("SIGKILL", "group"),
  }).finally(cancel);
  if (fault !== undefined) {
    throw new Error(
      `Nothing was judged: ${what} needs ${started.program}, which is missing (${fault}).`,
    );
  }
  if (late.signal.aborted) {
    throw new Error(`Nothing was judged: ${what} did not answer within ${LIMIT_MS / 1_000} s.`);
  }
  // Conftest ends with 1 where something is refused.
  if (code === 0 || (code === 1 && what === "--rego" && stdout !== "")) return stdout;
  throw new Error(
    `Nothing was judged: ${what} failed (${code ?? "a signal"}). ${stderr.trim().replace(/\s+/g, " ")}`,
  );
}

/** @throws Error where rules say something else than rules do */
function parsed<T>(schema: z.ZodType<T>, said: string, what: string): T {
  const { success, data } = schema.safeParse(jsonOf(said));
  if (success) return data;
  throw new Error(
    `Nothing was judged: ${what} answered in another form. Each rule answers with a list, of objects with an address and what is wrong with each.`,
  );
}
