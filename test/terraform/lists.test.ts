import { describe, expect, test } from "@jest/globals";
import { readObject } from "../../provider/terraform/values/dynamic";
import * as m from "../../provider/terraform/wire/messages.gen";
import type { RawObject } from "../../provider/terraform/wire/msgpack";
import { emulator, encoded, provider, said, setUp } from "./support/provider";
import type { ListedEvent, TestProvider } from "./support/provider";

setUp();

const SERVER = "server";
const KEY = "api_key";

const all = (...given: Parameters<TestProvider["list"]>): Promise<ListedEvent[]> =>
  Array.fromAsync(provider.list(...given));

const ids = (events: readonly ListedEvent[]): unknown[] => events.flatMap(({ id }) => id ?? []);

const warnings = (events: readonly ListedEvent[]): string =>
  said(events.flatMap(({ diagnostic }) => diagnostic));

/** The pages of the list of servers that were asked for. */
const pages = (): string[] =>
  emulator
    .journal()
    .filter(({ path }) => path === "/servers")
    .map(({ query }) => new URLSearchParams(query).get("page") ?? "");

const servers = (count: number): string[] =>
  emulator
    .createObjects(
      "server",
      Array.from({ length: count }, (_, index) => ({ name: `s${index}`, status: "running" })),
    )
    .map(({ id }) => String(id));

describe("a list", () => {
  test("takes a page for a hundred objects, and its first event comes before the last page", async () => {
    const made = servers(1_000);
    const events = provider.list(SERVER, { limit: 1_000 });
    const first = await events.next();
    expect(pages()).toEqual(["1"]);
    const rest = await Array.fromAsync(events);
    expect(ids([first.value as ListedEvent, ...rest])).toEqual(made);
    expect(pages()).toHaveLength(10);
    expect(warnings(rest)).toBe("");
  });

  test("asks for no page after its limit, and says with the last object that there are more", async () => {
    servers(201);
    const events = await all(SERVER, { limit: 100 });
    expect(events).toHaveLength(100);
    expect(pages()).toEqual(["1"]);
    expect(events.at(-1)?.diagnostic).toMatchObject([{ severity: m.Severity.warning }]);
    expect(warnings(events)).toContain("There are more servers than the 100 that were listed");
    const filtered = await all(SERVER, { limit: 100, status: "running" });
    expect(warnings(filtered)).toContain("There may be more servers than the 100");
    expect(warnings(await all(SERVER, { limit: 201 }))).toBe("");
  });

  test("asks for no page after it was cancelled, and reports nothing more", async () => {
    servers(300);
    const cancelled = new AbortController();
    const events = provider.list(SERVER, {}, cancelled.signal);
    await events.next();
    cancelled.abort();
    expect((await Array.fromAsync(events)).flatMap(({ diagnostic }) => diagnostic)).toEqual([]);
    expect(pages()).toEqual(["1"]);
  });

  test.each([
    ["are deleted", 0],
    ["are deleted, and as many are created", 3],
  ])("sends what its pages skipped when others %s", async (_, created) => {
    const made = servers(250);
    const events = provider.list(SERVER);
    const seen = [(await events.next()).value as ListedEvent];
    for (const id of made.slice(5, 8)) emulator.removeObject("server", id);
    emulator.advance(1_000);
    servers(created);
    for await (const event of events) seen.push(event);
    const listed = ids(seen);
    expect(listed).toEqual(expect.arrayContaining(made));
    expect(new Set(listed).size).toBe(listed.length);
    expect(warnings(seen)).toBe("");
  });

  test("warns once where the service keeps no order, so that something may be missing", async () => {
    servers(250);
    emulator.setFaults([{ effect: { type: "ignore-order", order: "random" } }]);
    expect(warnings(await all(SERVER)).match(/some of them may be missing/g)).toHaveLength(1);
  });

  test("tells two of the same name apart", async () => {
    emulator.createObjects("server", [{ name: "web" }, { name: "web" }]);
    expect((await all(SERVER)).map(({ name }) => name)).toEqual(["web (srv_1)", "web (srv_2)"]);
  });

  test("narrows as the data source does, and refuses a wrong filter before any call", async () => {
    const [server] = servers(1);
    emulator.createObjects("instance", [
      { name: "a", server_id: server, version: "17.0" },
      { name: "b", server_id: server, version: "18.0" },
    ]);
    const found = await all("instance", { version: "18.0" });
    expect(found.map(({ name }) => name)).toEqual(["b (ins_2)"]);
    emulator.clearJournal();
    const wrong = { created_after: "yesterday" };
    const { diagnostics } = await provider.validate(SERVER, wrong, "ValidateListResourceConfig");
    expect(said(diagnostics)).toContain("created_after must be an ISO 8601 timestamp");
    expect(warnings(await all(SERVER, wrong))).toContain("created_after must be");
    expect(emulator.journal()).toEqual([]);
  });

  test("that fails on a later page leaves what it sent, and is one error", async () => {
    const made = servers(700);
    const events = provider.list(SERVER);
    const seen: ListedEvent[] = [];
    for await (const event of events) {
      seen.push(event);
      if (seen.length === 600) emulator.setFaults([{ effect: { type: "status", status: 403 } }]);
    }
    expect(ids(seen)).toEqual(made.slice(0, 600));
    expect(seen.at(-1)?.diagnostic).toMatchObject([{ severity: m.Severity.error }]);
    expect(seen.flatMap(({ diagnostic }) => diagnostic)).toHaveLength(1);
  });

  test("that the key may not read is one error, which says so", async () => {
    const { value } = emulator.createKey({ permissions: ["servers:read"] });
    await provider.configure({ api_key: value, base_url: emulator.baseUrl });
    const [only, ...more] = await all("team");
    expect(more).toEqual([]);
    expect(only?.diagnostic).toMatchObject([{ severity: m.Severity.error }]);
    expect(said(only?.diagnostic ?? [])).toContain("teams:read");
  });
});

