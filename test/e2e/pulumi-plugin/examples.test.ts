/** The YAML example of the plugin, and the YAML programs of its schema. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import { PulumiStack } from "../../harness/pulumi-stack";
import { describedIn, EXAMPLES } from "../support/described";
import { expectDone } from "../support/output";
import { placePlugin } from "../support/pulumi-plugin";

let emulator: Emulator;
let stack: PulumiStack;
beforeAll(async () => {
  emulator = await startEmulator({ provisionMs: 50 });
  stack = await PulumiStack.create({
    program: join(EXAMPLES, "pulumi-yaml"),
    env: { ERPHOST_BASE_URL: emulator.baseUrl, ERPHOST_API_KEY: emulator.adminKey },
  });
  await placePlugin(stack);
});
afterAll(async () => {
  stack.remove();
  await emulator.close();
});

test("the YAML example runs, plans nothing more, and is destroyed but for what is retained", async () => {
  expectDone(await stack.up());
  const outputs = await stack.outputs();
  expect(outputs).toMatchObject({ instanceStatus: "running", runningBefore: [] });
  expect(outputs["stagingName"]).toMatch(/^staging-[0-9a-f]{7}$/);
  expect(outputs["pipelineKey"]).toMatch(/_test_/);
  expectDone(await stack.preview("--expect-no-changes"));
  expectDone(await stack.destroy());
  for (const kind of ["server", "instance"]) expect(emulator.objects(kind)).toEqual([]);
});

test("the YAML programs of the schema can be planned", async () => {
  const described = describedIn("yaml").map(([title, text]) =>
    text.replace("resources:\n  example:", `  ${title}:`),
  );
  expect(described.join("").match(/^ {2}[A-Z]\w+:/gm)).toHaveLength(described.length);
  const [name] = /^name:.*/m.exec(readFileSync(join(stack.program, "Pulumi.yaml"), "utf8")) ?? [];
  stack.write("Pulumi.yaml", `${name ?? ""}\nruntime: yaml\nresources:\n${described.join("")}`);
  expectDone(await stack.preview());
});
