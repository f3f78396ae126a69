/** Programs on the generated SDKs, each of which is made once: examples, imports and a move. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import type { PulumiStack } from "../../harness/pulumi-stack";
import { describedIn, EXAMPLES } from "../support/described";
import { expectDone } from "../support/output";
import { openStack, pluginFolder } from "../support/pulumi-plugin";
import {
  generatedSdk,
  hasGenerator,
  installNodeSdk,
  installPythonSdk,
  pythonPackages,
} from "../support/pulumi-sdks";
import { expectTakenOver, taking } from "../support/taken-over";

const describeSdk = hasGenerator ? describe : describe.skip;
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A stack of an example on an account of its own. */
async function exampleOf(
  name: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ stack: PulumiStack; emulator: Emulator }> {
  const emulator = await startEmulator({ provisionMs: 50 });
  closing.push(() => emulator.close());
  const stack = await openStack(emulator, env, join(EXAMPLES, name));
  closing.push(() => stack.remove());
  return { stack, emulator };
}

describeSdk("on the packed Node.js SDK", () => {
  test("the TypeScript example runs, and it and the schema's programs have the SDK's types", async () => {
    const { stack } = await exampleOf("pulumi-sdk");
    // They join the program, so that their types are checked together.
    const described = describedIn("typescript");
    for (const [title, text] of described) {
      expect(text).toContain(`new erphost.${title}(`);
      stack.write(`${title}.ts`, text);
    }
    // As the example has it.
    const settings = JSON.parse(
      readFileSync(join(stack.program, "tsconfig.json"), "utf8"),
    ) as object;
    const files = ["index.ts", ...described.map(([title]) => `${title}.ts`)];
    stack.write("tsconfig.json", JSON.stringify({ ...settings, files }));
    await installNodeSdk(stack);
    expectDone(await stack.up());
    const outputs = await stack.outputs();
    expect(outputs["trialName"]).toMatch(/^trial-[0-9a-f]{7}$/);
    expect(outputs["pipelineKey"]).toMatch(/_test_/);
  });

  test("an account of whatever names is taken over by Pulumi in TypeScript", async () => {
    const account = await taking("pulumi-typescript");
    closing.push(() => account.close());
    await installNodeSdk(account.stack);
    await expectTakenOver(account);
  });

  test("moving a stack of dynamic resources to the plugin keeps every object, id and secret, after which there is nothing to do", async () => {
    const { stack, emulator } = await exampleOf("pulumi");
    // As the stack's own configuration, which becomes the provider's.
    for (const name of ["ERPHOST_BASE_URL", "ERPHOST_API_KEY"]) delete stack.env[name];
    await stack.setConfig("erphost:baseUrl", emulator.baseUrl);
    await stack.setConfig("erphost:apiKey", emulator.adminKey, "--secret");
    expectDone(await stack.up());
    const before = await stack.outputs();
    const exported = join(stack.folder, "exported.json");
    const moved = join(stack.folder, "moved.json");
    expectDone(await stack.run("stack", "export", "--file", exported));
    const program = join(await pluginFolder(), "pulumi-resource-erphost");
    writeFileSync(moved, execFileSync(program, ["move"], { input: readFileSync(exported) }));
    expectDone(await stack.run("stack", "import", "--file", moved));
    const text = readFileSync(join(stack.program, "index.ts"), "utf8");
    stack.write("index.ts", text.replace('"erphost/pulumi"', '"@erphost/pulumi-native"'));
    await installNodeSdk(stack);

    emulator.clearJournal();
    expectDone(await stack.preview("--expect-no-changes"));
    expectDone(await stack.up());
    expectDone(await stack.refresh("--expect-no-changes"));
    const written = emulator.journal().filter(({ method }) => method !== "GET");
    expect(written).toEqual([]);
    expect(await stack.outputs()).toEqual(before);
    expect(stack.stateText()).not.toMatch(/__provider|pulumi-nodejs:dynamic/);

    expectDone(await stack.destroy());
    for (const kind of ["server", "instance"]) expect(emulator.objects(kind)).toEqual([]);
  });
});

describeSdk("on the Python wheel, which pip installs,", () => {
  const env: Record<string, string> = {};
  beforeAll(async () => {
    const cached = await pythonPackages();
    if (cached === undefined) throw new Error("there is no Python 3 with pip on PATH");
    // As in an activated environment: the tests' Python host does not support `virtualenv`.
    const bin = await installPythonSdk(cached, await generatedSdk("python"));
    env["PATH"] = `${bin}${delimiter}${process.env["PATH"] ?? ""}`;
  });

  test("the Python example runs", async () => {
    const { stack } = await exampleOf("pulumi-python", env);
    expectDone(await stack.up());
    expect(await stack.outputs()).toMatchObject({
      teamMembers: [{ email: "ada@example.com", role: "admin" }],
      permissions: expect.arrayContaining(["admin"]) as unknown,
    });
  });

  test("an account of whatever names is taken over by Pulumi in Python", async () => {
    const account = await taking("pulumi-python", env);
    closing.push(() => account.close());
    expect(readdirSync(account.stack.program)).toContain("requirements.txt");
    account.stack.write("Pulumi.yaml", "name: erphost\nruntime: python\n");
    await expectTakenOver(account);
  });
});