/** A key, as it was made and once it was rotated. */
async function rotatedKey() {
  const config = { name: "ci", permissions: ["servers:read"], triggers: { n: "1" } };
  const made = await provider.apply(KEY, config);
  return [made, await provider.apply(KEY, { ...config, triggers: { n: "2" } }, made)] as const;
}

test("a list of keys has one result for the line of a key, its newest, and none for expired ones", async () => {
  const [made] = await rotatedKey();
  const expires_at = new Date(Date.now() + 86_400_000).toISOString();
  emulator.createKey({ name: "old", permissions: ["servers:read"], expires_at });
  const now = await all(KEY, { include: true });
  expect(now.map(({ name }) => name.split(" ")[0])).toEqual(["admin", "ci", "old"]);
  const line = now.find(({ name }) => name.startsWith("ci"));
  expect(line).toMatchObject({ id: made.state?.["id"], object: { id: made.state?.["id"] } });
  expect(line?.object?.["current_key_id"]).not.toBe(made.state?.["id"]);
  emulator.advance("2d");
  expect((await all(KEY)).map(({ name }) => name.split(" ")[0])).toEqual(["admin", "ci"]);
});

test("a list of keys has the newest of a line, also where others delete while it is read", async () => {
  const [made, rotated] = await rotatedKey();
  const others = Array.from({ length: 100 }, () => emulator.createKey({ name: "other" }));
  const unfollow = emulator.follow(({ status, query }) => {
    if (status !== 200 || new URLSearchParams(query).get("page") !== "1") return;
    for (const { id } of others.splice(0, 1)) emulator.removeObject("api_key", id);
  });
  const events = await all(KEY, { include: true });
  unfollow();
  const lines = events.filter(({ id }) => id === made.state?.["id"]);
  expect(lines.map(({ object }) => object?.["current_key_id"])).toEqual([
    rotated.state?.["current_key_id"],
  ]);
});

test("a whole object in a list has no secret, and is left out unless it is wanted", async () => {
  const token = "gl" + "pat-x9Kq2LmN8vR4tY6wZ1aB";
  emulator.createObjects("server", [{ name: "web", region: "eu", deploy_token: token }]);
  expect((await all(SERVER))[0]?.object).toBeNull();
  const [found] = await all(SERVER, { include: true });
  expect(found?.object).toMatchObject({ id: "srv_1", name: "web", status: "running" });
  expect(JSON.stringify(found)).toContain("region");
  expect(JSON.stringify(found)).not.toContain(token);
  for (const { object } of await all(KEY, { include: true })) {
    expect(object).toMatchObject({ value: null });
  }
});

test("a whole object that no program can declare comes with a warning", async () => {
  emulator.createObjects("server", [{ name: "", odd: true }, { name: "web" }]);
  const [odd, web] = await all(SERVER, { include: true });
  expect(warnings(odd ? [odd] : [])).toMatch(/Server srv_1 cannot be declared as it is: .*name/);
  expect(web?.diagnostic).toEqual([]);
  expect(warnings(await all(SERVER))).toBe("");
});

const generated = async (kind: string, state: RawObject | null) => {
  const request = { type_name: `erphost_${kind}`, state: encoded(state) };
  const [asking, answering] = [m.generateRequest, m.generateResponse] as const;
  const answer = await provider.call("GenerateResourceConfig", asking, answering, request);
  expect(answer.diagnostics).toEqual([]);
  const given = Object.entries(readObject(answer.config) ?? {});
  return Object.fromEntries(given.filter(([, value]) => value !== null));
};

test("a generated configuration declares what a person would write, and the next plan changes nothing", async () => {
  const [server] = servers(1);
  const members = [{ email: "ada@b.co", role: "admin", since: "2020" }, { email: "b@b.co" }];
  emulator.createObjects("team", [{ name: 'odd "${name}"', members, plan: "gold" }]);
  emulator.createObjects("backup", [{ server_id: server, size_gb: 4 }]);
  emulator.createObjects("instance", [{ name: "erp", server_id: server, api_token: "x" }]);
  await provider.apply(KEY, { name: "ci", permissions: ["servers:read"] });
  const expected: Record<string, RawObject[]> = {
    [SERVER]: [{ name: "s0" }],
    instance: [{ name: "erp", server_id: server ?? "" }],
    backup: [{ server_id: server ?? "" }],
    team: [
      {
        name: 'odd "${name}"',
        members: [
          { email: "ada@b.co", role: "admin" },
          { email: "b@b.co", role: null },
        ],
      },
    ],
    [KEY]: [
      { name: "admin", permissions: ["admin"] },
      { name: "ci", permissions: ["servers:read"] },
    ],
  };
  for (const [type, configurations] of Object.entries(expected)) {
    const objects = await all(type, { include: true });
    const configs = await Promise.all(objects.map(({ object }) => generated(type, object)));
    expect({ type, configs }).toEqual({ type, configs: configurations });
    for (const [index, { id }] of objects.entries()) {
      const held = await provider.import(type, "", { id: id ?? "" });
      const plan = await provider.plan(type, configs[index] ?? {}, held);
      expect([plan.diagnostics, plan.planned]).toEqual([[], { ...plan.planned, ...held.state }]);
    }
  }
});

test("a generated configuration is none where there is no object", async () => {
  expect(await generated(SERVER, null)).toEqual({});
});
