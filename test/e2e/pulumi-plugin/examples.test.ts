/** The examples of the plugin, in every language whose generator and host are available. */
import { readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import schema from "../../../schema.json";
import { startEmulator, type Emulator } from "../../../emulator";
import { PulumiStack } from "../../harness/pulumi-stack";
import { expectDone } from "../support/output";
import { installPlugin } from "../support/pulumi-plugin";
import {
  generatedSdk,
  generatorPath,
  installNodeSdk,
  installPythonSdk,
  pythonPackages,
} from "../support/pulumi-sdks";

const examples = join(__dirname, "..", "..", "..", "examples");
const generator = generatorPath();
const needsGenerator = generator === undefined ? test.skip : test;

/** The programs in the schema's descriptions, by resource. */
const describedIn = (language: string): [title: string, text: string][] => {
  const fenced = new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``);
  return Object.entries(schema.resources).map(([token, { description }]) => [
    token.split(":").at(-1) ?? "",
    fenced.exec(description)?.[1] ?? "",
  ]);
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
  /** Creates, plans nothing more, and destroys all but what is retained. */
  const expectLife = async (): Promise<Record<string, unknown>> => {
    expectDone(await stack.up());
    const outputs = await stack.outputs();
    expectDone(await stack.preview("--expect-no-changes"));
    expectDone(await stack.destroy());
    for (const kind of ["server", "instance"]) expect(emulator.objects(kind)).toEqual([]);
    return outputs;
  };

  test("the YAML example and the YAML programs of the schema run", async () => {
    await open("pulumi-yaml");
    const outputs = await expectLife();
    expect(outputs).toMatchObject({ instanceStatus: "running", runningBefore: [] });
    expect(outputs["stagingName"]).toMatch(/^staging-[0-9a-f]{7}$/);
    expect(outputs["pipelineKey"]).toMatch(/_test_/);

    const described = describedIn("yaml").map(([title, text]) =>
      text.replace("resources:\n  example:", `  ${title}:`),
    );
    expect(described.join("").match(/^ {2}[A-Z]\w+:/gm)).toHaveLength(described.length);
    const [name] = /^name:.*/m.exec(readFileSync(join(stack.program, "Pulumi.yaml"), "utf8")) ?? [];
    stack.write("Pulumi.yaml", `${name ?? ""}\nruntime: yaml\nresources:\n${described.join("")}`);
    expectDone(await stack.preview());
  });

  needsGenerator("the TypeScript example runs on the packed SDK", async () => {
    await open("pulumi-sdk");
    // They join the program, so that their types are checked together.
    const described = describedIn("typescript");
    for (const [title, text] of described) {
      expect(text).toContain(`new erphost.${title}(`);
      stack.write(`${title}.ts`, text);
    }
    const settings = JSON.parse(
      readFileSync(join(stack.program, "tsconfig.json"), "utf8"),
    ) as object;
    const files = ["index.ts", ...described.map(([title]) => `${title}.ts`)];
    stack.write("tsconfig.json", JSON.stringify({ ...settings, files }));
    await installNodeSdk(stack, generator ?? "");
    const outputs = await expectLife();
    expect(outputs["trialName"]).toMatch(/^trial-[0-9a-f]{7}$/);
    expect(outputs["pipelineKey"]).toMatch(/_test_/);
  });

  needsGenerator("the Python example runs on the wheel, which pip installs", async () => {
    const cached = await pythonPackages();
    if (cached === undefined) throw new Error("there is no Python 3 with pip on PATH");
    // As in an activated environment: the tests' Python host does not support the `virtualenv` option.
    const bin = await installPythonSdk(cached, await generatedSdk("python", generator ?? ""));
    const path = `${bin}${delimiter}${process.env["PATH"] ?? ""}`;
    await open("pulumi-python", { PATH: path });
    const outputs = await expectLife();
    expect(outputs).toMatchObject({ teamMembers: [{ email: "ada@example.com", role: "admin" }] });
    expect(outputs["permissions"]).toContain("admin");
  });
});
