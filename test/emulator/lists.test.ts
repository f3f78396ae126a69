import { describe, expect, test } from "@jest/globals";
import type { Emulator } from "../../emulator";
import * as fc from "fast-check";
import { send, idsOf, eachWithEmulator, newEmulator } from "./support";

let emulator: Emulator;
eachWithEmulator((made) => (emulator = made));
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const servers = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `s${index}`, created_at: at(index) }));

describe("pages", () => {
  test("a page has 20 items by default", async () => {
    emulator.createObjects("server", servers(41));
    const reply = await send(emulator, "GET /servers");
    expect(reply.body.data).toHaveLength(20);
    const pages = { current_page: 1, per_page: 20, total_pages: 3, total_items: 41 };
    expect(reply.body.pagination).toEqual({ ...pages, has_next: true, has_previous: false });
    const last = await send(emulator, "GET /servers?page=3");
    expect(idsOf(last)).toEqual(["srv_1"]);
    expect(last.body.pagination).toMatchObject({ has_next: false, has_previous: true });
  });

  test.each([
    ["an empty list", 0, "page=2", [2, 20, 0]],
    ["a page past the end", 3, "per_page=2&page=7", [7, 2, 2]],
  ])("%s shows nothing and has no next page", async (_, total_items, query, expected) => {
    const [current_page, per_page, total_pages] = expected;
    const pages = { current_page, per_page, total_pages };
    emulator = await newEmulator();
    emulator.createObjects("server", servers(total_items));
    const { body } = await send(emulator, `GET /servers?${query}`);
    expect(body.data).toEqual([]);
    const none = { has_next: false, has_previous: total_items > 0 };
    expect(body.pagination).toEqual({ ...pages, total_items, ...none });
  });

  test.each([
    ["/servers?per_page=101", "per_page"],
    ["/servers?per_page=0", "per_page"],
    ["/servers?per_page=x", "per_page"],
    ["/servers?page=0", "page"],
    ["/servers?page=1000000000", "page"],
    ["/servers?page=-1", "page"],
    ["/servers?page=1.5", "page"],
    ["/servers?page=", "page"],
    ["/servers?order=up", "order"],
    ["/servers?sort=colour", "sort"],
    ["/servers?sort=%22%20--", "sort"],
    ["/instances?version=", "version"],
    ["/instances?edition=", "edition"],
    ["/backups?created_after=yesterday", "created_after"],
    ["/api-keys?sort=value", "sort"],
  ])("GET %s is a 422 that names the parameter", async (path, field) => {
    const reply = await send(emulator, `GET ${path}`);
    expect([reply.status, reply.body.error.code]).toEqual([422, "validation_error"]);
    expect(reply.body.error.details.field).toBe(field);
  });

  test("pages of any size show every object once and in order", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 40 }),
        fc.integer({ min: 1, max: 15 }),
        fc.constantFrom("asc", "desc"),
        async (seconds, perPage, order) => {
          emulator.reset();
          const records = seconds.map((second) => ({ name: "a", created_at: at(second) }));
          emulator.createObjects("server", records);
          const walked: { id: string; created_at: string }[] = [];
          const pages = Math.ceil(seconds.length / perPage);
          for (let page = 1; page <= pages; page += 1) {
            const query = `page=${page}&per_page=${perPage}&order=${order}`;
            const { body } = await send(emulator, `GET /servers?${query}`);
            expect(body.pagination.has_next).toBe(page < pages);
            walked.push(...body.data);
          }
          expect(new Set(walked.map(({ id }) => id)).size).toBe(seconds.length);
          const times = walked.map((each) => each.created_at);
          const sorted = times.toSorted();
          expect(times).toEqual(order === "asc" ? sorted : sorted.reverse());
        },
      ),
      { numRuns: 25 },
    );
  });
});

test("a list can be sorted by any field in both directions", async () => {
  emulator.createObjects("server", [{ name: "b" }, { name: "c" }, { name: "a" }]);
  const names = async (query: string) =>
    (await send(emulator, `GET /servers?${query}`)).body.data.map(({ name }) => name);
  expect(await names("sort=name&order=asc")).toEqual(["a", "b", "c"]);
  expect(await names("sort=name&order=desc")).toEqual(["c", "b", "a"]);
  expect(await names("sort=name")).toEqual(["c", "b", "a"]);
  expect(await names("sort=id&order=asc")).toEqual(["b", "c", "a"]);
});

test("ties keep the order of insertion, in the direction of the sort", async () => {
  const same = { created_at: at(0), name: "same" };
  emulator.createObjects("server", [same, same, same]);
  const ids = ["srv_1", "srv_2", "srv_3"];
  for (const field of ["created_at", "name"]) {
    const sorted = `GET /servers?sort=${field}&order=`;
    expect(idsOf(await send(emulator, `${sorted}asc`))).toEqual(ids);
    expect(idsOf(await send(emulator, `${sorted}desc`))).toEqual(ids.toReversed());
  }
});

describe("filters", () => {
  const ids = async (list: string) => idsOf(await send(emulator, `GET /${list}&order=asc`));
  const twoStates = ["running", "failed"].map((status) => ({ name: "a", status }));

  test("instances can be filtered by version and edition together", async () => {
    emulator.createObjects("server", { name: "a" });
    const common = { name: "i", server_id: "srv_1" };
    emulator.createObjects("instance", [
      { ...common, version: "17.0", edition: "community" },
      { ...common, version: "17.0", edition: "enterprise" },
      { ...common, version: "18.0", edition: "enterprise" },
    ]);
    expect(await ids("instances?version=17.0")).toEqual(["ins_1", "ins_2"]);
    expect(await ids("instances?edition=enterprise")).toEqual(["ins_2", "ins_3"]);
    expect(await ids("instances?version=17.0&edition=enterprise")).toEqual(["ins_2"]);
  });

  test("backups can be filtered by time with exclusive bounds, where a date is midnight UTC", async () => {
    emulator.createObjects("server", { name: "a" });
    for (const time of ["01T23:59:59.999Z", "02T00:00:00.000Z", "02T00:00:00.001Z"]) {
      emulator.createObjects("backup", { server_id: "srv_1", created_at: `2026-01-${time}` });
    }
    expect(await ids("backups?created_after=2026-01-02")).toEqual(["bak_3"]);
    expect(await ids("backups?created_before=2026-01-02")).toEqual(["bak_1"]);
    expect(await ids("backups?created_after=2026-01-01T23:59:59.999Z")).toEqual(["bak_2", "bak_3"]);
    expect(await ids("backups?created_after=2026-01-02T01:00:00%2B01:00")).toEqual(["bak_3"]);
    const between = "backups?created_after=2026-01-01&created_before=2026-01-02T00:00:00.001Z";
    expect(await ids(between)).toEqual(["bak_1", "bak_2"]);
  });

  test("an unknown list parameter is ignored", async () => {
    emulator.createObjects("team", twoStates);
    expect(idsOf(await send(emulator, "GET /teams?status=failed&x=1"))).toHaveLength(2);
  });
});

test("100 pages of 10,000 servers have each of them", async () => {
  emulator.createObjects("server", servers(10_000));
  const seen = new Set<string>();
  for (let page = 1; page <= 100; page += 1) {
    const reply = await send(emulator, `GET /servers?per_page=100&order=asc&page=${page}`);
    for (const id of idsOf(reply)) seen.add(id);
  }
  expect(seen.size).toBe(10_000);
});
