import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import { PulumiStack } from "../../harness/pulumi-stack";

const programs = join(__dirname, "programs");

describe("bad input", () => {
  let emulator: Emulator;
  const stacks: PulumiStack[] = [];
  beforeAll(async () => {
    emulator = await startEmulator();
  });
  afterAll(async () => {
    for (const stack of stacks) stack.remove();
    await emulator.close();
  });

  async function preview(program: string, env: Record<string, string> = {}): Promise<string> {
    const stack = await PulumiStack.create({
      program: join(programs, program),
      env: { ERPHOST_BASE_URL: emulator.baseUrl, ERPHOST_API_KEY: emulator.adminKey, ...env },
    });
    stacks.push(stack);
    emulator.clearJournal();
    const { code, output } = await stack.preview();
    expect(code).not.toBe(0);
    expect(emulator.journal()).toEqual([]);
    expect(output).not.toContain("    at "); // No stack trace is shown to a person.
    return output;
  }

  test("a bad input of a resource is refused before any call, with its field and the remedy", async () => {
    const output = await preview("bad");
    expect(output).toMatch(/rotateAfter .*must be a number of days .* such as 90d/);
  });

  test("a malformed key, a key of the wrong environment, a URL without /v1 and an unknown profile member are refused before any call", async () => {
    const live = "erp_live_abcdefgh12345678";
    const malformed = await preview("one", { ERPHOST_API_KEY: "not-a-key-at-all" });
    expect(malformed).toMatch(/ERPHOST_API_KEY|apiKey/);
    expect(malformed).not.toContain("not-a-key-at-all");
    const environment = await preview("one", {
      ERPHOST_API_KEY: live,
      ERPHOST_ENVIRONMENT: "test",
    });
    expect(environment).toMatch(/live.*test/);
    expect(environment).not.toContain(live);
    expect(await preview("one", { ERPHOST_BASE_URL: emulator.url })).toMatch(/\/v1/);
    expect(await preview("one", { ERPHOST_PROFILE: '{"resorces":{}}' })).toMatch(/resorces/);
  });
});
