/** Runs with many servers: what is wrong for all of them is said once, and a kill doubles nothing. */
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import type { CommandResult, PulumiStack } from "../../harness/pulumi-stack";
import { killedAfterThree } from "../support/any-machine";
import { expectDone, unwrapped } from "../support/output";
import { openStack, placePlugin } from "../support/pulumi-plugin";
import { resourcesIn, server, yaml } from "./program";

let emulator: Emulator;
let stack: PulumiStack;
const opening =
  (names: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  async (): Promise<void> => {
    emulator = await startEmulator({ provisionMs: 0 });
    stack = await openStack(emulator, env);
    const resources = Object.fromEntries(names.flatMap((name) => Object.entries(server(name))));
    stack.write("Pulumi.yaml", yaml({ resources }));
  };
const closing = async (): Promise<void> => {
  stack.remove();
  await emulator.close();
};
const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `server-${index}`);

describe("a run of more servers than Pulumi works on at a time", () => {
  const COUNT = 12;
  const WRONG_KEY = "erp_test_0123456789abcdef0123456789abcdef";
  beforeAll(opening([...numbered(COUNT), "taken"]));
  afterAll(closing);

  const withKey = async (key: string, run: () => Promise<CommandResult>) => {
    stack.env["ERPHOST_API_KEY"] = key;
    return run();
  };
  const readingKey = () => emulator.createKey({ permissions: ["servers:read"] }).value;
  /** How often the summary of a run, which repeats each resource's errors once, says this. */
  const timesSaid = ({ output }: CommandResult, text: RegExp): number =>
    [...unwrapped(output.slice(output.indexOf("Diagnostics:"))).matchAll(new RegExp(text, "g"))]
      .length;
  const expectUnusable = (result: CommandResult): void => {
    expect(result.code).not.toBe(0);
    const why = /GET \/auth\/test → 401 invalid_token: .{0,80} Check that erphost:apiKey/;
    expect(timesSaid(result, why)).toBe(1);
    const said = unwrapped(result.output);
    expect(said).toContain(emulator.baseUrl);
    expect(said).toContain(
      "run `pulumi config set --secret erphost:apiKey` or set ERPHOST_API_KEY",
    );
    expect(result.output).not.toContain("    at ");
  };

  test("a wrong key is reported once by a preview of many servers, after one call", async () => {
    expectUnusable(await withKey(WRONG_KEY, () => stack.preview()));
    expect(emulator.journal().map(({ path }) => path)).toEqual(["/auth/test"]);
  });

  let warned: CommandResult;
  test("a preview with a key that may only read names the missing scope once and changes nothing", async () => {
    emulator.createObjects("server", [{ name: "taken" }]);
    warned = expectDone(await withKey(readingKey(), () => stack.preview()));
    const lacking =
      /lacks the scope servers:write, without which this plan cannot create any server/;
    expect(timesSaid(warned, lacking)).toBe(1);
    expect(emulator.objects("server")).toHaveLength(1);
  });

  test("a missing scope is explained once, and each further server only names it", async () => {
    const result = await withKey(readingKey(), () => stack.up());
    expect(result.code).not.toBe(0);
    expect(timesSaid(result, /this needs servers:write\. Use a key/)).toBe(1);
    expect(unwrapped(result.output)).toMatch(
      /POST \/servers → 403 insufficient_permissions: same failure as before: /,
    );
  });

  test("a preview names a server that has the name of a new one, and up makes it nevertheless", async () => {
    const twin = /named taken already exists \(srv_1\) and is not in this state/;
    expect(timesSaid(warned, twin)).toBe(1);
    const up = expectDone(await withKey(emulator.adminKey, () => stack.up()));
    expect(unwrapped(up.output)).toMatch(/although srv_1 has the same name \(taken\)/);
    expect(emulator.objects("server").filter(({ name }) => name === "taken")).toHaveLength(2);
  });

  test("a wrong key is reported once by a refresh of many servers, and none of them leaves the state", async () => {
    expectUnusable(await withKey(WRONG_KEY, () => stack.refresh()));
    expect(resourcesIn(stack, "srv_")).toHaveLength(COUNT + 1);
  });
});

describe("a run that is killed with its machine", () => {
  beforeAll(opening(numbered(6), { ERPHOST_SCOPE: "acme/prod" }));
  afterAll(closing);

  /** What is left of a machine is the backend. */
  const nextMachine = async (): Promise<void> => {
    for (const name of ["home", "intents"]) {
      rmSync(join(stack.folder, name), { recursive: true, force: true });
      mkdirSync(join(stack.folder, name));
    }
    await placePlugin(stack);
  };
  const ids = () => emulator.objects("server").map(({ id }) => String(id));
  const names = () => new Set(emulator.objects("server").map(({ name }) => name));
  const held = () => resourcesIn(stack, "srv_");

  test("after a kill with 3 of 6 servers, fresh machines double nothing: one is given their ids, one resumes", async () => {
    const backend = join(stack.folder, "backend");
    cpSync(backend, `${backend}.kept`, { recursive: true });
    const made = await killedAfterThree(emulator, () =>
      stack.start(["up", "--yes", "--skip-preview"]),
    );
    // What a backend has that is written at the end of a run.
    rmSync(backend, { recursive: true });
    cpSync(`${backend}.kept`, backend, { recursive: true });
    await nextMachine();
    const asked = await stack.run("up", "--yes");
    expect(asked.code).not.toBe(0);
    const [planned = "", applied = ""] = asked.output.split("Updating (");
    for (const id of made) {
      const note = `(${id}); an earlier run of this scope may have created it`;
      expect(unwrapped(planned)).toContain(note);
      expect(unwrapped(applied)).toContain(id);
    }
    expect(unwrapped(applied)).toMatch(/set erphost:resume .*unset erphost:scope/);
    expect([...names()]).toHaveLength(ids().length);

    await nextMachine();
    stack.env["ERPHOST_RESUME"] = "true";
    expectDone(await stack.up());
    expect(ids()).toHaveLength(6);
    expect([...names()]).toHaveLength(6);
    expect(ids().slice(0, 3)).toEqual(made);
    const kept = held().map(({ id }) => id);
    expect(kept.sort()).toEqual(ids().sort());
  });

  test("a replacement that nothing shows the provider deletes nothing, with resume or without", async () => {
    const before = ids();
    const urn = held()[0]?.urn ?? "";
    for (const resume of ["true", "false"]) {
      await nextMachine();
      stack.env["ERPHOST_RESUME"] = resume;
      const result = await stack.up("--replace", urn);
      expect(result.code === 0).toBe(resume === "true");
      const said = resume === "true" ? "was not replaced and not deleted" : "unset erphost:scope";
      expect(unwrapped(result.output)).toContain(said);
      expect(ids()).toEqual(before);
      expect(held().filter((each) => each.delete)).toEqual([]);
    }
    expectDone(await stack.preview("--expect-no-changes"));
  });
});
