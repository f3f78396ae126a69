/** The program of `erphost import --to cdktf`, compiled, synthesised and run on a real engine. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import { erphost } from "../../cli/support";
import {
  buildMirror,
  hasEngine,
  TerraformWorkspace,
  type EngineName,
} from "../../harness/terraform-workspace";
import { plantAnyAccount } from "../support/any-account";
import { expectDone } from "../support/output";

const root = join(__dirname, "../../..");

/** The packages that the program's own `npm install` would bring. */
function linkPackages(program: string): void {
  const packages = ["cdktf", "constructs", "@types", "typescript"];
  const links = packages.map((name) => [name, join(root, "node_modules", name)] as const);
  for (const [name, target] of [["erphost", root] as const, ...links]) {
    const place = join(program, "node_modules", name);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(target, place, "junction");
  }
}

function run(program: string, words: readonly string[], env: NodeJS.ProcessEnv = {}): void {
  const { status, stdout, stderr } = spawnSync(process.execPath, words, {
    cwd: program,
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
  if (status !== 0) throw new Error(`${words.join(" ")}:\n${stdout}${stderr}`);
}

describe.each<EngineName>(["terraform"])("a CDKTF program that takes over an account", (engine) => {
  const testWithEngine = hasEngine(engine) ? test : test.skip;
  let emulator: Emulator;
  let here: TerraformWorkspace;
  let out: string;
  let count: number;

  beforeAll(async () => {
    buildMirror();
    emulator = await startEmulator({ provisionMs: 0 });
    count = plantAnyAccount(emulator);
    out = mkdtempSync(join(tmpdir(), "erphost-import-"));
    const env = { ERPHOST_BASE_URL: emulator.baseUrl, ERPHOST_API_KEY: emulator.adminKey };
    here = await TerraformWorkspace.create({ engine, env }, "");
  });
  afterAll(async () => {
    here.remove();
    rmSync(out, { recursive: true });
    await emulator.close();
  });

  testWithEngine(
    "compiles whatever names there are, plans imports alone, and nothing after the apply",
    async () => {
      const words = ["import", "--to", "cdktf", "--out", out, "--property", "*"];
      expect(await erphost(words, { env: here.env })).toMatchObject({ code: 0 });
      linkPackages(out);
      run(out, [require.resolve("typescript/bin/tsc")]);
      // cdktf asks for the engine's version once for every object, and gets the same answer.
      const [version] = /\d+\.\d+\.\d+/.exec((await here.run("version")).output) ?? [];
      run(out, ["main.js"], { TERRAFORM_BINARY_NAME: `echo ${String(version)}` });
      const synthesised = join(out, "cdktf.out/stacks/erphost/cdk.tf.json");
      here.write("cdk.tf.json", readFileSync(synthesised, "utf8"));
      expectDone(await here.run("init"));
      const planned = expectDone(await here.run("plan", "-out=plan.bin"));
      expect(planned.output).toContain(`${count} to import, 0 to add, 0 to change, 0 to destroy`);
      emulator.clearJournal();
      expectDone(await here.run("apply", "plan.bin"));
      expectDone(await here.plan());
      expect(emulator.journal().every(({ method }) => method === "GET")).toBe(true);
    },
  );
});
