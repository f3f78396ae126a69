/** Executables as a release has them, but with a small stand-in for the packed Node.js. */
import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { zstdCompressSync } from "node:zlib";
import { checksum } from "../../../../scripts/release/archive";
import { OWN_PLATFORM } from "../../../../scripts/release/runtime/packages";
import { outcomeOf } from "../../../support/wait";
import { starterWith, type Contents } from "../../../../scripts/release/runtime/starter";

/** The stand-in runs the scripts with the Node.js that runs the tests. */
const node = Buffer.from(`#!/bin/sh\nexec ${process.execPath} "$@"\n`);

/** A Node.js as a package holds it, with any content. */
export const packedAs = (content: Buffer): NonNullable<Contents["node"]> => ({
  version: "26.0.0",
  size: content.length,
  sha256: checksum(content),
  content: zstdCompressSync(content),
});

/** Compiles to "compiled" and otherwise prints how it was started. */
const startScript = `const { argv, execPath, pid, env } = process;
if (argv[2] === "compile") process.stdout.write("compiled");
else if (argv[2] !== "check") {
  if (argv[3] === "exit") process.exit(Number(argv[4]));
  const fs = require("node:fs");
  const input = argv[3] === "read" ? fs.readFileSync(0, "utf8") : "";
  console.log(JSON.stringify({ words: argv.slice(2), pid, options: env.NODE_OPTIONS, input, folder: __dirname }));
  if (argv[2] === "remove") fs.rmSync(require("node:path").dirname(__dirname), { recursive: true });
}
`;

export const contents: Contents = {
  program: "terraform-provider-erphost",
  complaints: "stdout",
  needs: "22.19.0",
  patience: 30,
  node: packedAs(node),
  calls: [],
  answers: {},
  scripts: { "start.cjs": startScript },
};

export interface Report {
  readonly words: readonly string[];
  readonly pid: number;
  readonly options?: string;
  readonly input: string;
  readonly folder: string;
}

/** A folder with an executable and an empty cache. */
export class Bench {
  readonly folder = mkdtempSync(join(tmpdir(), "erphost-starter-"));
  readonly program = join(this.folder, "program");
  /** The user's own: one that ERPHOST_CACHE_DIR names is hashed at every start. */
  cache = join(this.folder, "cache", "erphost");

  static async with(changes: Partial<Contents> = {}): Promise<Bench> {
    const made = new Bench();
    await made.make(changes);
    return made;
  }

  async make(changes: Partial<Contents>): Promise<void> {
    rmSync(this.program, { force: true });
    writeFileSync(this.program, await starterWith(OWN_PLATFORM, { ...contents, ...changes }));
    chmodSync(this.program, 0o755);
  }

  fresh(): void {
    this.cache = join(mkdtempSync(join(this.folder, "cache-")), "erphost");
    mkdirSync(this.cache);
  }

  env(more: Readonly<Record<string, string>> = {}): Record<string, string> {
    const own = { TMPDIR: this.folder, XDG_CACHE_HOME: dirname(this.cache) };
    return { PATH: "/usr/bin:/bin", ...own, ...more };
  }

  start(words: readonly string[], options: SpawnOptions = {}): ChildProcess {
    return spawn(this.program, words, { env: this.env(), ...options });
  }

  async run(words: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
    return outcomeOf(this.start(words, { env: this.env(env), stdio: ["ignore", "pipe", "pipe"] }));
  }

  async report(words: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
    const { stdout, stderr, code } = await this.run(words, env);
    if (code !== 0) throw new Error(`it ended with ${String(code)}: ${stdout}${stderr}`);
    return { ...(JSON.parse(stdout) as Report), stderr }; // The script above wrote it.
  }

  /** Every file that was unpacked, by its name, with its path. */
  files(): Record<string, string> {
    return Object.fromEntries(
      readdirSync(join(this.cache, "runtime"), { recursive: true, withFileTypes: true })
        .filter((each) => !each.isDirectory())
        .map(({ name, parentPath }) => [name, join(parentPath, name)]),
    );
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
