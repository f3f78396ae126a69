import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import { PulumiStack } from "../../harness/pulumi-stack";
import { expectDone, unwrapped } from "../support/output";

describe("a service that offers only the documented operations", () => {
  let emulator: Emulator;
  let stack: PulumiStack;
  let keyInUse: string;

  beforeAll(async () => {
    emulator = await startEmulator({ strict: true });
    stack = await PulumiStack.create({
      program: join(__dirname, "programs", "strict"),
      env: {
        ERPHOST_BASE_URL: emulator.baseUrl,
        ERPHOST_API_KEY: emulator.adminKey,
      },
    });
    stack.configure({ keyId: emulator.createKey({ name: "pipeline" }).id });
  });
  afterAll(async () => {
    stack.remove();
    await emulator.close();
  });

  test("a stack on a strict service can be created, refreshed, edited and rotated", async () => {
    expectDone(await stack.up());
    const before = await stack.outputs();
    expectDone(await stack.refresh("--expect-no-changes"));
    stack.configure({ name: "renamed", epoch: "2" });
    const { output } = expectDone(await stack.preview("--diff"));
    // After an up and a refresh nothing else is left to do.
    expect(output).toMatch(/Resources:\s+~ 2 to update\s+\d+ unchanged/);
    const inUse = String(before["currentKeyId"]);
    expect(unwrapped(output)).toContain(
      `API key ${inUse} will be rotated, because of a change of triggers.epoch. After that, ${inUse} works for the grace period of the service; previousKeyExpiresAt then shows when it ends.`,
    );
    expectDone(await stack.up());
    expect(emulator.objects("server")).toMatchObject([{ name: "renamed" }]);
    keyInUse = String((await stack.outputs())["currentKeyId"]);
    expect(keyInUse).not.toBe(inUse);
  });

  test("a rotation falls due on a strict service by the service's clock, although keys cannot be listed", async () => {
    emulator.advance("90d");
    const { output } = expectDone(await stack.preview("--refresh", "--diff"));
    expect(unwrapped(output)).toMatch(
      /API key \S+ will be rotated: it was last rotated at \S+, and rotateAfter is \S+\. After that, \S+ works for/,
    );
    expectDone(await stack.up("--refresh"));
    expect((await stack.outputs())["currentKeyId"]).not.toBe(keyInUse);
  });

  test("an ApiKey on a strict service is refused with a remedy, and creates nothing", async () => {
    const keys = emulator.objects("api_key").length;
    stack.configure({ makeKey: "true" });
    const { code, output } = await stack.up();
    expect(code).not.toBe(0);
    expect(output).toMatch(
      /create the key in the dashboard and declare its rotation \(ApiKeyRotation\)/,
    );
    expect(emulator.objects("api_key")).toHaveLength(keys);
  });

  test("a destroy on a strict service lists what it retains", async () => {
    const { output } = expectDone(await stack.destroy());
    expect(output).toMatch(/Backup \S+ is retained/);
    expect(output).toMatch(/Team \S+ \(team\) is retained/);
    expect(emulator.objects("server")).toHaveLength(0);
  });
});
