import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import { PulumiStack } from "../../harness/pulumi-stack";
import { multiplied } from "../support/many";
import { expectDone } from "../support/output";

const COUNT = 1_000;
let emulator: Emulator;
let stack: PulumiStack;

beforeAll(async () => {
  emulator = await startEmulator({ provisionMs: 0 });
  stack = await PulumiStack.create({
    program: join(__dirname, "programs", "one"),
    env: { ERPHOST_BASE_URL: emulator.baseUrl, ERPHOST_API_KEY: emulator.adminKey },
  });
});
afterAll(async () => {
  stack.remove();
  await emulator.close();
});

test("a refresh of 1,000 servers with nothing missing makes at most 11 list calls, after one for the key", async () => {
  expectDone(await stack.up());
  await multiplied(stack, emulator, COUNT);
  emulator.clearJournal();
  const { output } = expectDone(await stack.refresh("--expect-no-changes"));
  expect(output).toMatch(new RegExp(`${COUNT} unchanged|${COUNT + 1} unchanged`));
  const [first, ...calls] = emulator.journal();
  expect(first?.path).toBe("/auth/test");
  expect(calls.every(({ operation }) => operation === "server.list")).toBe(true);
  expect(calls.length).toBeGreaterThanOrEqual(10);
  expect(calls.length).toBeLessThanOrEqual(11);
});
