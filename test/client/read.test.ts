import { describe, expect, test } from "@jest/globals";
import { plainVoice, say, type Message } from "../../provider/messages";
import { OwnWrites } from "../../provider/client/lists/own-writes";
import { contradiction } from "../../provider/client/lists/page";
import type { Walk } from "../../provider/client/lists/walk";
import type { ServiceRecord } from "../../provider/contract";
import { clientOn, failure, failureOf, inTurn, ok, pagination, raw, SERVER } from "./support/core";
import type { ClientOptions, Respond } from "./support/core";
import { ListService, type Item } from "./support/list-service";
import type { WireRequest } from "../../provider/client/chain/transport";

/** A client on a list service that also answers writes, by default with what they do. */
function served(count: number, options: ClientOptions = {}, written = write) {
  const service = new ListService(count);
  const own = clientOn(
    (request) => (request.method === "GET" ? service.respond(request) : written(service, request)),
    options,
  );
  return { service, ...own };
}

function write(service: ListService, { method, path, body }: WireRequest) {
  const id = decodeURIComponent(path.split("/")[3] ?? "");
  const at = service.items.findIndex((item) => item.id === id);
  // The tests send JSON objects and nothing else.
  const sent = JSON.parse(body ?? "{}") as Record<string, unknown>;
  if (method === "POST") return { ...ok(service.insert(sent)), status: 201 };
  if (at < 0) return failure(404, "not_found");
  if (method === "DELETE") {
    service.remove(id);
    return ok({ id });
  }
  // `at` was found above.
  const changed = { ...(service.items[at] as Item), ...sent };
  service.items[at] = changed;
  return ok(changed);
}

const listCalls = (sent: readonly WireRequest[]) => sent.filter(({ method }) => method === "GET");

describe("reading from shared walks", () => {
  test("a refresh of a thousand takes ten list calls, however it is spread over time", async () => {
    const { service, core, clock, sent } = served(1_000);
    const ids = service.items.map(({ id }) => id);
    const first = ids.slice(0, 400).map((id) => core.read("server", id, { maxAgeMs: 60_000 }));
    const readings = await clock.run(Promise.all(first));
    await clock.advance(5_000);
    const later = ids.slice(400).map((id) => core.read("server", id, { maxAgeMs: 60_000 }));
    readings.push(...(await clock.run(Promise.all(later))));
    expect(readings.every(({ state }) => state === "present")).toBe(true);
    expect(sent).toHaveLength(10);
  });

  test("a call without an age limit joins a walk under way, or starts one", async () => {
    const { core, clock, sent } = served(30);
    await clock.run(Promise.all([core.snapshot("server"), core.snapshot("server")]));
    expect(sent).toHaveLength(1);
    await clock.run(core.snapshot("server"));
    expect(sent).toHaveLength(2);
    await clock.run(core.snapshot("server", { maxAgeMs: 1_000 }));
    expect(sent).toHaveLength(2);
    await clock.advance(1_001);
    await clock.run(core.snapshot("server", { maxAgeMs: 1_000 }));
    expect(sent).toHaveLength(3);
  });

  test("a snapshot that has to be new joins no walk under way", async () => {
    const { core, clock, sent } = served(30, { given: { concurrency: 1, limits: ["1/10s"] } });
    await clock.run(core.authTest().catch(() => undefined));
    const walks = [core.snapshot("server"), core.snapshot("server")];
    await clock.advance(1);
    const late = [1, 2].map(() => core.snapshot("server", { isNew: true }));
    await clock.advance(1);
    late.push(core.snapshot("server", { isNew: true }));
    await clock.run(Promise.all([...walks, ...late]));
    // Those who ask while one is under way share the next.
    expect(listCalls(sent)).toHaveLength(1 + 2);
  });

  test("a shared walk continues when one caller gives up, and ends when all do", async () => {
    const { core, clock, sent } = served(30, { given: { concurrency: 1, limits: ["1/10s"] } });
    await clock.run(core.authTest().catch(() => undefined));
    const quits = new AbortController();
    const gone = failureOf(core.snapshot("server", { signal: quits.signal }));
    const stays = core.snapshot("server");
    await clock.advance(100);
    quits.abort();
    expect(await gone).toMatchObject({ code: "aborted" });
    expect((await clock.run(stays)).records.size).toBe(30);
    const alone = new AbortController();
    const left = failureOf(core.snapshot("server", { signal: alone.signal }));
    await clock.advance(100);
    alone.abort();
    await left;
    await clock.advance(60_000);
    expect(listCalls(sent)).toHaveLength(2);
  });
});

