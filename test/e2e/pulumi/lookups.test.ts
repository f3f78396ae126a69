/** Lookups of the dynamic classes that select, on the real engine. */
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import { PulumiStack } from "../../harness/pulumi-stack";
import { furnish } from "../../support/finding";
import { expectDone, unwrapped } from "../support/output";

let emulator: Emulator;
let stack: PulumiStack;
beforeAll(async () => {
  emulator = await startEmulator({ provisionMs: 10 });
  furnish(emulator);
  stack = await PulumiStack.create({
    program: join(__dirname, "programs/lookups"),
    env: { ERPHOST_BASE_URL: emulator.baseUrl, ERPHOST_API_KEY: emulator.adminKey },
  });
});
afterAll(async () => {
  stack.remove();
  await emulator.close();
});

test("a time that is none is refused in the preview, before any call of its list", async () => {
  stack.configure({ since: "31.1.2026" });
  emulator.clearJournal();
  const { code, output } = await stack.preview();
  expect(code).not.toBe(0);
  expect(unwrapped(output)).toContain("createdAfter must be an ISO 8601 timestamp or date");
});

test("programs find the newest backup, and wait for what they look up by", async () => {
  stack.configure({ since: "2026-01-03" });
  expectDone(await stack.preview());
  expectDone(await stack.up());
  const { restoreFrom, isOwn, since } = await stack.outputs();
  expect({ restoreFrom, isOwn, since }).toEqual({
    restoreFrom: "bak_2",
    isOwn: true,
    since: ["bak_5"],
  });
  expectDone(await stack.preview("--expect-no-changes"));
});
