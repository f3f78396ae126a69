/** The plugin's methods in this process, on an emulator or on nothing at all. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { snake } from "../../provider/contract";
import type { LogMessage } from "../../provider/pulumi/plugin/host";
import { Session } from "../../provider/pulumi/plugin/session";
import { typeToken } from "../../provider/pulumi/plugin/values/tokens";
import { kinds, type Kind } from "../../provider/resources";
import { check, diff } from "./wire";

export type Properties = Record<string, unknown>;

export interface Plugin {
  readonly session: Session;
  /** What the person was shown. */
  readonly messages: LogMessage[];
  /** How many creates have an intent, for a run after a crash. */
  intentCount(): number;
  close(): Promise<void>;
}

const NOWHERE = "https://erp.example.com/v1";
const KEY = "erp_test_0123456789abcdef0123456789abcdef";

/**
 * @param given settings; without an address no call succeeds, and planning makes none
 * @param env variables of its process
 */
export function openPlugin(
  given: { baseUrl?: string; apiKey?: string } = {},
  env: Readonly<Record<string, string>> = {},
): Plugin {
  const folder = mkdtempSync(join(tmpdir(), "erphost-plugin-"));
  const messages: LogMessage[] = [];
  const host = {
    log: (message: LogMessage) => void messages.push(message),
    flushed: () => Promise.resolve(),
    close: () => undefined,
  };
  const { pid, platform } = process;
  const session = new Session(host, {
    env: { ERPHOST_INTENTS_DIR: folder, ...env },
    cwd: folder,
    pid,
    platform,
  });
  session.configure({ baseUrl: NOWHERE, apiKey: KEY, ...given });
  return {
    session,
    messages,
    intentCount: () =>
      readdirSync(folder, { recursive: true })
        .map((name) => join(folder, String(name)))
        .filter((file) => file.endsWith(".json"))
        .filter((file) => readFileSync(file, "utf8").includes('"operation":"create"')).length,
    close: async () => {
      await session.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The kind of a contract name. */
export function kindOf(name: string): Kind {
  const kind = kinds[name];
  if (!kind) throw new Error(`there is no kind ${name}`);
  return kind;
}

export const urnOf = (kind: Kind, name = "it"): string =>
  `urn:pulumi:dev::project::${typeToken(kind)}::${name}`;

/** Outputs as `pulumi up` leaves them when the service answers what it was sent. */
export function outputsOf(inputs: Properties): Properties {
  const account = { baseUrl: NOWHERE, environment: "test" };
  const state = { account, profile: "none", managed: Object.keys(inputs).map(snake), echo: {} };
  return { ...inputs, __state: JSON.stringify(state) };
}

/** A diff's whole answer; `paths`: path → kind of its change. */
export async function diffAnswerOf(
  { session }: Plugin,
  kind: Kind,
  olds: Properties,
  news: Properties,
) {
  const response = await diff(session, { urn: urnOf(kind), id: "id_1", olds, news });
  const paths: Record<string, number> = {};
  response.getDetaileddiffMap().forEach((entry, path) => (paths[path] = entry.getKind()));
  return {
    paths,
    changes: response.getChanges(),
    diffs: response.getDiffsList(),
    replaces: response.getReplacesList(),
    deleteBeforeReplace: response.getDeletebeforereplace(),
  };
}

/** Path → kind of its change, as Pulumi sees it. */
export const diffOf = async (...request: Parameters<typeof diffAnswerOf>) =>
  (await diffAnswerOf(...request)).paths;

/** A check's answer: failures by property, and the inputs. */
export async function checkOf(
  { session }: Plugin,
  kind: Kind,
  news: Properties,
  more: Properties = {},
) {
  const request = { urn: urnOf(kind), news, randomseed: Buffer.alloc(32, 7), ...more };
  const response = await check(session, request);
  return {
    failures: Object.fromEntries(
      response.getFailuresList().map((failure) => [failure.getProperty(), failure.getReason()]),
    ),
    inputs: (response.getInputs()?.toJavaScript() ?? {}) as Properties,
  };
}
