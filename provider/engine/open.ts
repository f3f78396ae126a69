/** Opens an engine from a configuration and its surroundings: the one place where faces start. */
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { ClientCore, isOnThisMachine, readConfiguration, readContract } from "../client";
import { readTextFile, systemInjectables } from "../client";
import type { Account, Configuration } from "../client";
import { InvalidInput, issueAt, type InputIssue } from "../contract";
import type { Message } from "../messages";
import { Engine } from "./engine";
import { userKey } from "./journal/user-key";
import { systemProcesses } from "./journal/processes";
import { Planner } from "./plan/seen";
import { engineSettings, readSettings, settings, type ValuesOf } from "../settings";

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** One of several states that this folder serves, its backend included; its intents are its own. */
  readonly workspace?: string | undefined;
  readonly pid: number;
  /** The process that starts one for the plan and another one for the apply. */
  readonly parent?: number;
  readonly platform: NodeJS.Platform;
}

export interface OpenOptions {
  /** Settings by name, as a program or a host gives them; they win over the environment. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly surroundings: Surroundings;
  readonly warn: (message: Message) => void;
  /** Takes one line per attempt of a call, for a log at debug level. */
  readonly logCall?: (line: string) => void;
}

/** Makes no call. @throws InvalidInput with one sentence per fault */
export function openEngine({ given, surroundings, warn, logCall }: OpenOptions): Engine {
  const { env } = surroundings;
  const { values, issues } = readSettings(engineSettings, { given, env });
  const configuration = readConfiguration({ given, env, readFile: readTextFile, issues });
  const core = new ClientCore(configuration, { ...systemInjectables(), logCall });
  const { formerBaseUrl, twinOf } = values;
  assertPlaces(values, configuration);
  const { account } = core;
  const root = intentsRoot(surroundings, values.intentsDir);
  const intentsAt = (baseUrl: string): string =>
    join(root, placeOf({ ...account, baseUrl }, surroundings));
  return new Engine({
    core,
    clock: systemInjectables().clock,
    apiKey: configuration.apiKey,
    options: values,
    places: {
      formerBaseUrl,
      twinOf,
      isAccountsPlace: twinOf !== undefined && mayExist(intentsAt(twinOf)),
    },
    userKey: readUserKey(surroundings),
    intentsAt,
    processes: { ...systemProcesses(surroundings.pid), every },
    ...(surroundings.parent !== undefined && { host: systemProcesses(surroundings.parent).self }),
    uuid: randomUUID,
    random: randomBytes,
    warn,
  });
}

/** What can't be looked at may be there. */
function mayExist(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true; // It may be there.
  }
}

/** One state of one account on this machine, as far as it can be known: the name of its folder. */
function placeOf({ baseUrl, environment }: Account, { cwd, workspace, env }: Surroundings): string {
  // Stacks of equal names in two of Pulumi's backends are two.
  const backend = env["PULUMI_BACKEND_URL"];
  return createHash("sha256")
    .update([baseUrl, environment, cwd, workspace, backend].filter(Boolean).join(" "))
    .digest("hex")
    .slice(0, 16);
}

/** What the settings of other addresses say of the run's own. @throws InvalidInput */
function assertPlaces(
  places: Pick<ValuesOf<typeof engineSettings>, "formerBaseUrl" | "twinOf">,
  { account: { baseUrl }, proxy }: Configuration,
): void {
  const { formerBaseUrl, twinOf } = places;
  const issues = (["formerBaseUrl", "twinOf"] as const)
    .filter((name) => places[name] === baseUrl)
    .map((name) => issueAt([name], "own_address", {}));
  if (twinOf !== undefined && !isOnThisMachine(baseUrl, proxy)) {
    issues.push(issueAt(["twinOf"], "twin_elsewhere", {}));
  }
  if (twinOf !== undefined && formerBaseUrl !== undefined) {
    issues.push(issueAt(["formerBaseUrl"], "twin_and_move", {}));
  }
  if (issues.length > 0) throw new InvalidInput("configuration", issues);
}

/** What is wrong with what is given, profile and key included, whatever the environment adds. */
export function faultsOfGiven(given: OpenOptions["given"]): readonly InputIssue[] {
  const { issues } = readSettings(engineSettings, { given });
  try {
    readConfiguration({ given, readFile: readTextFile, issues });
    return issues;
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    return error.issues.filter(
      ({ code, path: [head = ""] }) =>
        given[head] !== undefined && (code !== "http_not_allowed" || given["allowHttp"] === false),
    );
  }
}

/** What plans while settings are still unknown. @throws InvalidInput: the profile is not valid */
export function openPlanner({
  given,
  surroundings: { env },
}: Pick<OpenOptions, "given" | "surroundings">): Planner {
  const { values } = readSettings(settings, { given, env });
  return new Planner(readContract({ given, env, readFile: readTextFile }), values.allowDelete);
}

/** The folder of all intents: the one that is set, or one of this user's. */
export const intentsRoot = (
  surroundings: UserOf,
  folder = readSettings(engineSettings, { env: surroundings.env }).values.intentsDir,
): string => folder ?? join(stateFolder(surroundings), "intents");

/** @public Reads this user's own key once, at the first need; makes it where there is none. */
export function readUserKey(surroundings: UserOf): () => Promise<Buffer | undefined> {
  const file = join(stateFolder(surroundings), "intents.key");
  let reading: Promise<Buffer | undefined> | undefined;
  const { clock } = systemInjectables();
  return () => (reading ??= userKey({ file, random: randomBytes, clock }));
}

/** An interval for which no process stays alive. */
function every(ms: number, work: () => void): () => void {
  const timer = setInterval(work, ms);
  timer.unref();
  return () => clearInterval(timer);
}

type UserOf = Pick<Surroundings, "env" | "platform">;

/** Where this user's programs keep what outlives a run. */
function stateFolder({ env, platform }: UserOf): string {
  const home = homedir();
  const state =
    platform === "win32"
      ? (env["LOCALAPPDATA"] ?? join(home, "AppData", "Local"))
      : platform === "darwin"
        ? join(home, "Library", "Application Support")
        : (env["XDG_STATE_HOME"] ?? join(home, ".local", "state"));
  return join(state, "erphost");
}
