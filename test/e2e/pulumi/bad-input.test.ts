import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import { PulumiStack } from "../../harness/pulumi-stack";

let emulator: Emulator;
let stack: PulumiStack;
beforeAll(async () => {
  emulator = await startEmulator();
  stack = await PulumiStack.create({
    program: join(__dirname, "programs", "one"),
    env: { ERPHOST_BASE_URL: emulator.baseUrl, ERPHOST_API_KEY: emulator.adminKey },
  });
});
afterAll(async () => {
  stack.remove();
  await emulator.close();
});

/** What a preview with these settings is refused with. */
async function refusal(settings: Readonly<Record<string, string>>): Promise<string> {
  const own = { ...stack.env };
  Object.assign(stack.env, settings);
  const { code, output } = await stack.preview();
  for (const name of Object.keys(settings)) delete stack.env[name];
  Object.assign(stack.env, own);
  expect(code).not.toBe(0);
  expect(emulator.journal()).toEqual([]);
  expect(output).not.toContain("    at "); // No stack trace is shown to a person.
  return output;
}

test("a malformed key, a key of the wrong environment, a URL without /v1 and an unknown profile member are refused before any call", async () => {
  const live = "erp_live_abcdefgh12345678";
  const malformed = await refusal({ ERPHOST_API_KEY: "not-a-key-at-all" });
  expect(malformed).toMatch(/ERPHOST_API_KEY|apiKey/);
  expect(malformed).not.toContain("not-a-key-at-all");
  const environment = await refusal({ ERPHOST_API_KEY: live, ERPHOST_ENVIRONMENT: "test" });
  expect(environment).toMatch(/live.*test/);
  expect(environment).not.toContain(live);
  expect(await refusal({ ERPHOST_BASE_URL: emulator.url })).toMatch(/\/v1/);
  expect(await refusal({ ERPHOST_PROFILE: '{"resorces":{}}' })).toMatch(/resorces/);
});

test("a bad input of a resource is refused before any call, with its field and the remedy", async () => {
  stack.write(
    "index.ts",
    `import * as erphost from "erphost/pulumi";
new erphost.ApiKey("period", { name: "c", permissions: ["servers:read"], rotateAfter: "90x" });
`,
  );
  expect(await refusal({})).toMatch(/rotateAfter .*must be a number of days .* such as 90d/);
});
