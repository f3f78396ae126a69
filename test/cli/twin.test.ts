import { describe, expect, test } from "@jest/globals";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { ask } from "../support/ask";
import type { Emulator, EmulatorOptions } from "../../emulator";
import { SECRET_PARTS, SECRET_TEXTS, TEXT_FIELDS } from "../support/secrets";
import { newEmulator } from "../emulator/support";
import { addressOf, folder } from "../support/folder";
import { complaint, erphost, lastWord, served } from "./support";

const KINDS = ["server", "instance", "backup", "team", "api_key"] as const;
const SECRET = "hunter2-of-the-account";
/** A clock that this machine's is half a minute behind. */
const AHEAD = { wallMs: () => Date.now() + 30_000, monotonicMs: () => performance.now() };
const MOVED = { resources: { server: { path: "/machines" } } };

/** An account with some of everything, and a key that may only read. */
async function account(options: EmulatorOptions = {}) {
  const emulator = await newEmulator(options);
  emulator.createObjects("server", [
    { id: "srv_a", name: "erp main", created_at: "2024-01-02T03:04:05Z", region: "eu", tags: [1] },
    { id: "srv_b", name: "ünï ${x}", status: "stopped", odd: true, size: { cpu: 2 } },
  ]);
  emulator.createObjects("instance", [
    { id: "ins_a", name: "erp", server_id: "srv_a", version: "17.0", admin_password: SECRET },
    { id: "ins_b", name: "b", server_id: "srv_a", version: "17.0", note: "erp_live_0123456789ab" },
  ]);
  emulator.createObjects("backup", [{ id: "bak_a", instance_id: "ins_a" }]);
  emulator.createObjects("team", [{ id: "tea_a", name: "ops", members: [] }]);
  const { value } = emulator.createKey({ name: "reader", permissions: ["read", "billing:read"] });
  return { emulator, readKey: value };
}

/** The service, with this text in place of that in what it answers. */
const rewritten = async (emulator: Emulator, text: string, other: string): Promise<string> => {
  const proxy = createServer(({ url = "", headers }, response) => {
    const service = { baseUrl: emulator.baseUrl.replace("/v1", url), adminKey: emulator.adminKey };
    void ask(service, "GET ", { key: headers.authorization?.slice(7) }).then(async (answer) => {
      response.writeHead(answer.status, { "Content-Type": "application/json" });
      response.end((await answer.text()).replace(text, other));
    });
  });
  return `${await addressOf(proxy)}/v1`;
};

/** A twin shows its state to those alone who have its admin key, which its start printed. */
async function control(url: string, lines: readonly string[], call: string, body?: object) {
  const baseUrl = url.replace(/\/v1$/, "/_emulator");
  const answer = await ask({ baseUrl, adminKey: lastWord(lines, "admin") }, call, { body });
  return (await answer.json()) as Record<string, unknown>;
}

const objectsOf = async (baseUrl: string, lines: readonly string[], kind: string) =>
  (await control(baseUrl, lines, `GET /objects/${kind}`))["objects"];

/** Runs `erphost emulator --from` the account, with a key of it. */
const twinOf = (
  { emulator, readKey }: { emulator: Pick<Emulator, "baseUrl">; readKey: string },
  words: readonly string[] = [],
  use?: Parameters<typeof served>[2],
) => served(["--from", emulator.baseUrl, ...words], { ERPHOST_FROM_API_KEY: readKey }, use);

