import { expect, test } from "@jest/globals";
import type { FaultInput } from "../../emulator";
import { idsOf, manualTime, newEmulator, send } from "./support";

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

/** An emulator with nine servers, of which three each were created at one time. */
async function nineServers(effect: FaultInput["effect"]) {
  const emulator = await newEmulator();
  for (let index = 0; index < 9; index += 1) {
    emulator.createObjects("server", { name: "a", created_at: at(Math.floor(index / 3)) });
  }
  emulator.setFaults([{ effect }]);
  return emulator;
}

const listed = async (effect: FaultInput["effect"], query: string) =>
  send(await nineServers(effect), `GET /servers?${query}`);
const ids = async (effect: FaultInput["effect"], query: string) =>
  idsOf(await listed(effect, query)).map((id) => Number(id.slice(4)));

const SECOND = "order=asc&per_page=3&page=2";
test.each<[FaultInput["effect"], string, number[]]>([
  ["shift-pages", "order=asc&per_page=3&page=1", [1, 2, 3]],
  ["shift-pages", SECOND, [5, 6, 7]],
  [{ type: "shift-pages", by: -1 }, SECOND, [3, 4, 5]],
  ["ignore-order", "order=asc&per_page=3", [9, 8, 7]],
  [{ type: "ignore-order", order: "asc" }, "order=desc&per_page=3", [1, 2, 3]],
])("under the fault %j a list by %s shows %j", async (effect, query, shown) => {
  expect(await ids(effect, query)).toEqual(shown);
});

test("the fault ignore-order can list all items in random order", async () => {
  const random = await ids({ type: "ignore-order", order: "random" }, "order=asc");
  expect(random.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(random).not.toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test("the fault tie-shuffle reorders only items with equal times", async () => {
  const orders = new Set<string>();
  const emulator = await nineServers("tie-shuffle");
  for (let turn = 0; turn < 10; turn += 1) {
    const { data } = (await send(emulator, "GET /servers?order=asc")).body;
    const times = data.map(({ created_at }) => created_at);
    expect(times).toEqual(times.toSorted());
    orders.add(data.map(({ id }) => id).join());
  }
  expect(orders.size).toBeGreaterThan(1);
});

test("the fault list-lag shows creates, changes and deletes later", async () => {
  const { realTime, pass } = manualTime();
  const emulator = await newEmulator({ realTime });
  emulator.createObjects("server", [{ name: "changed" }, { name: "removed" }]);
  pass(2_000);
  emulator.setFaults([{ effect: "list-lag" }]);
  await send(emulator, "POST /servers", { body: { name: "made" } });
  await send(emulator, "PATCH /servers/srv_1", { body: { name: "new" } });
  await send(emulator, "DELETE /servers/srv_2");
  const names = async () =>
    (await send(emulator, "GET /servers?order=asc")).body.data.map(({ name }) => name);
  expect(await names()).toEqual(["changed", "removed"]);
  pass(1_999);
  expect(await names()).toEqual(["changed", "removed"]);
  pass(1);
  expect(await names()).toEqual(["new", "made"]);
});

test.each([
  ["and pagination says so", {}, [4, 3]],
  ["and without echo pagination contradicts the page", { echo: false }, [100, 1]],
])("the fault clamp-per-page limits the items per page, %s", async (_, more, pages) => {
  const effect = { type: "clamp-per-page", max: 4, ...more } as const;
  const reply = await listed(effect, "order=asc&per_page=100&page=2");
  expect(idsOf(reply)).toEqual(["srv_5", "srv_6", "srv_7", "srv_8"]);
  const [per_page, total_pages] = pages;
  expect(reply.body.pagination).toMatchObject({ per_page, total_pages, total_items: 9 });
});

test("filters and sorting work in a distorted list as in an ordinary one", async () => {
  const emulator = await newEmulator();
  emulator.createObjects("server", [
    { name: "b", status: "failed" },
    { name: "a", status: "failed" },
    { name: "c" },
  ]);
  const query = "GET /servers?status=failed&sort=name&order=asc";
  const straight = await send(emulator, query);
  emulator.setFaults([{ effect: { type: "list-lag", ms: 0 } }]);
  const bent = await send(emulator, query);
  expect(idsOf(bent)).toEqual(["srv_2", "srv_1"]);
  expect(bent.body.data).toEqual(straight.body.data);
});
