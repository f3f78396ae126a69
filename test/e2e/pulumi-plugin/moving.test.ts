/** A stack of dynamic resources is moved to the plugin without a change in the service. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import { PulumiStack } from "../../harness/pulumi-stack";
import { expectDone } from "../support/output";
import { installPlugin, pluginFolder } from "../support/pulumi-plugin";
import { generatorPath, installNodeSdk } from "../support/pulumi-sdks";

const generator = generatorPath();

(generator === undefined ? describe.skip : describe)("a move from the dynamic resources", () => {
  let emulator: Emulator;
  let stack: PulumiStack;
  beforeAll(async () => {
    emulator = await startEmulator({ provisionMs: 50 });
    stack = await PulumiStack.create({
      program: join(__dirname, "..", "..", "..", "examples", "pulumi"),
      env: {},
    });
    // As the stack's own configuration, which becomes the provider's.
    await stack.setConfig("erphost:baseUrl", emulator.baseUrl);
    await stack.setConfig("erphost:apiKey", emulator.adminKey, "--secret");
  });
  afterAll(async () => {
    stack.remove();
    await emulator.close();
  });

  test("moving a stack to the plugin keeps every object, id and secret, after which there is nothing to do", async () => {
    expectDone(await stack.up());
    const before = await stack.outputs();
    const exported = join(stack.folder, "exported.json");
    const moved = join(stack.folder, "moved.json");
    expectDone(await stack.run("stack", "export", "--file", exported));
    const program = join(await pluginFolder(), "pulumi-resource-erphost");
    writeFileSync(moved, execFileSync(program, ["move"], { input: readFileSync(exported) }));
    expectDone(await stack.run("stack", "import", "--file", moved));
    await installPlugin(stack);
    const file = join(stack.program, "index.ts");
    const text = readFileSync(file, "utf8");
    stack.write("index.ts", text.replace('"erphost/pulumi"', '"@erphost/pulumi-native"'));
    await installNodeSdk(stack, generator ?? "");

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
