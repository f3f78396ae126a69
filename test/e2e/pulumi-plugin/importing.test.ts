/** Programs of `erphost import` for Pulumi, on the real engine. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import { erphost } from "../../cli/support";
import { PulumiStack } from "../../harness/pulumi-stack";
import { plantAnyAccount } from "../support/any-account";
import { expectDone } from "../support/output";
import { installPlugin } from "../support/pulumi-plugin";
import {
  generatedSdk,
  generatorPath,
  installNodeSdk,
  installPythonSdk,
  pythonPackages,
} from "../support/pulumi-sdks";

const generator = generatorPath();
const needsGenerator = generator === undefined ? test.skip : test;

describe("an account of whatever names is taken over by Pulumi in", () => {
  let emulator: Emulator;
  let count: number;
  let out: string;
  let stack: PulumiStack;
  let env: Record<string, string>;
  beforeEach(async () => {
    emulator = await startEmulator({ provisionMs: 0 });
    env = { ERPHOST_BASE_URL: emulator.baseUrl, ERPHOST_API_KEY: emulator.adminKey };
    out = mkdtempSync(join(tmpdir(), "erphost-import-"));
  });
  afterEach(async () => {
    stack.remove();
    rmSync(out, { recursive: true });
    await emulator.close();
  });

  const write = async (format: string, plant = plantAnyAccount): Promise<void> => {
    count = plant(emulator);
    const words = ["import", "--to", format, "--out", out, "--property", "*"];
    const { code, err } = await erphost(words, { env });
    if (code !== 0) throw new Error(err.join("\n"));
  };
  const open = async (more: Record<string, string> = {}): Promise<void> => {
    // As the guide says for large accounts: the state is written once.
    const all = { ...env, PULUMI_SKIP_CHECKPOINTS: "true", ...more };
    stack = await PulumiStack.create({ program: out, env: all });
    await installPlugin(stack);
  };
  /** Imports and no change; after that, nothing at all, and no write. */
  const expectTakenOver = async (): Promise<void> => {
    emulator.clearJournal();
    const preview = expectDone(await stack.preview("--diff"));
    expect(preview.output).toContain(` = ${count} to import`);
    // The stack itself is what is created.
    expect(preview.output).toMatch(/ \+ 1 to create/);
    expect(preview.output).not.toMatch(/ ~ [^\n]*|to (?:update|replace|delete)/);
    expectDone(await stack.up());
    expectDone(await stack.preview("--expect-no-changes"));
    expect(emulator.journal().filter(({ method }) => method !== "GET")).toEqual([]);
  };

  test("YAML", async () => {
    await write("pulumi-yaml");
    await open();
    await expectTakenOver();
  });

  test("YAML, by the file of pulumi import", async () => {
    await write("pulumi-yaml", () => {
      emulator.createObjects("server", [{ name: "main" }, { name: "main", region: "eu" }]);
      return emulator.createObjects("instance", { name: "${a}", server_id: "srv_2" }).length;
    });
    await open();
    const words = ["import", "--file", "import.json", "--generate-code=false", "--protect=false"];
    expectDone(await stack.run(...words, "--yes", "--skip-preview"));
    expectDone(await stack.preview("--expect-no-changes"));
  });

  needsGenerator("TypeScript, on the packed SDK", async () => {
    await write("pulumi-typescript");
    await open();
    await installNodeSdk(stack, generator ?? "");
    await expectTakenOver();
  });

  needsGenerator("Python, on the wheel", async () => {
    const cached = await pythonPackages();
    if (cached === undefined) throw new Error("there is no Python 3 with pip on PATH");
    await write("pulumi-python");
    expect(readdirSync(out)).toContain("requirements.txt");
    const bin = await installPythonSdk(cached, await generatedSdk("python", generator ?? ""));
    await open({ PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}` });
    // As in an activated environment: the tests' Python host does not support `virtualenv`.
    stack.write("Pulumi.yaml", "name: erphost\nruntime: python\n");
    await expectTakenOver();
  });
});
