/** Opens an engine from a configuration and its surroundings: the one place where faces start. */
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import { readConfiguration, type Given } from "../client/settings/read";
import { createCore } from "../client/core";
import { readTextFile, systemInjectables } from "../client/settings/system";
import { InvalidInput } from "../contract";
import type { Kind } from "../resources";
import { Engine } from "./engine";
import { systemProcesses } from "./intents/processes";
import type { EngineOptions } from "./types";

/** The environment variables and the folder a process runs in. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** One of several states that this folder serves, its backend included; its intents are its own. */
  readonly workspace?: string | undefined;
  readonly pid: number;
  readonly platform: NodeJS.Platform;
}

export interface OpenOptions {
  /** What the program or the engine's configuration gives; wins over the environment. */
  readonly given: Given & Partial<Pick<EngineOptions, "sameName" | "allowMassGone">>;
  readonly surroundings: Surroundings;
  readonly warn: (message: string) => void;
  readonly importHint?: (kind: Kind, id: string) => string;
}

/**
 * Reads and checks the configuration, and makes an engine. Makes no call.
 * @throws InvalidInput with one sentence per fault.
 */
export function openEngine({ given, surroundings, warn, importHint }: OpenOptions): Engine {
  const { env } = surroundings;
  const configuration = readConfiguration({ given, env, readFile: readTextFile });
  const core = createCore(configuration, systemInjectables());
  const account = core.account;
  const { cwd, workspace } = surroundings;
  // Stacks of equal names in two of Pulumi's backends are two.
  const backend = env["PULUMI_BACKEND_URL"];
  const place = createHash("sha256")
    .update(
      [account.baseUrl, account.environment, cwd, workspace, backend].filter(Boolean).join(" "),
    )
    .digest("hex")
    .slice(0, 16);
  return new Engine({
    core,
    clock: systemInjectables().clock,
    apiKey: configuration.apiKey,
    options: {
      sameName: given.sameName ?? sameNameOf(env["ERPHOST_SAME_NAME"]),
      allowMassGone: given.allowMassGone ?? massGoneOf(env["ERPHOST_ALLOW_MASS_GONE"]),
    },
    intentsFolder: join(intentsRoot(surroundings), place),
    processes: systemProcesses(surroundings.pid),
    uuid: () => randomUUID(),
    nonce: () => randomBytes(12),
    warn,
    ...(importHint && { importHint }),
  });
}

const policies = ["warn", "error", "allow"] as const;

function sameNameOf(text: string | undefined): EngineOptions["sameName"] {
  if (text === undefined || text === "") return "warn";
  const policy = policies.find((known) => known === text);
  if (policy) return policy;
  throw new InvalidInput(
    "ERPHOST_SAME_NAME",
    [{ path: [], message: `is ${JSON.stringify(text)}` }],
    `Use one of ${policies.join(", ")}.`,
  );
}

function massGoneOf(text: string | undefined): boolean {
  if (text === undefined || text === "" || text === "false") return false;
  if (text === "true") return true;
  throw new InvalidInput(
    "ERPHOST_ALLOW_MASS_GONE",
    [{ path: [], message: `is ${JSON.stringify(text)}` }],
    "Use true or false.",
  );
}

/** Where all intents of this user are. */
export function intentsRoot({ env, platform }: Pick<Surroundings, "env" | "platform">): string {
  const given = env["ERPHOST_INTENTS_DIR"];
  if (given !== undefined && given !== "") return given;
  const home = homedir();
  const state =
    platform === "win32"
      ? (env["LOCALAPPDATA"] ?? join(home, "AppData", "Local"))
      : platform === "darwin"
        ? join(home, "Library", "Application Support")
        : (env["XDG_STATE_HOME"] ?? join(home, ".local", "state"));
  return join(state, "erphost", "intents");
}
