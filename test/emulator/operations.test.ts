import { expect, test } from "@jest/globals";
import type { Emulator } from "../../emulator";
import { send, eachWithEmulator, newEmulator, TIMESTAMP } from "./support";

let emulator: Emulator;
eachWithEmulator((made) => (emulator = made));

const meta = {
  timestamp: expect.stringMatching(TIMESTAMP),
  request_id: expect.stringMatching(/^req_[0-9a-f]{18}$/),
};
const created_at = expect.stringMatching(TIMESTAMP);
const success = (data: object) => ({ success: true, data, meta });
const newServer = (name = "a") => send(emulator, "POST /servers", { body: { name } });

test("a server with instances cannot be deleted", async () => {
  await newServer();
  await send(emulator, "POST /instances", { body: { name: "i", server_id: "srv_1" } });
  const reply = await send(emulator, "DELETE /servers/srv_1");
  const details = { field: "id", reason: "is still used by 1 instance: ins_1" };
  const error = { code: "conflict", message: `server srv_1 ${details.reason}`, details };
  expect([reply.status, reply.body]).toEqual([409, { success: false, meta, error }]);
  await send(emulator, "DELETE /instances/ins_1");
  expect((await send(emulator, "DELETE /servers/srv_1")).status).toBe(200);
});

test("an id is never assigned twice", async () => {
  await newServer();
  await send(emulator, "DELETE /servers/srv_1");
  expect((await newServer()).body.data.id).toBe("srv_2");
});

const members = [{ email: "ada@example.com", role: "admin" }, { email: "bob@example.com" }];
const erp = { name: "erp", server_id: "srv_1", version: "17.0", edition: "community" };
const RUNNING = { status: "running" };
test.each([
  ["/servers srv_2", { name: "erp-production", ...RUNNING }, { name: "new" }, 200],
  ["/instances ins_1", { ...erp, ...RUNNING }, { version: "18.0" }, 200],
  ["/teams team_1", { name: "ops", members }, { members: [] }, 405],
])("objects of %s live as the contract says", async (pathAndId, shown, change, deletion) => {
  await newServer();
  const [path = "", id = ""] = pathAndId.split(" ");
  const { status: _, ...body } = { status: "", ...shown };
  const created = await send(emulator, `POST ${path}`, { body });
  const object = { id, ...shown, created_at };
  expect([created.status, created.body]).toEqual([201, success(object)]);
  expect(created.headers.get("content-type")).toBe("application/json; charset=utf-8");
  const changed = await send(emulator, `PATCH ${path}/${id}`, { body: change });
  expect([changed.status, changed.body]).toEqual([200, success({ ...object, ...change })]);
  expect(changed.body.data.created_at).toBe(created.body.data.created_at);
  const list = async () => (await send(emulator, `GET ${path}`)).body.data;
  expect((await list())[0]).toEqual(changed.body.data);
  const removed = await send(emulator, `DELETE ${path}/${id}`);
  const isRemoved = deletion === 200;
  expect([removed.status, removed.body.data]).toEqual([deletion, isRemoved ? { id } : undefined]);
  expect((await list()).some((each) => each.id === id)).toBe(!isRemoved);
  expect((await send(emulator, `DELETE ${path}/${id}`)).status).toBe(isRemoved ? 404 : 405);
});

test("an instance of an unknown server is refused with the name of the field", async () => {
  const body = { name: "erp", server_id: "srv_9" };
  const reply = await send(emulator, "POST /instances", { body });
  const reason = "refers to server srv_9, which does not exist";
  const details = { field: "server_id", reason };
  const error = { code: "validation_error", message: `server_id ${reason}`, details };
  expect([reply.status, reply.body.error]).toEqual([422, error]);
});

test("an instance cannot move to another server", async () => {
  for (const name of ["a", "b"]) await newServer(name);
  await send(emulator, "POST /instances", { body: { name: "i", server_id: "srv_1" } });
  const moved = await send(emulator, "PATCH /instances/ins_1", { body: { server_id: "srv_2" } });
  const refusal = { field: "server_id", reason: "cannot be changed after creation" };
  expect([moved.status, moved.body.error.details]).toEqual([422, refusal]);
  const same = await send(emulator, "PATCH /instances/ins_1", { body: { server_id: "srv_1" } });
  expect(same.status).toBe(200);
});

test("backups can be created and listed, and become completed", async () => {
  emulator = await newEmulator({ provisionMs: 60_000 });
  await newServer();
  const created = await send(emulator, "POST /backups", { body: { server_id: "srv_1" } });
  const backup = { id: "bak_1", server_id: "srv_1", created_at, status: "pending" };
  expect([created.status, created.body.data]).toEqual([201, backup]);
  emulator.advance("1m");
  const listed = await send(emulator, "GET /backups");
  expect(listed.body.data).toEqual([{ ...created.body.data, status: "completed" }]);
});

