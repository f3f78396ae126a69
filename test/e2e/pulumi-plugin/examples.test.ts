/** The examples of the plugin, in every language whose generator and host are there. */
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import { PulumiStack, type CommandResult } from "../../../scripts/support/pulumi-stack";
import { installPlugin } from "../support/pulumi-plugin";
import {
  generatedSdk,
  generatorPath,
  installPythonSdk,
  linkNodeSdk,
  pythonEnvironment,
} from "../support/pulumi-sdks";

const examples = join(__dirname, "..", "..", "..", "examples");
const generator = generatorPath();
const python = generator === undefined ? undefined : pythonEnvironment();

const expectDone = ({ code, output }: CommandResult): string => {
  if (code !== 0) throw new Error(`exit code ${String(code)}\n${output}`);
  expect(code).toBe(0);
  return output;
};

describe("the examples", () => {
  let emulator: Emulator;
  let stack: PulumiStack;
  beforeEach(async () => {
    emulator = await startEmulator({ provisionMs: 50 });
  });
  afterEach(async () => {
    stack.remove();
    await emulator.close();
  });

  const open = async (name: string, env: Record<string, string> = {}): Promise<void> => {
    stack = await PulumiStack.create({
      program: join(examples, name),
      env: { ERPHOST_BASE_URL: emulator.baseUrl, ERPHOST_API_KEY: emulator.adminKey, ...env },
    });
    await installPlugin(stack);
  };
  /** Made, nothing to do, and gone but for what is retained. */
  const expectLife = async (): Promise<Record<string, unknown>> => {
    expectDone(await stack.up());
    const outputs = await stack.outputs();
    expectDone(await stack.preview("--expect-no-changes"));
    expectDone(await stack.destroy());
    for (const kind of ["server", "instance"]) expect(emulator.objects(kind)).toEqual([]);
    return outputs;
  };

  it("YAML", async () => {
    await open("pulumi-yaml");
    const outputs = await expectLife();
    expect(outputs).toMatchObject({ instanceStatus: "running", runningBefore: [] });
    expect(outputs["stagingName"]).toMatch(/^staging-[0-9a-f]{7}$/);
    expect(outputs["pipelineKey"]).toMatch(/_test_/);
  });

  (generator === undefined ? it.skip : it)("TypeScript on the generated SDK", async () => {
    await open("pulumi-sdk");
    linkNodeSdk(stack, await generatedSdk("nodejs", generator ?? ""));
    const outputs = await expectLife();
    expect(outputs["trialName"]).toMatch(/^trial-[0-9a-f]{7}$/);
    expect(outputs["pipelineKey"]).toMatch(/_test_/);
  });

  (python === undefined ? it.skip : it)("Python on the generated SDK", async () => {
    // As in an activated environment; the host that the tests have knows no `virtualenv` option.
    const path = `${join(python ?? "", "bin")}${delimiter}${process.env["PATH"] ?? ""}`;
    const sdk = installPythonSdk(python ?? "", await generatedSdk("python", generator ?? ""));
    await open("pulumi-python", { PYTHONPATH: sdk, PATH: path });
    const outputs = await expectLife();
    expect(outputs).toMatchObject({ teamMembers: [{ email: "ada@example.com", role: "admin" }] });
    expect(outputs["permissions"]).toContain("admin");
  });
});