describe("the verdict", () => {
  test("absence needs two more walks, which callers at about the same time share", async () => {
    const { core, clock, sent, notices, onNotice } = served(250);
    const options = { maxAgeMs: 60_000, onNotice };
    await clock.run(core.snapshot("server", { maxAgeMs: 60_000 }));
    const asked = Array.from({ length: 50 }, (_, index) =>
      core.read("server", `srv_none_${index}`, options),
    );
    expect((await clock.run(Promise.all(asked))).every(({ state }) => state === "gone")).toBe(true);
    const pages = sent.map(({ path }) => /page=(\d)/.exec(path)?.[1]);
    expect(pages.slice(3).join("")).toBe("321321");
    expect(sent.every(({ path }) => path.includes("sort=created_at&order=asc"))).toBe(true);
    expect(notices.filter(({ kind }) => kind === "absence")).toHaveLength(50);
  });

  test("on a list of one page, the walk that did not show the object counts as the first, unless it started before the question", async () => {
    const { core, clock, sent } = served(20);
    expect(await clock.run(core.read("server", "srv_none"))).toMatchObject({ state: "gone" });
    expect(sent).toHaveLength(2);
    await clock.advance(1);
    await clock.run(core.read("server", "srv_none_either", { maxAgeMs: 60_000 }));
    expect(sent).toHaveLength(4);
  });

  test("an object that the first walk missed and the second shows is present", async () => {
    const { service, core, clock } = served(20);
    let hidden = true;
    service.rearrange = (items) => items.filter(({ id }) => !(hidden && id === "srv_7"));
    const reading = core.read("server", "srv_7");
    await clock.advance(0);
    hidden = false;
    expect(await clock.run(reading)).toMatchObject({ state: "present", record: { id: "srv_7" } });
  });

  test.each([
    ["a refusal", failure(403, "forbidden")],
    ["a 404 of the list", failure(404, "not_found")],
    ["a bare 404", raw(404, "<html>", { "content-type": "text/html" })],
    ["a page that is not an array", ok({ id: "x" })],
    ["a page that contradicts itself", ok([], { pagination: pagination(1, 100, 7) })],
  ])("an error never proves absence: %s", async (_, answer) => {
    const { core, failed } = clientOn(() => answer);
    const error = await failed(core.read("server", "srv_1"));
    expect(error).toMatchObject({ name: "ErpHostError" });
    expect(error).not.toMatchObject({ code: "not_found" });
  });

  test("an error in the second walk does not prove absence either", async () => {
    const service = new ListService(20);
    const { core, failed, sent } = clientOn((request) =>
      sent.length === 1 ? service.respond(request) : failure(401, "token_expired"),
    );
    expect(await failed(core.read("server", "srv_none"))).toMatchObject({ code: "token_expired" });
  });

  test("two walks that agree prove absence where the order is not kept", async () => {
    const { service, core, clock, sent } = served(250);
    service.rearrange = (items) => [...items].sort((a, b) => a.id.localeCompare(b.id));
    expect(await clock.run(core.read("server", "srv_none"))).toMatchObject({ state: "gone" });
    expect(sent).toHaveLength(9);
  });

  test("absence is an error after eight walks where neither order nor count holds", async () => {
    const { service, core, failed, sent } = served(250);
    service.rearrange = (items) => {
      const by = (sent.length % 7) * 20;
      return [...items.slice(by), ...items.slice(0, by)];
    };
    const error = await failed(core.read("server", "srv_none"));
    expect(error).toMatchObject({ code: "unproved_absence", retryable: true });
  });

  test("a list without pagination whose first page is full proves nothing", async () => {
    const items = new ListService(100).items;
    const { core, clock, failed } = clientOn(({ path }) =>
      ok(path.includes("page=1&") ? items : []),
    );
    expect(await clock.run(core.read("server", "srv_5"))).toMatchObject({ state: "present" });
    const error = await failed(core.read("server", "srv_none"));
    expect(error).toMatchObject({ code: "unproved_absence" });
    expect(String(error)).toMatch(/full page without pagination proves nothing/);
  });

  test("an item GET of the profile reads an object, and proves absence with its second 404", async () => {
    const profile = { resources: { server: { operations: { get: true } } } };
    const respond: Respond = ({ path }) =>
      path.endsWith("/srv_1") ? SERVER : failure(404, "not_found");
    const { core, clock, sent } = clientOn(respond, { given: { profile } });
    expect(await clock.run(core.read("server", "srv_1"))).toMatchObject({ state: "present" });
    expect(await clock.run(core.read("server", "srv_2"))).toMatchObject({ state: "gone" });
    expect(sent.map(({ path }) => path)).toEqual([1, 2, 2].map((n) => `/v1/servers/srv_${n}`));
  });
});