describe("erphost emulator --from", () => {
  test("a twin holds what the account's lists show, and the account sees reads alone", async () => {
    const { emulator, readKey } = await account({ accountId: "acct_7" });
    emulator.clearJournal();
    const { code, out, err } = await twinOf({ emulator, readKey }, [], async (baseUrl, all) => {
      for (const kind of KINDS) {
        const shown = await objectsOf(baseUrl, all, kind);
        const own = emulator.objects(kind);
        expect(shown).toEqual(kind === "api_key" ? expect.arrayContaining(own) : own);
      }
    });
    expect(code).toBe(0);
    expect(new Set(emulator.journal().map(({ method }) => method))).toEqual(new Set(["GET"]));
    expect(err.join("\n")).toContain("read 2 servers");
    expect(lastWord(out, "export")).toBe(`ERPHOST_TWIN_OF=${emulator.baseUrl}`);
  });

  test("a list with a record that cannot be read makes no twin, and names the object", async () => {
    const { emulator, readKey } = await account();
    const file = join(folder(), "twin.json");
    const baseUrl = await rewritten(emulator, '"name":"ops"', '"name":5');
    const given = { emulator: { baseUrl }, readKey };
    const { code, out, err } = await twinOf(given, ["--save", file]);
    expect({ code, out, isKept: existsSync(file) }).toEqual({ code: 1, out: [], isKept: false });
    expect(err.at(-1)).toMatch(
      /^error: .*tea_a is in the list, but cannot be read: name .* profile/,
    );
  });

  test("a free field that is nested thousands of levels deep is left out by its name, here and by an import", async () => {
    const { emulator, readKey } = await account();
    const deep = `"region":"eu","deep":${"[".repeat(3_000)}${"]".repeat(3_000)}`;
    const baseUrl = await rewritten(emulator, '"region":"eu"', deep);
    const left = "warning: deep of srv_a is nested more than 64 levels deep, and is left out.";
    const twin = await twinOf({ emulator: { baseUrl }, readKey }, [], async (url, all) =>
      expect(await objectsOf(url, all, "server")).toEqual(emulator.objects("server")),
    );
    expect(twin).toMatchObject({ code: 0, err: expect.arrayContaining([left]) });
    const out = join(folder(), "program");
    const env = { ERPHOST_API_KEY: readKey, ERPHOST_BASE_URL: baseUrl };
    const words = ["--to", "terraform", "--out", out, "--property", "region"];
    const imported = await erphost(["import", ...words], { env });
    expect(imported).toMatchObject({ code: 0, err: expect.arrayContaining([left]) });
    expect(readFileSync(join(out, "servers.tf"), "utf8")).toMatch(/region *= "eu"/);
  });

  test("a twin says on every answer whose it is, and what the service calls the account", async () => {
    const { emulator, readKey } = await account({ accountId: "acct_7" });
    await twinOf({ emulator, readKey }, [], async (url, all) => {
      const key = /ERPHOST_API_KEY=(\S+)/.exec(all.join("\n"))?.[1] ?? "";
      const answer = await ask({ baseUrl: url }, "GET /auth/test", { key });
      expect(answer.headers.get("x-erphost-twin-of")).toBe(`test ${emulator.baseUrl}`);
      expect(await answer.json()).toMatchObject({ data: { account_id: "acct_7" } });
      expect((await fetch(`${url}/servers`)).headers.get("x-erphost-twin-of")).not.toBeNull();
      const { twin_of } = await control(url, all, "GET /health");
      expect(twin_of).toMatchObject({ accountId: "acct_7" });
      const made = await ask({ baseUrl: url }, "POST /servers", { key, body: { name: "new" } });
      expect(await made.json()).toMatchObject({ data: { id: "srv_twin_1" } });
    });
  });

  test("keys of a twin have values of their own, which are printed once by their ids", async () => {
    const { emulator, readKey } = await account();
    const { out } = await twinOf({ emulator, readKey }, [], async (url, all) => {
      const lines = all.map((each) => each.split("  ").slice(0, 4).join(" "));
      const value = lastWord(lines, "key_2");
      const test = (key: string) => ask({ baseUrl: url }, "GET /auth/test", { key });
      expect(await (await test(value)).json()).toMatchObject({ data: { key_id: "key_2" } });
      expect((await test(readKey)).status).toBe(401);
      expect((await test(emulator.adminKey)).status).toBe(401);
    });
    expect(out.join("\n")).not.toContain(readKey);
    expect(out.join("\n")).not.toContain(emulator.adminKey);
  });

  test("the old key of a rotation ends on the twin when it ends in the account", async () => {
    const { emulator } = await account();
    const { id } = emulator.createKey({ name: "rotated", permissions: ["read"] });
    await ask(emulator, `POST /api-keys/${id}/rotate`, { body: {} });
    await twinOf({ emulator, readKey: emulator.adminKey }, [], async (url, all) => {
      const idsOn = async () => JSON.stringify(await objectsOf(url, all, "api_key"));
      expect(await idsOn()).toContain(`"${id}"`);
      await control(url, all, "PUT /clock", { advance: "2d" });
      expect(await idsOn()).not.toContain(`"id":"${id}"`);
    });
  });

  test.each([
    [{ plan: "professional" }, "5000/1h, 500/1m"],
    [{ plan: "starter", realTime: AHEAD }, "1000/1h, 100/1m"],
    [{ keyClass: "limited" }, "100/1h, 10/1m"],
    [{ limits: [{ requests: 77, windowMs: 60_000 }] }, "77/1m"],
    [{}, "none"],
  ] as const)("the twin of an account with %j has the limit %s", async (options, shown) => {
    const { emulator, readKey } = await account(options);
    const { out } = await twinOf({ emulator, readKey });
    expect(out.find((line) => line.startsWith("  limit"))).toContain(shown);
  });

  test("a reading keeps to the quota of its key, so that none of its calls is refused", async () => {
    const { emulator, readKey } = await account({ limits: [{ requests: 4, windowMs: 1_000 }] });
    expect(await twinOf({ emulator, readKey })).toMatchObject({ code: 0 });
    const statuses = emulator.journal().map(({ status }) => status);
    expect(statuses.length).toBeGreaterThan(7);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  test.each([
    [{}, ["servers:read"], "instances: the key lacks instances:read."],
    [{ strict: true }, ["read", "billing:read"], "api keys: the service does not list them."],
  ])("with %j and a key that may do %j, the twin has no %s", async (options, permissions, left) => {
    const { emulator } = await account(options);
    const { value: readKey } = emulator.createKey({ permissions });
    const lines = ["read 2 servers", `warning: the twin has no ${left}`];
    const made = { code: 0, err: expect.arrayContaining(lines) };
    expect(await twinOf({ emulator, readKey })).toMatchObject(made);
  });

  test.each([0, -1])("a limit of %i is none", async (limit) => {
    const { emulator, readKey } = await account({ limits: [{ requests: 77, windowMs: 60_000 }] });
    const baseUrl = await rewritten(emulator, '"limit":77', `"limit":${limit}`);
    const { out } = await twinOf({ emulator: { baseUrl }, readKey });
    expect(out.find((line) => line.startsWith("  limit"))).toContain("none");
  });

  test("an account that fails half-way leaves no file and no twin", async () => {
    const { emulator, readKey } = await account();
    const file = join(folder(), "twin.json");
    emulator.setFaults([{ match: { path: "/servers" }, effect: { type: "status", status: 403 } }]);
    const failed = await twinOf({ emulator, readKey }, ["--save", file]);
    expect(failed).toMatchObject({ code: 1, out: [] });
    expect(readdirSync(join(file, ".."))).toEqual([]);
  });

  test.each([
    ["--save", (path: string) => join(path, "none", "twin.json"), "cannot be written (ENOENT)"],
    ["--data", (path: string) => join(path, "none", "twin.db"), "its folder does not exist"],
    ["--data", (path: string) => join(path, "twin.db"), "holds a state already"],
    ["--data", (path: string) => join(path, "twin"), "twin.key is not an emulator's"],
  ])("%s of a file that cannot be used is refused before any call", async (option, of, why) => {
    const { emulator, readKey } = await account();
    const path = folder();
    if (why.startsWith("holds")) await served([option, of(path)], {});
    writeFileSync(join(path, "twin.key"), "of a service");
    const said = await complaint(1, twinOf({ emulator, readKey }, [option, of(path)]));
    expect(said.startsWith(`error: ${option} `)).toBe(true);
    expect(said).toContain(why);
    expect(emulator.journal()).toEqual([]);
  });

  test("a port in use is refused before any call, and no state is made", async () => {
    const { emulator, readKey } = await account();
    const data = join(folder(), "twin.db");
    const words = ["--data", data, "--port", String(emulator.port)];
    const said = await complaint(1, twinOf({ emulator, readKey }, words));
    expect(said).toContain(`port ${emulator.port} is in use.`);
    expect([emulator.journal(), existsSync(data)]).toEqual([[], false]);
  });

  test.each([
    [{}, 1],
    [{ ERPHOST_API_KEY: "erp_test_0123456789abcdef" }, 1],
    [{ ERPHOST_FROM_API_KEY: "nonsense" }, 2],
  ])("--from with %j is refused before any call", async (env, exit) => {
    const { emulator } = await account();
    const ended = served(["--from", emulator.baseUrl], env);
    expect(await complaint(exit, ended)).toContain("ERPHOST_FROM_API_KEY");
    expect(emulator.journal()).toEqual([]);
  });

  test("a key that the account refuses is named as the variable that holds it", async () => {
    const { emulator, readKey } = await account();
    const said = await complaint(1, twinOf({ emulator, readKey: readKey.replace(/.$/, "_") }));
    expect(said).toMatch(/ERPHOST_FROM_API_KEY belongs to .*, set ERPHOST_FROM_API_KEY\./);
  });

  test("a live key is refused over plain http, and the value is not repeated", async () => {
    const key = "erp_live_0123456789abcdef";
    const env = { ERPHOST_FROM_API_KEY: key, ERPHOST_ALLOW_HTTP: "true" };
    const said = await complaint(2, served(["--from", "http://erp.example.com/v1"], env));
    expect(said).toContain("--from");
    expect(said).not.toContain(key);
  });
});

test("a member that a seed cannot have is named as the file has it", async () => {
  const file = join(folder(), "seed.json");
  writeFileSync(file, JSON.stringify({ limits: [], twinOf: "x" }));
  const said = await complaint(2, served(["--seed", file], {}));
  expect(said).toContain("seed: limits is not a known member; twinOf is not a known member.");
});

describe("the file of a twin", () => {
  test("a saved twin has no secrets, is readable by its owner alone, and can be loaded without any call", async () => {
    const { emulator, readKey } = await account();
    const file = join(folder(), "twin.json");
    const values: string[] = [readKey, emulator.adminKey, SECRET, "erp_live_0123456789ab"];
    await twinOf({ emulator, readKey }, ["--save", file], async (_, all) => {
      values.push(...(all.join("\n").match(/erp_test_\S+/g) ?? []));
    });
    const text = readFileSync(file, "utf8");
    expect(values.length).toBeGreaterThan(5);
    expect(values.filter((value) => text.includes(value))).toEqual([]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    emulator.clearJournal();
    const { err, out } = await served(["--snapshot", file], {}, async (url, all) => {
      expect(await objectsOf(url, all, "server")).toEqual(emulator.objects("server"));
    });
    expect(emulator.journal()).toEqual([]);
    const missing = "2 free fields are missing (ins_a admin_password, ins_b note)";
    expect(err.join("\n")).toContain(missing);
    expect(lastWord(out, "export")).toBe(`ERPHOST_TWIN_OF=${emulator.baseUrl}`);
  });

  test("nothing that looks like a secret is saved, whatever the name of its field", async () => {
    const { emulator, readKey } = await account();
    emulator.createObjects("team", { id: "tea_b", name: "texts", members: [], ...TEXT_FIELDS });
    const file = join(folder(), "twin.json");
    await twinOf({ emulator, readKey }, ["--save", file]);
    const text = readFileSync(file, "utf8");
    expect(SECRET_PARTS.filter((part) => text.includes(part))).toEqual([]);
    expect(text.match(/"field": ?"note_\d+"/g)).toHaveLength(SECRET_TEXTS.length);
    expect(text).toContain("plain_0");
  });

  test("a twin with a data file continues as a twin, with its limits and its profile", async () => {
    const limits = [{ requests: 77, windowMs: 60_000 }];
    const { emulator, readKey } = await account({ profile: MOVED, limits });
    const data = join(folder(), "twin.db");
    const profile = join(folder(), "profile.json");
    writeFileSync(profile, JSON.stringify(MOVED));
    await twinOf({ emulator, readKey }, ["--data", data, "--profile", profile]);
    const again = await served(["--data", data], {}, async (url, all) => {
      const { twin_of } = await control(url, all, "GET /health");
      expect(twin_of).toMatchObject({ baseUrl: emulator.baseUrl });
      const [, key] = /ERPHOST_API_KEY=(\S+)/.exec(all.join("\n")) ?? [];
      const { status, headers } = await ask({ baseUrl: url }, "GET /machines", { key });
      expect([status, headers.get("x-ratelimit-limit")]).toEqual([200, "77"]);
    });
    expect(again.out).toContain("  limit       77/1m for each key");
    expect(lastWord(again.out, "export")).toBe(`ERPHOST_TWIN_OF=${emulator.baseUrl}`);
    expect(again.out.join("\n")).not.toContain("shown once");
  });

  test("a file of something else is refused in its own names", async () => {
    const file = join(__dirname, "../../package.json");
    const said = await complaint(2, served(["--snapshot", file], {}));
    expect(said).toMatch(/--snapshot .*package\.json: file\.version/);
    expect(said).not.toContain("ERPHOST_");
  });

  test.each([
    [["--save", "x.json"], "error: --save: needs --from."],
    [["--seed", "nowhere.json"], "error: --seed nowhere.json: cannot be read."],
    [["--snapshot", __filename], /--snapshot .*twin\.test\.ts: is not valid JSON/],
  ])("a call that cannot be followed exits 2: %j", async (words, text) => {
    const { code, err } = await served(words, {});
    expect([code, err.join("\n")]).toEqual([2, expect.stringMatching(text)]);
  });
});
