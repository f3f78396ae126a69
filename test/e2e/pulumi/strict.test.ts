import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import { PulumiStack, type CommandResult } from "../../harness/pulumi-stack";

const done = (result: CommandResult): CommandResult => {
  if (result.code !== 0) throw new Error(`exit code ${String(result.code)}\n${result.output}`);
  return result;
};

describe("a service that offers the documented operations alone", () => {
  let emulator: Emulator;
  let stack: PulumiStack;

  beforeAll(async () => {
    emulator = await startEmulator({ strict: true });
    stack = await PulumiStack.create({
      program: join(__dirname, "programs", "strict"),
      env: {
        ERPHOST_BASE_URL: emulator.baseUrl,
        ERPHOST_API_KEY: emulator.adminKey,
      },
    });
    await stack.setConfig("keyId", emulator.createKey({ name: "pipeline" }).id);
  });
  afterAll(async () => {
    stack.remove();
    await emulator.close();
  });

  test("its life works: up, nothing to do, refresh, edit and rotate", async () => {
    done(await stack.up());
    const before = await stack.outputs();
    done(await stack.preview("--expect-no-changes"));
    done(await stack.refresh("--expect-no-changes"));
    await stack.setConfig("name", "renamed");
    await stack.setConfig("epoch", "2");
    done(await stack.up());
    expect(emulator.objects("server")).toMatchObject([{ name: "renamed" }]);
    const after = await stack.outputs();
    expect(after["currentKeyId"]).not.toBe(before["currentKeyId"]);
  });

  test("a rotation is due by the service's time although keys can't be listed", async () => {
    const before = await stack.outputs();
    emulator.advance("90d");
    done(await stack.refresh());
    done(await stack.up());
    expect((await stack.outputs())["currentKeyId"]).not.toBe(before["currentKeyId"]);
  });

  test("an ApiKey fails with what to do instead, and makes nothing", async () => {
    const keys = emulator.objects("api_key").length;
    await stack.setConfig("makeKey", "true");
    const { code, output } = await stack.up();
    expect(code).not.toBe(0);
    expect(output).toMatch(/Create the key in the dashboard and declare an ApiKeyRotation/);
    expect(emulator.objects("api_key")).toHaveLength(keys);
  });

  test("a destroy lists what it retains", async () => {
    const { output } = done(await stack.destroy());
    expect(output).toMatch(/backup \S+ is retained/);
    expect(output).toMatch(/team \S+ \(team\) is retained/);
    expect(emulator.objects("server")).toHaveLength(0);
  });
});
