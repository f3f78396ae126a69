/** What a person sees first where something is wrong for the whole run: one message, in every form. */
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import type { CommandResult } from "../../harness/command";
import { PulumiStack } from "../../harness/pulumi-stack";
import { expectDone, unwrapped } from "./output";

export interface Form {
  /** Folder of a program; the one below takes its place. */
  readonly program: string;
  /** Name and text of a program with servers of these names. */
  readonly file: (names: readonly string[]) => readonly [file: string, text: string];
  /** How often the host prints a failure: that of dynamic resources writes it to stderr as well. */
  readonly timesPrinted: number;
  readonly prepare?: (stack: PulumiStack) => Promise<void>;
  /** Leaves out what is the same in every form and costs previews: how strict the preflight is. */
  readonly brief?: boolean;
}

/** More than Pulumi works on at a time on a small machine. */
const COUNT = 12;
const WRONG_KEY = "erp_test_0123456789abcdef0123456789abcdef";
const REMEDY = "run `pulumi config set --secret erphost:apiKey` or set ERPHOST_API_KEY";

/** How often the summary of a run, which repeats each resource's errors once, says this. */
const timesSaid = ({ output }: CommandResult, text: RegExp): number =>
  [...unwrapped(output.slice(output.indexOf("Diagnostics:"))).matchAll(new RegExp(text, "g"))]
    .length;

/** Claims of a run with many resources, on the real engine. */
export function testFirstSight({
  program,
  file,
  timesPrinted,
  prepare,
  brief = false,
}: Form): void {
  let emulator: Emulator;
  let stack: PulumiStack;

  const names = Array.from({ length: COUNT }, (_, index) => `server-${index}`);
  const useKey = (value: string): void => void (stack.env["ERPHOST_API_KEY"] = value);

  beforeAll(async () => {
    emulator = await startEmulator({ provisionMs: 0 });
    const env = { ERPHOST_BASE_URL: emulator.baseUrl, ERPHOST_API_KEY: emulator.adminKey };
    stack = await PulumiStack.create({ program, env });
    await prepare?.(stack);
    stack.write(...file(names));
  });
  afterAll(async () => {
    stack.remove();
    await emulator.close();
  });

  const expectUnusable = (result: CommandResult, times: number): void => {
    expect(result.code).not.toBe(0);
    const said = timesSaid(
      result,
      /GET \/auth\/test → 401 invalid_token: .{0,80} Check that erphost:apiKey/,
    );
    expect(said).toBe(times);
    expect(unwrapped(result.output)).toContain(emulator.baseUrl);
    expect(unwrapped(result.output)).toContain(REMEDY);
    expect(result.output).not.toContain("    at ");
  };

  test("a wrong key is reported once by a preview of many servers, after one call", async () => {
    useKey(WRONG_KEY);
    expectUnusable(await stack.preview(), 1);
    expect(emulator.journal().map(({ path }) => path)).toEqual(["/auth/test"]);
    useKey(emulator.adminKey);
  });

  test("a preview with a key that may only read names the missing scope once and changes nothing", async () => {
    useKey(emulator.createKey({ permissions: ["servers:read"] }).value);
    const lacking =
      /lacks the scope servers:write, without which this plan cannot create any server/;
    const warned = await stack.preview();
    expectDone(warned);
    expect(timesSaid(warned, lacking)).toBe(1);
    if (!brief) {
      stack.env["ERPHOST_PREFLIGHT"] = "error";
      const refused = await stack.preview();
      expect(refused.code).not.toBe(0);
      expect(timesSaid(refused, lacking)).toBe(1);
      stack.env["ERPHOST_PREFLIGHT"] = "off";
      const silent = await stack.preview();
      expectDone(silent);
      expect(silent.output).not.toMatch(lacking);
      delete stack.env["ERPHOST_PREFLIGHT"];
    }
    expect(emulator.objects("server")).toEqual([]);
    useKey(emulator.adminKey);
  });

  test("a missing scope is explained once, and each further server only names it", async () => {
    useKey(emulator.createKey({ permissions: ["servers:read"] }).value);
    const result = await stack.up();
    expect(result.code).not.toBe(0);
    expect(timesSaid(result, /this needs servers:write\. Use a key/)).toBe(1);
    expect(unwrapped(result.output)).toMatch(
      /POST \/servers → 403 insufficient_permissions: same failure as before: /,
    );
    useKey(emulator.adminKey);
  });

  test("a wrong key is reported once by a refresh of many servers, and none of them leaves the state", async () => {
    expectDone(await stack.up());
    useKey(WRONG_KEY);
    const result = await stack.refresh();
    expectUnusable(result, timesPrinted);
    useKey(emulator.adminKey);
    expect(stack.stateText().match(/"id": ?"srv_/g)).toHaveLength(COUNT);
  });

  test("a preview names a server that has the name of a new one, and up makes it nevertheless", async () => {
    const [other] = emulator.createObjects("server", [{ name: "taken" }]);
    const id = String(other?.["id"]);
    stack.write(...file([...names, "taken"]));
    const twin = new RegExp(`named taken already exists \\(${id}\\) and is not in this state`);
    const preview = await stack.preview();
    expectDone(preview);
    expect(timesSaid(preview, twin)).toBe(1);
    const up = await stack.up();
    expectDone(up);
    expect(unwrapped(up.output)).toMatch(
      new RegExp(`although ${id} has the same name \\(taken\\)`),
    );
    expect(emulator.objects("server").filter(({ name }) => name === "taken")).toHaveLength(2);
  });
}
