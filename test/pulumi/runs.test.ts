/** Runs of whole stacks in the dynamic provider process: with a wrong key, elsewhere, or again. */
import { beforeEach, describe, expect, test } from "@jest/globals";
import type { Emulator } from "../../emulator";
import { camel } from "../../provider/contract";
import { movedTo, twinOf, writesTo } from "../e2e/support/places";
import { folder } from "../support/given";
import { newProcess, serve, Stack, type Program } from "./process";

const WRONG_KEY = "erp_test_0123456789abcdef0123456789abcdef";

let emulator: Emulator;
let settings: Record<string, string>;
let stack: Stack;
beforeEach(async () => {
  emulator = await serve();
  settings = { baseUrl: emulator.baseUrl, apiKey: emulator.adminKey };
  stack = new Stack(settings);
});

const serversNamed = (names: readonly string[]): Program =>
  Object.fromEntries(names.map((name) => [name, ["Server", { name }]]));
const count = (text: string, what: RegExp): number =>
  (text.match(new RegExp(what, `g${what.flags}`)) ?? []).length;
const serverIds = () => emulator.objects("server").map(({ id }) => String(id));

describe("a run of many servers", () => {
  const names = Array.from({ length: 12 }, (_, index) => `server-${index}`);
  const program = serversNamed(names);
  const unusable = /GET \/auth\/test → 401 invalid_token: .* Check that erphost:apiKey/;

  test("reports a wrong key once in its preview, after one call", async () => {
    stack.settings = { ...settings, apiKey: WRONG_KEY };
    const error = await stack.preview(program).catch((thrown: unknown) => String(thrown));
    expect(error).toMatch(unusable);
    expect(error).toContain(emulator.baseUrl);
    expect(emulator.journal().map(({ path }) => path)).toEqual(["/auth/test"]);
  });

  test("names a missing scope once in its preview, explains it once in its up, and changes nothing", async () => {
    const { value: apiKey } = emulator.createKey({ permissions: ["servers:read"] });
    stack.settings = { ...settings, apiKey };
    const { said } = await stack.preview(program);
    const lacking =
      /lacks the scope servers:write, without which this plan cannot create any server/;
    expect(count(said, lacking)).toBe(1);
    const { failed } = await stack.up(program);
    expect(failed).toHaveLength(names.length);
    expect(count(failed.join("\n"), /this needs servers:write\. Use a key/)).toBe(1);
    const again = /POST \/servers → 403 insufficient_permissions: same failure as before: /;
    expect(count(failed.join("\n"), again)).toBe(names.length - 1);
    expect(serverIds()).toEqual([]);
  });

  test("explains a wrong key once in its refresh, and no server leaves the state", async () => {
    await stack.up(program);
    stack.settings = { ...settings, apiKey: WRONG_KEY };
    const { failed } = await stack.refresh();
    expect(failed).toHaveLength(names.length);
    expect(count(failed.join("\n"), unusable)).toBe(1);
    expect(failed.join("\n")).toContain("run `pulumi config set --secret erphost:apiKey`");
    expect(stack.held.size).toBe(names.length);
  });

  test("names in its preview a server that has the name of a new one, and its up makes it nevertheless", async () => {
    const [other] = emulator.createObjects("server", [{ name: "taken" }]);
    const id = String(other?.["id"]);
    const preview = await stack.preview(serversNamed(["taken"]));
    const twin = `named taken already exists \\(${id}\\), and no state that this run has seen holds it`;
    expect(count(preview.said, new RegExp(twin))).toBe(1);
    const { said } = await stack.up(serversNamed(["taken"]));
    expect(said).toContain(`although ${id} has the same name (taken)`);
    expect(serverIds()).toHaveLength(2);
  });

  test("refreshes 1,000 of them with at most 11 list calls, after one for the key", async () => {
    await stack.up(serversNamed(["server-0"]));
    const { title, outs } = stack.held.get("server-0") ?? { title: "", outs: {} };
    const running = (at: number) => ({ name: `server-${at}`, status: "running" });
    const others = Array.from({ length: 999 }, (_, index) => running(index + 1));
    const made = emulator.createObjects("server", others);
    emulator.clearJournal();
    const handler = await newProcess(settings);
    const queue = made.values();
    // Pulumi reads some at a time.
    const reader = async () => {
      for (const { id, name, created_at: createdAt } of queue) {
        const read = await handler(title).read(String(id), { ...outs, name, createdAt });
        expect(read).toMatchObject({ id, inputs: { name } });
      }
    };
    await Promise.all(Array.from({ length: 8 }, reader));
    const [first, ...calls] = emulator.journal();
    expect(first?.path).toBe("/auth/test");
    expect(calls.every(({ operation }) => operation === "server.list")).toBe(true);
    expect([10, 11]).toContain(calls.length);
  });
});

