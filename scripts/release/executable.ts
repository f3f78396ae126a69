/** A plugin as one executable: Node.js itself with the bundle and its compiled form inside. */
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runProgram } from "../bootstrap/programs.cjs";

/** Marks where Node.js looks for an injected program. */
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";
const STEP_MS_MAX = 5 * 60_000;

/** Runs the bundle from its compiled form; a Node.js that cannot use that compiles it again. */
const STARTER = `"use strict";
const { getRawAsset } = require("node:sea");
const { Script } = require("node:vm");
const source = Buffer.from(getRawAsset("bundle")).latin1Slice();
const script = new Script(
  "(function (exports, require, module, __filename, __dirname) {" + source + "\\n})",
  { filename: "provider.cjs", cachedData: Buffer.from(getRawAsset("compiled")) },
);
script.runInThisContext()(exports, require, module, __filename, __dirname);
`;

/** How a plugin is run once, so that its functions are compiled when the executable starts. */
export interface WarmUp {
  readonly args: readonly string[];
  /** A regular expression whose group is the port or socket in the first line of output. */
  readonly address: string;
  /** gRPC calls: the path, and the message in Base64. */
  readonly calls: readonly (readonly [path: string, message: string])[];
}

/** Pulumi's plugin prints its port; these calls take empty messages. */
export const pulumiWarmUp: WarmUp = {
  args: [],
  address: "^([0-9]+)",
  calls: ["GetPluginInfo", "GetSchema", "CheckConfig", "Configure"].map((name) => [
    `/pulumirpc.ResourceProvider/${name}`,
    "",
  ]),
};

/** The only platform an executable is made for: it is a copy of the Node.js that runs this. */
export const canMakeExecutable = process.platform === "linux" && process.arch === "x64";

/** About 125 MB. The bundle may need no other file. */
export async function executable(bundle: string, warmUp: WarmUp): Promise<Buffer> {
  const work = mkdtempSync(join(tmpdir(), "erphost-executable-"));
  const file = (name: string): string => join(work, name);
  try {
    writeFileSync(file("bundle.cjs"), bundle, "latin1");
    writeFileSync(file("warm-up.json"), JSON.stringify(warmUp));
    const warm = [file("bundle.cjs"), file("warm-up.json"), file("compiled")];
    await node(work, join(__dirname, "warm.cjs"), ...warm);
    writeFileSync(file("starter.cjs"), STARTER);
    const config = {
      main: file("starter.cjs"),
      output: file("blob"),
      disableExperimentalSEAWarning: true,
      useCodeCache: true,
      // NODE_OPTIONS is meant for other programs.
      execArgvExtension: "none",
      // Thousands of short calls leave a lot of short-lived garbage.
      execArgv: ["--max-semi-space-size=32", "--min-semi-space-size=16"],
      assets: { bundle: file("bundle.cjs"), compiled: file("compiled") },
    };
    writeFileSync(file("sea.json"), JSON.stringify(config));
    await node(work, "--experimental-sea-config", file("sea.json"));
    copyFileSync(process.execPath, file("program"));
    chmodSync(file("program"), 0o755);
    // In a separate process, because it prints warnings that mean nothing here.
    const inject = [file("program"), "NODE_SEA_BLOB", file("blob"), "--sentinel-fuse", FUSE];
    await node(work, require.resolve("postject/dist/cli.js"), ...inject);
    return readFileSync(file("program"));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Runs Node.js; its output matters only where it fails. */
async function node(cwd: string, ...args: readonly string[]): Promise<void> {
  const options = { cwd, env: process.env, timeoutMs: STEP_MS_MAX };
  const { code, output } = await runProgram(process.execPath, args, options);
  if (code !== 0) throw new Error(`the executable could not be made:\n${output}`);
}