const TWO = { instance_id: "ins_1", server_id: "srv_1" };
test.each([
  ["none", {}, "instance_id", "is required unless server_id is set"],
  ["null", { server_id: null }, "instance_id", "is required unless server_id is set"],
  ["two", TWO, "server_id", "cannot be set together with instance_id"],
])("a backup of %s is refused, and none is made", async (_, body, field, reason) => {
  const refused = await send(emulator, "POST /backups", { body });
  expect([refused.status, refused.body.error.details]).toEqual([422, { field, reason }]);
  expect(emulator.counts()["backup"]).toBe(0);
});

test("a team member's address must be valid and unique", async () => {
  const refusal = async (email: string) => {
    const body = { name: "t", members: [{ email: "a@example.com" }, { email }] };
    return (await send(emulator, "POST /teams", { body })).body.error.details;
  };
  const field = "members[1].email";
  expect(await refusal("nobody")).toMatchObject({ field });
  expect(await refusal("a@example.com")).toEqual({ field, reason: "is a duplicate" });
});

test.each([
  ["/providers", "cloud_provider", "prv_1"],
  ["/invoices", "invoice", "inv_1"],
])("GET %s lists objects", async (path, kind, id) => {
  emulator.createObjects(kind, { name: "one", status: "active" });
  const reply = await send(emulator, `GET ${path}`);
  const shown = [{ id, name: "one", status: "active", created_at }];
  expect([reply.status, reply.body.data]).toEqual([200, shown]);
  expect(reply.body.pagination.total_items).toBe(1);
});

test("/auth/test shows the key, its permissions, and its quota where it has one", async () => {
  const key = { authenticated: true, key_id: "key_1", permissions: ["admin"] };
  expect((await send(emulator, "GET /auth/test")).body).toEqual(success(key));
  emulator = await newEmulator({ plan: "starter", keyClass: "standard" });
  const reply = await send(emulator, "GET /auth/test");
  const rate_limit = { limit: 100, remaining: 99, reset: expect.stringMatching(TIMESTAMP) };
  expect([reply.status, reply.body]).toEqual([200, success({ ...key, rate_limit })]);
});

test("an unknown path is a 404 in form A", async () => {
  const reply = await send(emulator, "GET /planets");
  const error = { code: "not_found", message: "there is nothing at /planets" };
  expect([reply.status, reply.body]).toEqual([404, { success: false, error, meta }]);
});

test.each<[call: string, status: number, allowed: string]>([
  ["PATCH /servers/srv_9", 404, "none"],
  ["DELETE /servers/srv_9", 404, "none"],
  ["POST /api-keys/key_9/rotate", 404, "none"],
  ["GET /servers/srv_1", 405, "PATCH, DELETE"],
  ["DELETE /teams/team_1", 405, "PATCH"],
  ["PATCH /backups/bak_1", 404, "none"],
  ["DELETE /backups/bak_1", 404, "none"],
  ["POST /providers", 405, "GET"],
  ["PATCH /providers/prv_1", 404, "none"],
  ["POST /invoices", 405, "GET"],
  ["PATCH /invoices/inv_1", 404, "none"],
])("%s is refused with %i, and what is allowed there: %s", async (call, status, allowed) => {
  for (const kind of ["server", "team", "cloud_provider", "invoice"]) {
    emulator.createObjects(kind, { name: "one" });
  }
  emulator.createObjects("backup", { server_id: "srv_1" });
  const raw = /^(?:PATCH|POST)/.test(call) ? '{"name":"x"}' : undefined;
  const reply = await send(emulator, call, { body: raw });
  expect([reply.status, reply.headers.get("allow") ?? "none"]).toEqual([status, allowed]);
  expect(reply.body.error.code).toBe(status === 405 ? "method_not_allowed" : "not_found");
});

test("--strict serves documented operations only, the rotation of keys among them", async () => {
  emulator = await newEmulator({ strict: true });
  for (const call of ["GET /api-keys", "POST /api-keys", "DELETE /api-keys/key_1"]) {
    expect((await send(emulator, call)).status).toBe(404);
  }
  expect((await newServer()).status).toBe(201);
  expect((await send(emulator, "PATCH /servers/srv_1", { body: { x: 1 } })).status).toBe(200);
  expect((await send(emulator, "DELETE /servers/srv_1")).status).toBe(200);
  for (const path of ["instances", "backups", "providers", "teams", "invoices", "auth/test"]) {
    expect((await send(emulator, `GET /${path}`)).status).toBe(200);
  }
  expect((await send(emulator, "POST /api-keys/key_1/rotate")).status).toBe(200);
});