describe("odd records", () => {
  const odd = (more: Record<string, unknown>) => {
    const made = served(3);
    made.service.items.push({ ...made.service.insert(), ...more });
    made.service.items.splice(3, 1);
    return made;
  };

  test("odd records never break a walk, and are reported once; reading one is an error and never absence", async () => {
    const { core, clock, failed, notices, onNotice } = odd({ name: 7 });
    const snapshot = await clock.run(core.snapshot("server", { onNotice }));
    await clock.run(core.snapshot("server", { onNotice }));
    expect([...snapshot.records.keys()]).toEqual(["srv_1", "srv_2", "srv_3"]);
    expect(notices.map(({ message }) => message)).toEqual([
      "GET /servers lists srv_4, which cannot be read: name is not a string.",
    ]);
    const error = await failed(core.read("server", "srv_4"));
    expect(error).toMatchObject({ code: "odd_record", objectId: "srv_4" });
  });

  test("a record without an id may be any object, so nothing is proved absent next to it", async () => {
    const { core, clock, failed } = odd({ id: undefined });
    expect(await clock.run(core.read("server", "srv_2"))).toMatchObject({ state: "present" });
    const error = await failed(core.read("server", "srv_none"));
    expect(error).toMatchObject({ code: "unproved_absence" });
  });
});

describe("own writes and lists that lag behind", () => {
  test("a list that does not show a created object yet does not undo it", async () => {
    const { service, core, clock } = served(3);
    const { record } = await clock.run(core.create("server", { name: "mine" }));
    service.rearrange = (items) => items.filter(({ id }) => id !== record.id);
    await clock.advance(9_000);
    expect(await clock.run(core.read("server", record.id))).toMatchObject({ state: "present" });
    expect((await clock.run(core.snapshot("server"))).records.has(record.id)).toBe(true);
    await clock.advance(1_100);
    expect(await clock.run(core.read("server", record.id))).toMatchObject({ state: "gone" });
  });

  test("a list counts again once it shows what was written", async () => {
    const { service, core, clock } = served(3);
    const before = [...service.items];
    await clock.run(core.update("server", "srv_2", { name: "new" }));
    const after = service.items;
    const read = async () => {
      await clock.advance(10);
      return clock.run(core.read("server", "srv_2"));
    };
    service.items = before;
    expect(await read()).toMatchObject({ record: { fields: { name: "new" } } });
    const { records } = await clock.run(core.newest("server")(1, 100));
    expect(records.find(({ id }) => id === "srv_2")).toMatchObject({ fields: { name: "new" } });
    service.items = after.map((item) => ({ ...item, status: "running" }));
    expect(await read()).toMatchObject({ record: { fields: { name: "new", status: "running" } } });
  });

  test("a list that was asked for before a write never overwrites it, however long it is kept", async () => {
    const { core, clock } = served(3);
    await clock.run(core.snapshot("server", { maxAgeMs: 1e9 }));
    await clock.advance(10);
    const { record } = await clock.run(core.create("server", { name: "mine" }));
    await clock.run(core.update("server", "srv_1", { name: "new" }));
    await clock.run(core.remove("server", "srv_2"));
    await clock.advance(60_000);
    const { records } = await clock.run(core.snapshot("server", { maxAgeMs: 1e9 }));
    expect([...records.keys()].sort()).toEqual(["srv_1", "srv_3", record.id]);
    expect(records.get("srv_1")?.fields["name"]).toBe("new");
    const gone = await clock.run(core.read("server", "srv_2", { maxAgeMs: 1e9 }));
    expect(gone).toMatchObject({ state: "gone" });
  });

  test("a delete of this client holds although the list still shows the object", async () => {
    const { service, core, clock, sent } = served(3);
    const before = service.items;
    expect(await clock.run(core.remove("server", "srv_2"))).toBe("deleted");
    service.items = before;
    expect(await clock.run(core.read("server", "srv_2"))).toMatchObject({ state: "gone" });
    expect(listCalls(sent)).toHaveLength(0);
    expect((await clock.run(core.snapshot("server"))).records.has("srv_2")).toBe(false);
    await clock.advance(11_000);
    expect(await clock.run(core.read("server", "srv_2"))).toMatchObject({ state: "present" });
  });

  test("no earlier walk counts after a write whose outcome is unknown", async () => {
    const { core, clock, sent, failed } = served(3, {}, (_, { method }) =>
      raw(200, method === "POST" ? "{" : ""),
    );
    await clock.run(core.snapshot("server", { maxAgeMs: 1e9 }));
    const error = await failed(core.create("server", { name: "mine" }));
    expect(error).toMatchObject({ code: "invalid_response", ambiguous: true });
    await clock.run(core.snapshot("server", { maxAgeMs: 1e9 }));
    expect(listCalls(sent)).toHaveLength(2);
    await clock.advance(10);
    await clock.run(core.remove("server", "srv_1"));
    await clock.run(core.snapshot("server", { maxAgeMs: 1e9 }));
    expect(listCalls(sent)).toHaveLength(3);
  });

  test("a refused write leaves an earlier walk as it was", async () => {
    const { core, clock, sent, failures } = served(3, {}, () => failure(422, "validation_error"));
    await clock.run(core.snapshot("server", { maxAgeMs: 1e9 }));
    await clock.advance(10);
    const refused = await failures([core.create("server", {}), core.remove("server", "srv_1")]);
    expect(refused.map(({ ambiguous }) => ambiguous)).toEqual([false, false]);
    await clock.run(core.snapshot("server", { maxAgeMs: 1e9 }));
    expect(listCalls(sent)).toHaveLength(1);
  });

  test.each([
    ["an earlier answer does not count", { idempotencyKey: "k" }, "gone"],
    ["its own lost answer counts", {}, "present"],
  ])("a replayed create that shows %s as a write", async (_, options, state) => {
    const replay = { ...ok({ id: "srv_old" }), headers: { "idempotent-replayed": "true" } };
    const { core, clock } = served(3, {}, () => replay);
    const { replayed } = await clock.run(core.create("server", { name: "old" }, options));
    expect(replayed).toBe(true);
    expect(await clock.run(core.read("server", "srv_old"))).toMatchObject({ state });
  });
});

