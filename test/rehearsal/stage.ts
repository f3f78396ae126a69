/** Where a rehearsal takes place: its folder, its emulator, and what was found, row by row. */
import { lstatSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ask } from "../support/ask";
import { say } from "../../scripts/bootstrap/progress.cjs";
import { stopProgram, untilReady } from "../harness/servers";
import { table } from "../support/command-line";
import type { Installation } from "../support/figures";
import type { NodeRelease, Registries } from "./registries/all";
import { Stranger, type Belongings, type Program } from "./stranger";

export interface Attempt {
  readonly face: string;
  /** Such as `linux-x64, Node.js 22.19.0`. */
  readonly platform: string;
  /** What a person types to install it. */
  readonly command: string;
  /** @returns the folder whose size counts */
  readonly install?: () => Promise<string>;
  /** @returns what was seen to work, in a few words @throws Error if it does not work */
  readonly use: () => Promise<string>;
}

export const SYSTEM = `${process.platform}-${process.arch}`;

export class Stage {
  readonly rows: Row[] = [];
  #strangers = 0;
  #host: Promise<Stranger> | undefined;

  /** @param folder everything that is written is below it */
  constructor(
    readonly folder: string,
    readonly registries: Registries,
  ) {}

  /** Somebody new, with an npm that asks the registry that runs here. */
  async stranger(release: NodeRelease, belongings: Partial<Belongings> = {}): Promise<Stranger> {
    const { programs, env = {} } = belongings;
    const { address } = await this.registries.npm();
    this.#strangers += 1;
    const place = join(this.folder, "strangers", String(this.#strangers));
    mkdirSync(place, { recursive: true });
    const all = { ...programsOf(release), ...programs };
    const stranger = new Stranger(place, { programs: all, env });
    stranger.writeAtHome(".npmrc", `registry=${address}\naudit=false\nfund=false\n`);
    return stranger;
  }

  /** What somebody does with a new emulator, which the installed package runs. */
  async withEmulator(
    stranger: Stranger,
    use: (emulator: Awaited<ReturnType<typeof startPackedEmulator>>) => Promise<string>,
  ): Promise<string> {
    this.#host ??= this.registries.newest().then(async (release) => {
      const host = await this.stranger(release);
      await installErphost(host);
      return host;
    });
    const emulator = await startPackedEmulator(await this.#host);
    try {
      Object.assign(stranger.env, emulator.env);
      return await use(emulator);
    } finally {
      await emulator.stop();
    }
  }

  /** Tries one thing, and notes what came of it. */
  async attempt({ face, platform, command, install, use }: Attempt): Promise<void> {
    say(`${face}: ${command} (${platform}) …`);
    const startedAtMs = Date.now();
    let weight: { seconds?: number; megabytes?: number } = {};
    const note = (outcome: Row["outcome"], seen: string): void => {
      this.rows.push({ face, platform, command, ...weight, outcome, seen });
      const seconds = Math.round((Date.now() - startedAtMs) / 1000);
      say(`${face}: ${outcome}, ${seconds} s${outcome === "fails" ? `: ${seen}` : ""}`);
    };
    try {
      if (install) {
        const folder = await install();
        const seconds = round((Date.now() - startedAtMs) / 1000);
        weight = { seconds, megabytes: round(sizeOf(folder) / 1e6) };
      }
      note("works", await use());
    } catch (error) {
      note("fails", error instanceof Error ? error.message : String(error));
    }
  }
}

/** A new project with the package, as its page says. */
async function installErphost(stranger: Stranger): Promise<void> {
  await stranger.run("npm", "init", "--yes");
  await stranger.run("npm", "install", "erphost");
}

const round = (value: number): number => Math.round(value * 10) / 10;

function programsOf({ node, npm }: NodeRelease): Record<string, Program> {
  const script = (name: string): Program => ({
    script: `#!/bin/sh\nexec "${node}" "${join(npm, "bin", `${name}-cli.js`)}" "$@"\n`,
  });
  return { node: { file: node }, npm: script("npm"), npx: script("npx") };
}

/** Bytes of all files below a folder; one with several names counts once. */
function sizeOf(folder: string): number {
  const seen = new Set<number>();
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => lstatSync(join(parentPath, name)))
    .filter(({ ino }) => !seen.has(ino) && seen.add(ino))
    .reduce((sum, { size }) => sum + size, 0);
}

/** The line that is meant to be pasted into a shell. */
const ADDRESS = /^export ERPHOST_BASE_URL=(\S+) ERPHOST_API_KEY=(\S+)/m;

/** Started as the documentation says. @param stranger whose project has the package */
async function startPackedEmulator(stranger: Stranger) {
  const words = ["erphost", "emulator", "--port", "0", "--provision-ms", "50"];
  const running = stranger.start("npx", ...words);
  await untilReady("npx erphost emulator", running, async () => ADDRESS.test(running.output()));
  const [, baseUrl = "", key = ""] = ADDRESS.exec(running.output()) ?? [];
  const list = async (kind: string): Promise<readonly unknown[]> => {
    const response = await ask({ baseUrl, adminKey: key }, `GET /${kind}`);
    // The emulator's own answer, which its tests hold against the contract.
    const { data } = (await response.json()) as { data: readonly unknown[] };
    return data;
  };
  return {
    /** For whoever calls it. */
    env: { ERPHOST_BASE_URL: baseUrl, ERPHOST_API_KEY: key },
    /** @throws Error if a server or an instance is left */
    expectEmpty: async () => {
      for (const kind of ["servers", "instances"]) {
        const left = await list(kind);
        if (left.length > 0) throw new Error(`after the destroy, ${left.length} ${kind} are left`);
      }
    },
    stop: () => stopProgram(running),
  };
}

/** One line of the table, which the JSON file holds as it is. */
export type Row = Installation;

const COLUMNS = ["face", "platform", "command", "seconds", "MB", "outcome"] as const;

const cells = ({ face, platform, command, seconds, megabytes, outcome, seen }: Row) => [
  ...[face, platform, command],
  seconds?.toFixed(1) ?? "",
  megabytes?.toFixed(1) ?? "",
  outcome === "works" ? `works: ${seen}` : `fails: ${firstLine(seen)}`,
];

const firstLine = (text: string): string => text.trim().split("\n")[0] ?? "";

export const rowsTable = (rows: readonly Row[]): string => table(COLUMNS, rows.map(cells));

/** The failures in full, for whoever has to mend them. */
export const failures = (rows: readonly Row[]): readonly string[] =>
  rows
    .filter(({ outcome }) => outcome === "fails")
    .map(({ face, command, seen }) => `✗ ${face}: ${command}\n${seen.trim()}`);

/** The last line: `17 work, 1 fails`. */
export function countLine(rows: readonly Row[]): string {
  const failed = failures(rows).length;
  const worked = rows.length - failed;
  return `${worked} ${worked === 1 ? "works" : "work"}, ${failed} ${failed === 1 ? "fails" : "fail"}`;
}
