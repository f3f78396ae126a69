import { describe, expect, test } from "@jest/globals";
import { setTimeout } from "node:timers/promises";
import { inspect } from "node:util";
import { startEmulator, type Emulator, type EmulatorOptions } from "../../emulator";
import { ErpHost, hasCode, type ErpHostOptions } from "../../provider";
import { given } from "../support/given";
import type { RawAnswer } from "../../provider/client/chain/call";
import type { Transport } from "../../provider/client/chain/transport";
import { BASE_URL, CANARY, failureOf, ok, opened, queryOf } from "./support/core";
import { ListService } from "./support/list-service";
import { scriptServer, success } from "./support/script-server";

const servers = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `s${index}` }));

async function started(options: EmulatorOptions = {}, more: ErpHostOptions = {}) {
  const { emulator } = await given(options);
  const { adminKey: apiKey, baseUrl } = emulator;
  return { emulator, baseUrl, erphost: opened({ apiKey, baseUrl, ...more }) };
}

const asked = (emulator: Emulator) =>
  emulator.journal().map(({ method, path, status }) => `${method} ${path} ${status}`);

describe("every operation", () => {
  test("servers are created, listed, read, changed and deleted", async () => {
    const { erphost } = await started();
    const made = await erphost.servers.create({ name: "web-1", properties: { zone: "eu" } });
    expect(made).toMatchObject({ name: "web-1", properties: { zone: "eu" } });
    expect(await erphost.servers.get(made.id)).toMatchObject({ id: made.id, status: "running" });
    const changed = await erphost.servers.update(made.id, { name: "web-2" });
    expect(changed).toMatchObject({ id: made.id, name: "web-2", properties: { zone: "eu" } });
    expect(await erphost.servers.list({ status: "running" }).toArray()).toHaveLength(1);
    expect(await erphost.servers.list({ status: "failed" }).toArray()).toEqual([]);
    expect(await erphost.servers.delete(made.id)).toBe("deleted");
    expect(await erphost.servers.delete(made.id)).toBe("absent");
    expect(await erphost.servers.get(made.id)).toBeUndefined();
  });

  test("instances are filtered by the service", async () => {
    const { erphost } = await started();
    const { id: serverId } = await erphost.servers.create({ name: "web-1" });
    for (const version of ["17.0", "18.0"]) {
      await erphost.instances.create({ name: version, serverId, version, edition: "community" });
    }
    const found = await erphost.instances.list({ version: "18.0" }).toArray();
    expect(found).toMatchObject([{ name: "18.0", serverId, edition: "community" }]);
    const changed = await erphost.instances.update(found[0]?.id ?? "", { version: "18.1" });
    expect(changed.version).toBe("18.1");
    expect(hasCode(await failureOf(erphost.servers.delete(serverId)), "conflict")).toBe(true);
    const lost = await failureOf(erphost.instances.create({ name: "x", serverId: "srv_none" }));
    expect(lost).toMatchObject({ code: "validation_error", field: "server_id", ambiguous: false });
    expect(String(lost)).toContain("serverId: ");
  });

  test("backups are created and retained; teams are created and changed", async () => {
    const { erphost } = await started();
    const { id: serverId } = await erphost.servers.create({ name: "web-1" });
    const backup = await erphost.backups.create({ serverId });
    const later = new Date(Date.now() + 60_000).toISOString();
    expect(await erphost.backups.list({ createdBefore: later }).toArray()).toHaveLength(1);
    expect(await erphost.backups.list({ createdAfter: later }).toArray()).toEqual([]);
    const refusal = await failureOf(erphost.backups.delete(backup.id));
    expect(refusal).toMatchObject({ code: "not_offered" });
    const members = [{ email: "ada@example.com", role: "admin" }];
    const team = await erphost.teams.create({ name: "ops", members });
    const changed = await erphost.teams.update(team.id, { members: [{ email: "bob@x.test" }] });
    expect(changed.members).toEqual([{ email: "bob@x.test" }]);
  });

  test("cloud providers and invoices are listed", async () => {
    const { emulator, erphost } = await started();
    emulator.createObjects("cloud_provider", { name: "north" });
    emulator.createObjects("invoice", { status: "paid", total_cents: 1_200 });
    expect(await erphost.cloudProviders.list().toArray()).toMatchObject([{ name: "north" }]);
    const invoice = { status: "paid", properties: { total_cents: 1_200 } };
    expect(await erphost.invoices.list().toArray()).toMatchObject([invoice]);
  });

  test("keys are created, rotated and tested, and the client continues with the new one", async () => {
    const { baseUrl, erphost } = await started({}, { debugAuth: true });
    const key = await erphost.apiKeys.create({
      name: "pipeline",
      permissions: ["servers:read", "api-keys:write"],
      ipWhitelist: ["127.0.0.0/8"],
    });
    // The service answers a value on creation; the type says that it may.
    const own = opened({ baseUrl, apiKey: key.value ?? "" });
    expect(await own.auth.test()).toMatchObject({ keyId: key.id, debug: undefined });
    const { oldKey, newKey } = await own.apiKeys.rotate(key.id);
    expect(oldKey.id).toBe(key.id);
    own.useKey(newKey.value);
    expect((await own.auth.test()).keyId).toBe(newKey.id);
    const error = await failureOf(own.servers.create({ name: "no" }));
    expect(error).toMatchObject({ code: "insufficient_permissions", required: ["servers:write"] });
    expect((await erphost.auth.test()).debug?.ipCheck).toBe("passed");
  });

  test("against a strict service, keys are not offered and rotation works", async () => {
    const { emulator, baseUrl, erphost } = await started({ strict: true });
    const { id, value } = emulator.createKey({ name: "k", permissions: ["admin"] });
    const create = failureOf(erphost.apiKeys.create({ name: "k", permissions: ["admin"] }));
    expect(await create).toMatchObject({ code: "not_offered" });
    expect(await failureOf(erphost.apiKeys.get(id))).toMatchObject({ code: "not_offered" });
    const { newKey } = await opened({ baseUrl, apiKey: value }).apiKeys.rotate(id);
    expect(newKey.value).toMatch(/_(live|test)_/);
  });

  test("a profile moves paths and switches operations on, with no other change", async () => {
    const profile = {
      resources: {
        server: { path: "/machines", fields: { name: "label" }, operations: { get: true } },
        team: { operations: { delete: true } },
      },
    };
    const { emulator, erphost } = await started({ profile }, { profile });
    const { id } = await erphost.servers.create({ name: "web-1" });
    expect(await erphost.servers.get(id)).toMatchObject({ name: "web-1" });
    expect(await erphost.servers.get("srv_none")).toBeUndefined();
    const team = await erphost.teams.create({ name: "ops" });
    expect(await erphost.teams.delete(team.id)).toBe("deleted");
    expect(asked(emulator).slice(0, 3)).toEqual([
      "POST /machines 201",
      `GET /machines/${id} 200`,
      "GET /machines/srv_none 404",
    ]);
  });
});

