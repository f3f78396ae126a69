/** The plugin as files: the starter on odd machines, and archives that tar can read. */
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stop } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { bundlePlugin } from "../../scripts/pulumi-plugin/bundle";
import { hostedFiles, launcherFiles, PROGRAM } from "../../scripts/pulumi-plugin/launcher";
import { tarball } from "../../scripts/pulumi-plugin/tar";

const root = join(__dirname, "..", "..");
const folder = mkdtempSync(join(tmpdir(), "erphost-packaging-"));
const plugin = join(folder, "a folder with spaces");
const program = join(plugin, PROGRAM);

beforeAll(async () => {
  mkdirSync(plugin);
  const bundle = await bundlePlugin(root, "1.2.3");
  for (const { name, content, executable } of launcherFiles(bundle)) {
    writeFileSync(join(plugin, name), content, { mode: executable ? 0o755 : 0o644 });
  }
});
afterAll(async () => {
  await stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The first line of a program that then goes on. */
function firstLine(path: string): Promise<string> {
  const child = spawn(path, ["127.0.0.1:1"], { stdio: ["pipe", "pipe", "inherit"] });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.stdout.once("data", (chunk: Buffer) => {
      // Without Pulumi at the other end it leaves by itself.
      child.stdin.end();
      child.once("exit", () => resolve(chunk.toString()));
    });
  });
}

describe("the starter", () => {
  it("prints the port first, and leaves when Pulumi is gone", async () => {
    expect(await firstLine(program)).toMatch(/^[1-9][0-9]{2,4}\n$/);
  });

  it("says in one sentence which Node.js it needs where there is none", () => {
    const bare = { PATH: "/usr/bin:/bin", ERPHOST_NODE: "no-such-node" };
    const { status, stderr } = spawnSync(program, { env: bare, encoding: "utf8" });
    expect(status).toBe(1);
    expect(stderr).toBe(
      `${PROGRAM} needs Node.js 22.19 or later, and there is no no-such-node on PATH. Install it, or name one in ERPHOST_NODE.\n`,
    );
  });

  it("says so as well where Node.js is older", () => {
    const old = join(folder, "old-node");
    // What a process of Node.js 20 says of itself, in front of the launcher's own test.
    const fake = `Object.defineProperty(process.versions, "node", { value: "20.11.0" });
Object.defineProperty(process, "version", { value: "v20.11.0" });
require(process.argv[1]);`;
    writeFileSync(old, `#!/bin/sh\nexec "${process.execPath}" -e '${fake}' "$@"\n`);
    chmodSync(old, 0o755);
    const env = { ...process.env, ERPHOST_NODE: old };
    const { status, stderr } = spawnSync(program, { env, encoding: "utf8" });
    expect(status).toBe(1);
    expect(stderr).toMatch(/needs Node\.js 22\.19 or later, and .* is v20\.11\.0\./);
  });
});

describe("the archive", () => {
  it("is one that tar reads, with what runs marked so, and the same every time", () => {
    const files = launcherFiles("bundle");
    const bytes = tarball(files);
    expect(tarball(files).equals(bytes)).toBe(true);
    const { stdout } = spawnSync("tar", ["-tvzf", "-"], { input: bytes, encoding: "utf8" });
    const lines = stdout.trim().split("\n");
    expect(lines).toHaveLength(files.length);
    expect(lines[0]).toMatch(new RegExp(`^-rwxr-xr-x .* ${PROGRAM}$`));
    expect(lines.at(-1)).toMatch(/^-rw-r--r-- .* provider\.cjs$/);
  });

  it("holds no description that would make an install run npm; the hosted folder does", () => {
    const names = (files: readonly { name: string }[]) => files.map(({ name }) => name);
    expect(names(launcherFiles(""))).not.toContain("PulumiPlugin.yaml");
    expect(names(hostedFiles("", "1.2.3"))).toContain("PulumiPlugin.yaml");
  });
});