describe("a stack in another place", () => {
  const secret = { secretProperties: { rootPassword: "unlikely" } };
  const program = (edited = false): Program => ({
    main: ["Server", { name: edited ? "renamed" : "main", properties: { tier: 1 }, ...secret }],
    erp: ["Instance", { name: "erp", serverId: "@main" }],
    first: ["Backup", { instanceId: "@erp" }],
    ops: ["Team", { name: "ops" }],
    ci: ["ApiKey", { name: "ci", permissions: ["servers:read"] }],
    ...(edited && serversNamed(["new"])),
  });
  const allUpdated = Object.fromEntries(Object.keys(program()).map((name) => [name, "updated"]));

  beforeEach(async () => {
    expect((await stack.up(program())).failed).toEqual([]);
    emulator.clearJournal();
  });
  const copyOf = ({ held }: Stack, more: Record<string, string>): Stack => {
    const copy = new Stack({ ...settings, ...more });
    copy.held = new Map(held);
    return copy;
  };

  test("is planned and applied on a twin of its account, which sees reads alone", async () => {
    process.env["ERPHOST_INTENTS_DIR"] = folder();
    await twinOf(emulator, async (env) => {
      const settingOf = (name: string) => camel(name.replace("ERPHOST_", "").toLowerCase());
      const own = Object.entries(env).map(([name, value]) => [settingOf(name), value]);
      const there = copyOf(stack, Object.fromEntries(own) as Record<string, string>);
      const { said } = await there.preview(program());
      expect(said).toContain(`nothing changes in the account at ${emulator.baseUrl}`);
      expect(count(said, /this copy of the state is marked/i)).toBe(1);
      expect((await there.refresh()).failed).toEqual([]);
      // After the refresh nothing else is left to do.
      expect((await there.up(program(true))).did).toEqual({ main: "updated", new: "created" });
      expect(there.ids).toEqual({ ...stack.ids, new: "srv_twin_1" });
      there.settings = settings;
      await expect(there.preview(program())).rejects.toThrow("was written by a run on a twin of");
    });
    expect(writesTo(emulator)).toEqual([]);
  });

  test("moves to another address by one up or one refresh, and nothing is written to the service", async () => {
    const baseUrl = movedTo(emulator);
    const { ids } = stack;
    stack.settings = { ...settings, baseUrl };
    await expect(stack.preview(program())).rejects.toThrow(
      `set ERPHOST_FORMER_BASE_URL to ${emulator.baseUrl} for one run`,
    );
    const refreshed = copyOf(stack, { baseUrl, formerBaseUrl: emulator.baseUrl });
    stack.settings = refreshed.settings;
    const { did, said } = await stack.preview(program());
    expect(did).toEqual(allUpdated);
    expect(count(said, /the state moves from/i)).toBe(1);
    expect((await stack.up(program())).did).toEqual(allUpdated);
    expect((await refreshed.refresh()).did).toEqual(allUpdated);
    for (const each of [stack, refreshed]) {
      each.settings = { ...settings, baseUrl };
      expect((await each.preview(program())).did).toEqual({});
      expect(each.ids).toEqual(ids);
    }
    stack.settings = settings;
    await expect(stack.preview(program())).rejects.toThrow(`belongs to the account at ${baseUrl}`);
    expect(writesTo(emulator)).toEqual([]);
  });
});

describe("a run with a scope, on a machine that knows nothing of the runs before,", () => {
  const names = Array.from({ length: 6 }, (_, index) => `server-${index}`);
  const program = serversNamed(names);

  /** What is left of a machine is the state. */
  const nextMachine = (resume: boolean): void => {
    process.env["ERPHOST_INTENTS_DIR"] = folder();
    stack.settings = { ...settings, scope: "acme/prod", resume: String(resume) };
  };

  test("doubles nothing that a lost run made: it names the ids, or with resume takes them over", async () => {
    nextMachine(false);
    await stack.up(serversNamed(names.slice(0, 3)));
    const made = serverIds();
    stack.held.clear();
    nextMachine(false);
    const { said } = await stack.preview(program);
    for (const id of made) {
      expect(said).toContain(`(${id}); an earlier run of this scope may have created it`);
    }
    nextMachine(false);
    const { failed } = await stack.up(program);
    expect(failed).toHaveLength(3);
    for (const id of made) expect(failed.join()).toContain(id);
    expect(failed.join()).toMatch(/set ERPHOST_RESUME .*unset erphost:scope/);

    stack.held.clear();
    nextMachine(true);
    expect((await stack.up(program)).failed).toEqual([]);
    expect(serverIds().slice(0, 3)).toEqual(made);
    expect(Object.values(stack.ids).sort()).toEqual(serverIds().sort());
    expect(serverIds()).toHaveLength(6);
  });

  test("deletes nothing in a replacement that nothing shows it, with resume or without", async () => {
    nextMachine(false);
    await stack.up(program);
    const before = serverIds();
    for (const resume of [true, false]) {
      nextMachine(resume);
      const { failed, said } = await stack.up(program, names[0]);
      expect(failed).toHaveLength(resume ? 0 : 1);
      expect(`${said}${failed.join()}`).toContain(
        resume ? "was not replaced and not deleted" : "unset erphost:scope",
      );
      expect(serverIds()).toEqual(before);
    }
    nextMachine(true);
    expect((await stack.preview(program)).did).toEqual({});
    await stack.destroy();
    expect(serverIds()).toEqual([]);
  });
});
