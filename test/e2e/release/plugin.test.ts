/** What `npm run build:pulumi` builds, used as somebody who downloaded it does. */
import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { version } from "../../../package.json";
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
  let printed: { readonly stdout: string; readonly stderr: string };
  beforeAll(async () => {
    const build = [join(root, "scripts", "run.cjs"), "build:pulumi"];
    printed = await promisify(execFile)(process.execPath, build, { cwd: root });
  });

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

  (isSingle ? test : test.skip)("the released archive needs no Node.js", async () => {
    const bin = join(sharedFolder(), "bin");
    mkdirSync(bin);
    for (const name of ["pulumi", "pulumi-language-yaml"]) {
      symlinkSync(execFileSync("which", [name], { encoding: "utf8" }).trim(), join(bin, name));
    }
    const emulator = await openedEmulator();
    const { baseUrl, adminKey } = emulator;
    const env = { ERPHOST_BASE_URL: baseUrl, ERPHOST_API_KEY: adminKey, PATH: bin };
    const program = join(__dirname, "..", "pulumi-plugin", "programs");
    const stack = opened(await PulumiStack.create({ program, env }));
    stack.write("Pulumi.yaml", PROGRAM);
    const archive = `pulumi-resource-erphost-v${version}-linux-amd64.tar.gz`;
    await installPlugin(stack, join(built, archive));
    expect(expectDone(await stack.preview()).output).toMatch(/2 to create/);
    expectDone(await stack.up());
    expectDone(await stack.up("--expect-no-changes"));
    expectDone(await stack.destroy());
    expect(emulator.objects("server")).toEqual([]);
  });
});