describe("pagination that contradicts itself", () => {
  const good = pagination(2, 10, 35);
  test.each([
    [{ ...good, current_page: 3 }, 10, "current_page is 3, expected 2"],
    [{ ...good, per_page: 50 }, 10, "per_page is 50, expected at most 10"],
    [{ ...good, total_pages: 9 }, 10, "total_pages is 9, expected 4"],
    [{ ...good, has_next: false }, 10, "has_next is false, expected true"],
    [{ ...good, has_previous: false }, 10, "has_previous is false, expected true"],
    [good, 7, "the number of items is 7, expected 10"],
    [{ ...good, total_items: "35" }, 10, "pagination.total_items must be a number"],
  ])("wrong pagination is named: %#", (pagination, size, problem) => {
    // Each of them has one, or the test fails.
    expect(say(plainVoice, contradiction(pagination, 2, 10, size) as Message).clause).toBe(problem);
  });

  test("a page that contradicts itself is requested again, because the list may have changed", async () => {
    const page = (total: number) =>
      ok([{ id: "srv_1" }], { pagination: pagination(1, 100, total) });
    const { core, clock, sent } = clientOn(inTurn(page(2), page(1)));
    expect((await clock.run(core.snapshot("server"))).records.size).toBe(1);
    expect(sent).toHaveLength(2);
  });

  test("pagination that agrees with its page is accepted", () => {
    expect(contradiction(good, 2, 10, 10)).toBeUndefined();
    expect(contradiction(pagination(1, 20, 0), 1, 20, 0)).toBeUndefined();
    expect(contradiction({ ...pagination(1, 20, 0), total_pages: 1 }, 1, 20, 0)).toBeUndefined();
    expect(contradiction(pagination(9, 20, 35), 9, 20, 0)).toBeUndefined();
    expect(contradiction(undefined, 1, 20, 20)).toBeUndefined();
  });
});

test("a list that was begun before an own write undoes none of its answer", () => {
  const writes = new OwnWrites(10_000);
  const shown = { id: "srv_1", fields: { name: "n", status: "running" }, properties: {} };
  const record: ServiceRecord = { ...shown, fields: { name: "n", status: "updating" } };
  writes.add("srv_1", { at: 100, record, names: ["name"], serviceTime: undefined });
  const older = { begunAt: 50, records: new Map([["srv_1", shown]]) };
  const over = writes.over(older as unknown as Walk, "srv_1");
  expect(over).toMatchObject({ state: "present", record });
});

test("a whole number that no double holds keeps its digits, as a text", async () => {
  const numbers =
    '"a":9007199254740993,"b":9007199254740992,"c":-1e+21,"d":[-12345678901234567890]';
  const { core, clock } = clientOn(() =>
    raw(200, `{"success":true,"data":[{"id":"1",${numbers}}]}`),
  );
  const { records } = await clock.run(core.snapshot("server"));
  expect(records.get("1")?.properties).toEqual({
    ...{ a: "9007199254740993", b: 9007199254740992, c: -1e21, d: ["-12345678901234567890"] },
  });
});
