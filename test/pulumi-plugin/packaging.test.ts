/** The plugin as files: the starter on odd machines, and archives that tar can read. */
import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, symlinkSync, writeFileSync } from "node:fs";
import { connect, createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { stop } from "esbuild";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { tarball, writeEntries, zip } from "../../scripts/release/archive";
import { bundle, PULUMI_ENTRY, TERRAFORM_ENTRY } from "../../scripts/release/bundle";
import {
  hostedFiles,
  PULUMI_PROGRAM,
  pulumiFiles,
  TERRAFORM_PROGRAM,
  terraformFiles,
} from "../../scripts/release/launcher";
import { generateSdk } from "../../scripts/release/sdks/generate";
import { sharedFolder } from "../support/folder";
import { pause, until } from "../support/wait";

const root = join(__dirname, "..", "..");
const folder = sharedFolder();
const plugin = join(folder, "a folder with spaces");
const program = join(plugin, PULUMI_PROGRAM);
const provider = join(folder, `${TERRAFORM_PROGRAM}_v1.2.3`);
const hosted = join(folder, "hosted");

beforeAll(async () => {
  const source = await bundle(PULUMI_ENTRY);
  writeEntries(plugin, pulumiFiles(source));
  writeEntries(hosted, hostedFiles(source, "1.2.3", "3"));
  writeEntries(folder, terraformFiles(await bundle(TERRAFORM_ENTRY), "1.2.3"));
  // As `npm install` does, which Pulumi runs there.
  symlinkSync(join(root, "node_modules"), join(hosted, "node_modules"), "junction");
});
afterAll(() => stop());

/** The port is the first that a plugin says. */
const portOf = async ({ stdout }: ChildProcess): Promise<number> => {
  if (!stdout) throw new Error("no output is kept");
  const [line] = (await once(stdout, "data")) as [Buffer];
  expect(String(line)).toMatch(/^[1-9][0-9]{2,4}\n$/);
  return Number(line);
};

const isServed = (port: number): Promise<boolean> => {
  const socket = connect({ host: "127.0.0.1", port });
  return new Promise<boolean>((resolve) => {
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
  }).finally(() => socket.destroy());
};

const expectEnd = (port: number) => until(async () => !(await isServed(port)));

describe("a plugin at work", () => {
  const engine = createServer((socket) => socket.on("error", () => undefined).resume());
  const address = () => `127.0.0.1:${(engine.address() as AddressInfo).port}`;
  beforeEach(() => once(engine.listen(0, "127.0.0.1"), "listening"));
  afterEach(() => void engine.close());

  test("the plugin prints its port first, and exits when its input ends", async () => {
    const child = spawn(program, [address()], { stdio: ["pipe", "pipe", "inherit"] });
    const port = await portOf(child);
    child.stdin.end();
    await expectEnd(port);
  });

  test("the plugin needs no input, alone and under Pulumi's Node.js host, and exits when the host is killed or Pulumi's engine is gone", async () => {
    const options: SpawnOptions = { cwd: folder, stdio: ["ignore", "pipe", "inherit"] };
    const host = require.resolve("@pulumi/pulumi/cmd/run-plugin");
    const alone = spawn(program, [address()], options);
    const within = spawn(process.execPath, [host, hosted, address()], options);
    const [own, served] = await Promise.all([portOf(alone), portOf(within)]);
    await pause(1_500);
    expect([await isServed(own), await isServed(served)]).toEqual([true, true]);
    within.kill("SIGKILL");
    await expectEnd(served);
    expect(await isServed(own)).toBe(true);
    engine.close();
    await expectEnd(own);
  });
});

test.each([
  ["--version", /^\d+\.\d+\.\d+\S*\n$/],
  ["--help", /^Pulumi starts this plugin by itself.* --version$/ms],
])("the plugin answers %s and exits, instead of serving for ever", (option, said) => {
  const { stdout, status } = spawnSync(program, [option], { encoding: "utf8", timeout: 20_000 });
  expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(said) });
});

test.each([
  [PULUMI_PROGRAM, program, "stderr"],
  [TERRAFORM_PROGRAM, provider, "stdout"],
])("without Node.js, the starter of %s says what it needs", (name, path, stream) => {
  const said = `${name} needs Node.js 22.19.0 or later, and there is no no-such-node on PATH. Install it, or name one in ERPHOST_NODE.\n`;
  const env = { PATH: "/usr/bin:/bin", ERPHOST_NODE: "no-such-node" };
  const ended = spawnSync(path, { env, encoding: "utf8" });
  expect(ended).toMatchObject({ status: 1, [stream]: said });
});

test("the starter starts Terraform's provider with a Node.js that is new enough", () => {
  const env = { PATH: "/usr/bin:/bin", ERPHOST_NODE: process.execPath };
  const { stderr, status } = spawnSync(provider, { env, encoding: "utf8" });
  expect(status).toBe(1);
  expect(stderr).toContain("This is a provider plugin for Terraform and OpenTofu");
});

