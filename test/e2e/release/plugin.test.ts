/** What `npm run build:pulumi` builds, used as somebody who downloaded it does. */
import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { Server, ServerCredentials } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { version } from "../../../package.json";
import type { Emulator } from "../../../emulator";
import { PulumiStack } from "../../harness/pulumi-stack";
import { sharedFolder } from "../../support/folder";
import { opened, openedEmulator } from "../support/opened";
import { expectDone } from "../support/output";
import { installPlugin } from "../support/pulumi-plugin";

const root = join(__dirname, "..", "..", "..");
const built = join(root, "dist", "pulumi-plugin");
const isSingle = process.platform === "linux" && process.arch === "x64";
const PROGRAM = `name: every-kind
runtime: yaml
resources:
  server: { type: "erphost:Server", properties: { name: shop } }
outputs: { id: "\${server.id}" }
`;

describe("what is released", () => {
  const folder = sharedFolder();
  const engine = new Server();
  let emulator: Emulator;
  let stack: PulumiStack;
  let printed: { readonly stdout: string; readonly stderr: string };

  const open = async (env: Record<string, string> = {}): Promise<void> => {
    const own = { ERPHOST_BASE_URL: emulator.baseUrl, ERPHOST_API_KEY: emulator.adminKey };
    const program = join(__dirname, "..", "pulumi-plugin", "programs");
    stack = opened(await PulumiStack.create({ program, env: { ...own, ...env } }));
    stack.write("Pulumi.yaml", PROGRAM);
  };
  beforeAll(async () => {
    emulator = await openedEmulator();
    const build = [join(root, "scripts", "run.cjs"), "build:pulumi"];
    printed = await promisify(execFile)(process.execPath, build, { cwd: root });
  });
  afterAll(() => engine.forceShutdown());

  test("the build prints what it made, and no warning of a tool", () => {
    const sums = readFileSync(join(built, `pulumi-resource-erphost-v${version}-checksums.txt`));
    for (const system of ["linux", "darwin", "windows"]) {
      for (const processor of ["amd64", "arm64"]) {
        const archive = `pulumi-resource-erphost-v${version}-${system}-${processor}.tar.gz`;
        expect(printed.stdout).toContain(archive);
        expect(String(sums)).toMatch(new RegExp(`^[0-9a-f]{64}  ${archive}$`, "m"));
      }
    }
    expect(printed.stdout + printed.stderr).not.toMatch(/warn/i);
  });

  (isSingle ? test : test.skip)(
    "the released archive needs no Node.js, and moves a stack",
    async () => {
      const bin = join(folder, "bin");
      mkdirSync(bin);
      for (const name of ["pulumi", "pulumi-language-yaml"]) {
        symlinkSync(execFileSync("which", [name], { encoding: "utf8" }).trim(), join(bin, name));
      }
      await open({ PATH: bin });
      const archive = `pulumi-resource-erphost-v${version}-linux-amd64.tar.gz`;
      await installPlugin(stack, join(built, archive));
      expect(expectDone(await stack.preview()).output).toMatch(/2 to create/);
      expectDone(await stack.up());

      const plugins = join(stack.env["PULUMI_HOME"] ?? "", "plugins");
      const program = join(plugins, `resource-erphost-v${version}`, "pulumi-resource-erphost");
      const { stdout } = await stack.run("stack", "export");
      const dynamic = stdout.replaceAll("erphost:index:", "pulumi-nodejs:dynamic/erphost:");
      const moved = String(execFileSync(program, ["move"], { env: { PATH: bin }, input: dynamic }));
      expect(moved).not.toMatch(/dynamic/);
      stack.write("moved.json", moved);
      expectDone(await stack.run("stack", "import", "--file", "moved.json"));
      expectDone(await stack.up("--expect-no-changes"));
      expectDone(await stack.destroy());
      expect(emulator.objects("server")).toEqual([]);
    },
  );

  test("the hosted folder runs in Pulumi's Node.js plugin host", async () => {
    await open();
    const hosted = join(folder, "hosted");
    cpSync(join(built, "hosted"), hosted, { recursive: true });
    // As `npm install` does, which Pulumi runs there.
    symlinkSync(join(root, "node_modules"), join(hosted, "node_modules"), "junction");
    const credentials = ServerCredentials.createInsecure();
    const port = await promisify(engine.bindAsync.bind(engine))("127.0.0.1:0", credentials);
    const host = require.resolve("@pulumi/pulumi/cmd/run-plugin");
    /** A plugin for each command, as Pulumi ends them with a cancel. */
    const run = async (...words: string[]): Promise<string> => {
      const plugin = spawn(process.execPath, [host, hosted, `127.0.0.1:${port}`], {
        cwd: folder,
        env: stack.env,
        stdio: ["ignore", "pipe", "inherit"],
      });
      const [line] = (await once(plugin.stdout, "data")) as [Buffer];
      stack.env["PULUMI_DEBUG_PROVIDERS"] = `erphost:${String(line).trim()}`;
      try {
        return expectDone(await stack.run(...words)).output;
      } finally {
        plugin.kill("SIGKILL");
      }
    };
    await run("up", "--yes", "--skip-preview");
    expect(emulator.objects("server")).toHaveLength(1);
    await run("preview", "--expect-no-changes");
    await run("destroy", "--yes", "--skip-preview");
    expect(emulator.objects("server")).toEqual([]);
  });
});