describe("a listing", () => {
  async function many(count: number) {
    const made = await started();
    made.emulator.createObjects("server", servers(count));
    made.emulator.clearJournal();
    return made;
  }

  test("a listing is iterated page by page, and requests no page that is not needed", async () => {
    const { emulator, erphost } = await many(25);
    const names: (string | undefined)[] = [];
    const listing = erphost.servers.list({ perPage: 10, sort: "createdAt", order: "asc" });
    for await (const { name } of listing) {
      names.push(name);
      if (names.length === 12) break;
    }
    expect(names.slice(0, 2)).toEqual(["s0", "s1"]);
    const query = "per_page=10&sort=created_at&order=asc";
    const pages = [{ query: `page=1&${query}` }, { query: `page=2&${query}` }];
    expect(emulator.journal()).toMatchObject(pages);
  });

  test("a listing gives pages, one page, or everything at once, and makes no call with a wrong parameter", async () => {
    const { emulator, erphost } = await many(25);
    const listing = erphost.servers.list({ perPage: 10 });
    const pages: number[][] = [];
    for await (const { items, totalItems = 0 } of listing.pages()) {
      pages.push([items.length, totalItems]);
    }
    expect(pages).toEqual([
      [10, 25],
      [10, 25],
      [5, 25],
    ]);
    expect(await listing.page(3)).toMatchObject({ page: 3, totalPages: 3, hasNext: false });
    emulator.clearJournal();
    const all = await erphost.servers.list().toArray();
    expect([all.length, all[0]?.name, emulator.journal().length]).toEqual([25, "s24", 1]);
    expect(await erphost.servers.list({ page: 2, perPage: 10 }).toArray()).toHaveLength(15);
    expect(() => erphost.servers.list({ perPage: 101 })).toThrow(/perPage/);
    await expect(erphost.servers.list().page(0)).rejects.toThrow(/page/);
    expect(emulator.journal()).toHaveLength(3);
  });

  test("a listing never gives an item twice although others insert meanwhile", async () => {
    const { emulator, erphost } = await many(25);
    const seen: string[] = [];
    for await (const { id } of erphost.servers.list({ perPage: 5 })) {
      seen.push(id);
      if (seen.length % 5 === 0) emulator.createObjects("server", { name: "late" });
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toHaveLength(25);
  });
});

describe("everything at once", () => {
  const all = (service: ListService, intercept: (page: string | null) => RawAnswer | void) => {
    const transport: Transport = async (request) => {
      sent += 1;
      const intercepted = intercept(queryOf(request).get("page"));
      if (!intercepted) await setTimeout(5);
      return intercepted ?? service.respond(request);
    };
    let sent = 0;
    const erphost = new ErpHost({ apiKey: CANARY, baseUrl: BASE_URL, env: {}, transport });
    return { all: erphost.servers.list().toArray(), sent: () => sent };
  };

  test.each([1, 2])("is all of it, or an error, where %i deletions move pages", async (count) => {
    const service = new ListService(250);
    let left = count;
    const read = all(service, (page) => {
      if (page === "2" && left-- > 0) service.remove(`srv_${240 + left}`);
    });
    if (count === 1) expect(await read.all).toHaveLength(249);
    else expect(await failureOf(read.all)).toMatchObject({ code: "list_changed", retryable: true });
    expect(read.sent()).toBe(6);
  });

  test("ends with the first page that fails", async () => {
    const read = all(new ListService(3_000), (page) => (page === "3" ? ok({}) : undefined));
    expect(await failureOf(read.all)).toMatchObject({ code: "invalid_response" });
    await setTimeout(50);
    expect(read.sent()).toBeLessThan(25);
  });
});

test.each([
  ["is one page whatever is asked for", [0, 0], 20, 2],
  ["overlaps, because others inserted meanwhile", [0, 10, 30, 45], 45, 4],
  ["has a page that is not full", [0, 20, 40, 45], 45, 4],
  ["is empty", [45], 0, 1],
])("a list without pagination that %s is read to its end", async (_, starts, count, calls) => {
  const all = Array.from({ length: 45 }, (__, at) => ({ id: `srv_${at}` }));
  const pages = starts.map((start) => success(all.slice(start, start + 20)));
  const { baseUrl, received } = await scriptServer(...pages, ...pages);
  const erphost = opened({ baseUrl });
  const each: unknown[] = [];
  for await (const { id } of erphost.servers.list()) each.push(id);
  expect([each.length, received.length]).toEqual([count, calls]);
  expect(await erphost.servers.list().toArray()).toHaveLength(count);
  expect(received).toHaveLength(2 * calls);
});

test("printing a client shows neither its key nor its configuration", () => {
  const erphost = new ErpHost({ apiKey: CANARY, baseUrl: BASE_URL });
  expect(inspect([erphost, erphost.servers, erphost.apiKeys], { depth: 20 })).not.toContain(CANARY);
  expect(JSON.stringify([erphost, erphost.servers])).not.toContain(CANARY);
});

/* eslint-disable @typescript-eslint/unbound-method -- that they work unbound is the claim */

test("a program can take the client's methods off their objects", async () => {
  const { emulator, erphost } = await started();
  const { close, useKey, servers, apiKeys } = erphost;
  const { create, list, get, update, delete: remove } = servers;
  useKey(emulator.adminKey);
  const [first] = await Promise.all(["a", "b"].map((name) => create({ name })));
  if (!first) throw new Error("nothing was created");
  expect((await update(first.id, { name: "c" })).name).toBe("c");
  expect((await get(first.id))?.name).toBe("c");
  expect(await remove(first.id)).toBe("deleted");
  const names: unknown[] = [];
  for await (const { name } of list()) names.push(name);
  expect(names).toEqual(["b"]);
  const { create: createKey, rotate } = apiKeys;
  const key = await createKey({ name: "ci", permissions: ["servers:read"] });
  expect((await rotate(key.id)).oldKey.id).toBe(key.id);
  await close();
});

test.each([
  [{ timeoutMs: 500 }, "ErpHost: timeoutMs is not a setting. Use timeout."],
  [{ baseURL: "" }, "ErpHost: baseURL is not a setting. Use baseUrl."],
  // Milliseconds to one half of all programs, and seconds to the other.
  [{ timeout: 30 }, "timeout must be a duration from 100ms to 1h, such as 60s"],
])("the client's options %j are refused by name", (odd, refusal) => {
  const options = { apiKey: CANARY, baseUrl: BASE_URL, env: {}, ...odd };
  // A program in JavaScript gives whatever it likes.
  expect(() => new ErpHost(options as ErpHostOptions)).toThrow(refusal);
});

test("a call refuses options that it does not know, with the nearest that it does", async () => {
  const { apiKeys, servers, auth } = new ErpHost({ apiKey: CANARY, baseUrl: BASE_URL, env: {} });
  const odd = Object.assign({ timeoutMs: 1_000 }, { timeout: 30 });
  const nearest = "timeout is not a setting. Use timeoutMs";
  expect(() => servers.list({}, odd)).toThrow(`list servers: ${nearest}`);
  await Promise.all(
    [
      servers.get("srv_1", { ...odd }),
      servers.create({ name: "a" }, odd),
      servers.update("srv_1", {}, odd),
      servers.delete("srv_1", odd),
      apiKeys.rotate("key_1", odd),
      auth.test(odd),
    ].map((call) => expect(call).rejects.toMatchObject({ name: "InvalidInput" })),
  );
});

test.each([
  ["empty", ""],
  ["in letters of its own", "zamówienie-Ł"],
  ["in words", "a b"],
  ["too long", "k".repeat(256)],
])("an idempotency key that is %s is refused before any call", async (_, idempotencyKey) => {
  const { apiKeys, servers } = new ErpHost({ apiKey: CANARY, baseUrl: BASE_URL, env: {} });
  const refused = "idempotencyKey: must be 1 to 255 visible ASCII characters.";
  const calls = [
    servers.create({ name: "n" }, { idempotencyKey }),
    apiKeys.rotate("key_1", { idempotencyKey }),
  ];
  await Promise.all(calls.map((call) => expect(call).rejects.toThrow(refused)));
});

test("objects that are read at the same time, or a moment later on request, cost one reading", async () => {
  const { emulator, erphost } = await started();
  const [first] = emulator.createObjects("server", servers(150));
  const { get } = erphost.servers;
  const id = String(first?.["id"]);
  await Promise.all([get(id), get(id), get(id)]);
  const pages = asked(emulator).length;
  expect(pages).toBeLessThanOrEqual(3);
  expect(await get(id, { maxAgeMs: 60_000 })).toMatchObject({ name: "s0" });
  expect(asked(emulator)).toHaveLength(pages);
  await get(id);
  expect(asked(emulator).length).toBeGreaterThan(pages);
});

test("a client closes at the end of the block that uses it", async () => {
  const { emulator, baseUrl } = await started();
  const used = await (async () => {
    await using erphost = opened({ baseUrl, apiKey: emulator.adminKey });
    expect(await erphost.servers.list().toArray()).toEqual([]);
    return erphost;
  })();
  expect(await failureOf(used.servers.get("srv_1"))).toMatchObject({ code: "closed" });
});

test("a program can take the emulator's methods off it", async () => {
  const { advance, objects, createKey, close } = await startEmulator();
  advance("1h");
  expect(createKey({ name: "ci", permissions: ["servers:read"] }).value).toMatch(/_test_/);
  expect(objects("server")).toEqual([]);
  await close();
});