test("with an older Node.js, the starter says which version it needs", () => {
  const old = join(folder, "old-node");
  // What a process of Node.js 20 says of itself, in front of the launcher's own test.
  const fake = `Object.defineProperty(process.versions, "node", { value: "20.11.0" });
Object.defineProperty(process, "version", { value: "v20.11.0" });
require(process.argv[1]);`;
  writeFileSync(old, `#!/bin/sh\nexec "${process.execPath}" -e '${fake}' "$@"\n`);
  chmodSync(old, 0o755);
  const env = { ...process.env, ERPHOST_NODE: old };
  const ended = spawnSync(program, { env, encoding: "utf8" });
  const said = /needs Node\.js 22\.19\.0 or later, and .* is v20\.11\.0\./;
  expect(ended).toMatchObject({ status: 1, stderr: expect.stringMatching(said) });
});

test.each([
  ["by default", {}, true],
  ["not in a pipeline", { CI: "true" }, false],
  ["not where jobs hand a cache on", { ERPHOST_CACHE_DIR: "handed-on" }, false],
])("the starter keeps compiled code in the user's own cache: %s", (name, more, isKept) => {
  const cache = join(folder, name);
  const none = { CI: undefined, ERPHOST_CACHE_DIR: undefined, NODE_COMPILE_CACHE: undefined };
  const env = { ...process.env, ...none, XDG_CACHE_HOME: cache, ...more };
  expect(spawnSync(program, ["--version"], { env }).status).toBe(0);
  expect(existsSync(join(cache, "erphost", "compiled"))).toBe(isKept);
});

test("on Windows, the starter looks for a path as a file before it looks for a name on PATH", () => {
  const { content } = pulumiFiles("").find(({ name }) => name.endsWith(".cmd")) ?? {};
  const lines = String(content).split("\r\n");
  const at = (line: string): number => lines.findIndex((each) => each.startsWith(line));
  expect(at('if exist "%ERPHOST_NODE%" goto found')).toBeGreaterThan(0);
  expect(at('where "%ERPHOST_NODE%"')).toBe(at('if exist "%ERPHOST_NODE%" goto found') + 1);
  expect(at(":found")).toBeGreaterThan(at("exit /b 1"));
  expect(String(content)).not.toMatch(/[()]/);
});

test("no character of a bundle needs more than the one byte that it is kept in", async () => {
  for (const entry of [PULUMI_ENTRY, TERRAFORM_ENTRY]) {
    expect(/[\u0100-\uffff]/.exec(await bundle(entry))?.[0]).toBeUndefined();
  }
});

test("tar reads the archive, which is the same every time and marks executables", () => {
  const files = pulumiFiles("bundle");
  const bytes = tarball(files);
  expect(tarball(files).equals(bytes)).toBe(true);
  const { stdout } = spawnSync("tar", ["-tvzf", "-"], { input: bytes, encoding: "utf8" });
  const lines = stdout.trim().split("\n");
  expect(lines).toHaveLength(files.length);
  expect(lines[0]).toMatch(new RegExp(`^-rwxr-xr-x .* ${PULUMI_PROGRAM}$`));
  expect(lines.at(-1)).toMatch(/^-rw-r--r-- .* provider\.cjs$/);
});

test("a zip is the same in every time zone, and marks executables", () => {
  const files = pulumiFiles("bundle");
  const bytes = zip(files);
  const program = `
      const { zip } = require("./scripts/release/archive");
      const { pulumiFiles } = require("./scripts/release/launcher");
      zip(pulumiFiles("bundle")).toString("hex")`;
  const env = { ...process.env, TZ: "Pacific/Kiritimati" };
  const words = ["-r", "ts-node/register", "-p", program];
  const { stdout } = spawnSync(process.execPath, words, { env, encoding: "utf8" });
  expect(stdout.trim()).toBe(bytes.toString("hex"));
  // Of each entry of the directory, what Unix knows of the file.
  const modes = [...bytes.toString("latin1").matchAll(/PK\x01\x02[^]{36}([^]{2})/g)].map(
    ([, mode = ""]) => Buffer.from(mode, "latin1").readUInt16LE(),
  );
  expect(modes).toEqual(files.map(({ executable }) => (executable ? 0o100755 : 0o100644)));
});

test("only the hosted folder has the description that makes an install run npm", () => {
  const names = (files: readonly { name: string }[]) => files.map(({ name }) => name);
  expect(names(pulumiFiles(""))).not.toContain("PulumiPlugin.yaml");
  expect(names(hostedFiles("", "1.2.3", "3"))).toContain("PulumiPlugin.yaml");
});

test("an SDK whose generator is missing fails with its name and how to get it", async () => {
  const making = generateSdk("python", "schema.json", join(folder, "sdk"), { PATH: folder });
  await expect(making).rejects.toThrow(
    /^The python SDK needs the generator pulumi-sdk-gen, which is not on PATH\. Run `npm run engines -- pulumi-sdk-gen` once/,
  );
});
