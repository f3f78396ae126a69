/** Runs with many servers: what is wrong for all of them is said once. */
import { beforeAll, describe, expect, test } from "@jest/globals";
import type { Emulator } from "../../../emulator";
import type { CommandResult, PulumiStack } from "../../harness/pulumi-stack";
import { opened, openedEmulator } from "../support/opened";
import { expectDone, unwrapped } from "../support/output";
import { openStack } from "../support/pulumi-plugin";
import { resourcesIn, server, servers, yaml } from "./program";

const COUNT = 12;
const WRONG_KEY = "erp_test_0123456789abcdef0123456789abcdef";

describe("a run of more servers than Pulumi works on at a time", () => {
  let emulator: Emulator;
  let stack: PulumiStack;
  beforeAll(async () => {
    emulator = await openedEmulator();
    stack = opened(await openStack(emulator));
    stack.write("Pulumi.yaml", yaml({ resources: { ...servers(COUNT), ...server("taken") } }));
  });

  const withKey = (key: string, command: "preview" | "refresh" | "up") => {
    stack.env["ERPHOST_API_KEY"] = key;
    return stack[command]();
  };
  const readingKey = () => emulator.createKey({ permissions: ["servers:read"] }).value;
  /** How often the summary of a run, which repeats each resource's errors once, says this. */
  const timesSaid = ({ output }: CommandResult, text: RegExp): number =>
    unwrapped(output.slice(output.indexOf("Diagnostics:"))).split(text).length - 1;
  const expectUnusable = (result: CommandResult): void => {
    expect(result.code).not.toBe(0);
    const why = /GET \/auth\/test → 401 invalid_token: .{0,80} Check that erphost:apiKey/;
    expect(timesSaid(result, why)).toBe(1);
    const said = unwrapped(result.output);
    expect(said).toContain(emulator.baseUrl);
    expect(said).toContain(
      "run `pulumi config set --secret erphost:apiKey` or set ERPHOST_API_KEY",
    );
    expect(said).toContain("run that once without --refresh: a refresh uses the key in the state");
    expect(result.output).not.toContain("    at ");
  };

  test("a wrong key is reported once by a preview of many servers, after one call", async () => {
    expectUnusable(await withKey(WRONG_KEY, "preview"));
    expect(emulator.journal().map(({ path }) => path)).toEqual(["/auth/test"]);
  });

  let warned: CommandResult;
  test("a preview with a key that may only read names the missing scope once and changes nothing", async () => {
    emulator.createObjects("server", [{ name: "taken" }]);
    warned = expectDone(await withKey(readingKey(), "preview"));
    const lacking =
      /lacks the scope servers:write, without which this plan cannot create any server/;
    expect(timesSaid(warned, lacking)).toBe(1);
    expect(emulator.objects("server")).toHaveLength(1);
  });

  test("a missing scope is explained once, and each further server only names it", async () => {
    const result = await withKey(readingKey(), "up");
    expect(result.code).not.toBe(0);
    expect(timesSaid(result, /this needs servers:write\. Use a key/)).toBe(1);
    expect(unwrapped(result.output)).toMatch(
      /POST \/servers → 403 insufficient_permissions: same failure as before: /,
    );
  });

  test("a preview names a server that has the name of a new one, and up makes it nevertheless", async () => {
    const twin =
      /named taken already exists \(srv_1\), and no state that this run has seen holds it/;
    expect(timesSaid(warned, twin)).toBe(1);
    const up = expectDone(await withKey(emulator.adminKey, "up"));
    expect(unwrapped(up.output)).toMatch(/although srv_1 has the same name \(taken\)/);
    expect(emulator.objects("server").filter(({ name }) => name === "taken")).toHaveLength(2);
  });

  test("a wrong key is reported once by a refresh of many servers, and none of them leaves the state", async () => {
    expectUnusable(await withKey(WRONG_KEY, "refresh"));
    expect(resourcesIn(stack, "srv_")).toHaveLength(COUNT + 1);
  });
});
