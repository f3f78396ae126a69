/** docs/reference/openapi.json against what really passes: an emulator with everything going on, and the client. */
import { expect, test } from "@jest/globals";
import { ask, type Asked } from "../support/ask";
import type { EmulatorOptions } from "../../emulator";
import { newEmulator } from "../emulator/support";
import { ErpHost } from "../../provider";
import { isRecord } from "../../provider/contract";
import { atEnd } from "../support/folder";
import { until } from "../support/wait";
import { OpenApiDocument, startProxy } from "./support/validating-proxy";

type Stage = Awaited<ReturnType<typeof stage>>;

/** An emulator behind a proxy that goes by the document that the emulator itself serves. */
async function stage(options: EmulatorOptions = {}) {
  const emulator = await newEmulator(options);
  const document: unknown = await (await fetch(`${emulator.url}/openapi.json`)).json();
  const read = new OpenApiDocument(isRecord(document) ? document : {});
  const proxy = await startProxy(read, emulator.baseUrl);
  atEnd(() => proxy.close());
  return { emulator, proxy };
}

/** A method and a path below the base address; answers `data`. */
async function send({ emulator, proxy }: Stage, call: string, sent: Asked = {}): Promise<unknown> {
  const service = { baseUrl: proxy.baseUrl, adminKey: emulator.adminKey };
  const answer: unknown = await (await ask(service, call, sent)).json();
  return isRecord(answer) ? answer["data"] : undefined;
}

const once = (key: string) => ({ "Idempotency-Key": key });

async function ordinary(on: Stage): Promise<void> {
  for (const name of ["a", "b", "c"]) await send(on, "POST /servers", { body: { name } });
  const instance = { name: "erp", server_id: "srv_1", version: "17.0", edition: "community" };
  await send(on, "POST /instances", { body: { ...instance, region: "eu" } });
  await send(on, "PATCH /instances/ins_1", { body: { version: "18.0", edition: null } });
  await send(on, "POST /backups", { body: { instance_id: "ins_1" } });
  await send(on, "POST /teams", { body: { name: "t", members: [{ email: "ada@example.com" }] } });
  await send(on, "PATCH /teams/team_1", { body: { members: null } });
  const page = "per_page=2&page=2&order=asc&sort=name";
  const lists = ["servers", "instances", "backups", "providers", "teams", "invoices", "api-keys"];
  for (const list of lists) await send(on, `GET /${list}`);
  await send(on, `GET /servers?${page}&status=running`);
  await send(on, "GET /backups?created_after=2020-01-01&created_before=2099-01-01T00:00:00Z");
  await send(on, "GET /instances?version=18.0", { headers: { "X-Debug-Auth": "true" } });
  await send(on, "GET /auth/test", { headers: { "X-Debug-Auth": "true" } });
  await send(on, "DELETE /servers/srv_3");
}

async function refusals(on: Stage): Promise<void> {
  await send(on, "GET /servers", { key: null });
  await send(on, "GET /servers", { key: "erph_test_nobody0000" });
  const reader = on.emulator.createKey({ permissions: ["servers:read"] }).value;
  await send(on, "POST /servers", { key: reader, body: { name: "x" } });
  const away = on.emulator.createKey({ ip_whitelist: ["203.0.113.0/24"] }).value;
  await send(on, "GET /servers", { key: away });
  const late = on.emulator.createKey({ expires_at: "2020-01-01T00:00:00Z" }).value;
  await send(on, "GET /servers", { key: late });
  await send(on, "DELETE /servers/srv_1"); // It has an instance.
  await send(on, "DELETE /servers/srv_99");
  await send(on, "PATCH /servers/srv_99", { body: { name: "x" } });
  await send(on, "POST /servers", { body: {} });
  await send(on, "POST /servers", { body: "{" });
  await send(on, "POST /backups", { body: {} });
  await send(on, "POST /instances", { body: { name: "x", server_id: "srv_99" } });
  await send(on, "GET /servers?per_page=1000");
  await send(on, "GET /servers?sort=colour");
  await send(on, "PUT /servers", { body: {} });
  await send(on, "GET /nothing");
  await send(on, "POST /servers", { body: { name: "x".repeat(1_100_000) } });
  on.emulator.setFaults([{ effect: "replay-500", times: 1 }]);
  await send(on, "POST /servers", { body: { name: "x" }, headers: once("k500") });
}

async function idempotency(on: Stage): Promise<void> {
  const create = (name: string, key?: string) =>
    send(on, "POST /servers", { key, body: { name }, headers: once("k1") });
  await create("once");
  await create("once"); // A replay.
  await create("other"); // Another body.
  await create("once", on.emulator.createKey().value); // Another key of the account.
  await send(on, "POST /servers", { body: { name: "x" }, headers: once("k".repeat(256)) });
  on.emulator.setFaults([{ effect: { type: "delay", ms: 300 }, times: 1 }]);
  const twice = { body: { name: "slow" }, headers: once("k2") };
  const first = send(on, "POST /servers", twice);
  await until(() => on.emulator.journal().some(({ idempotency_key: key }) => key === "k2"));
  await Promise.all([first, send(on, "POST /servers", twice)]);
}

async function keys(on: Stage): Promise<void> {
  const body = { name: "pipeline", permissions: ["servers:*", "read"], grace_period: "7d" };
  const created = await send(on, "POST /api-keys", { body });
  const id = isRecord(created) ? String(created["id"]) : "";
  await send(on, `PATCH /api-keys/${id}`, { body: { ip_whitelist: ["::1", "127.0.0.0/8"] } });
  await send(on, `POST /api-keys/${id}/rotate`, { headers: once("r1") });
  await send(on, `POST /api-keys/${id}/rotate`, { body: {}, headers: once("r2") }); // Again.
  await send(on, "POST /api-keys/key_99/rotate", { body: {} });
  await send(on, `DELETE /api-keys/${id}`);
}

const misfits = ({ proxy }: Stage): string[] =>
  proxy.passed.flatMap(({ call, answer }) => answer.map((fault) => `${call}: ${fault}`));

test("every answer of a busy emulator fits its OpenAPI document, and every request that it takes", async () => {
  const on = await stage({ plan: "professional", keyClass: "high_volume" });
  await ordinary(on);
  await refusals(on);
  await idempotency(on);
  await keys(on);
  expect(misfits(on)).toEqual([]);
  // The document asks for no more than the service does.
  const taken = on.proxy.passed.filter(({ status }) => status < 300);
  expect(taken.filter(({ request }) => request.length > 0)).toEqual([]);
  // Nothing went past the proxy, and the run was a busy one.
  expect(on.emulator.journal()).toHaveLength(on.proxy.passed.length);
  const statuses = new Set(on.proxy.passed.map(({ status }) => status));
  expect([...statuses].sort()).toEqual([200, 201, 401, 403, 404, 405, 409, 413, 422, 500]);
});

const profile = {
  resources: {
    server: { path: "/servers", operations: { get: true } },
    instance: { fields: { server_id: "host", name: "label" } },
    team: { updateMethod: "PUT" },
  },
} as const;

test.each<EmulatorOptions>([
  { strict: true },
  { genericAuthErrors: true },
  { limits: [{ requests: 25, windowMs: 3_600_000 }] },
  { profile },
])("every answer of an emulator with %j fits its OpenAPI document", async (options) => {
  const on = await stage(options);
  await ordinary(on);
  await send(on, "GET /servers/srv_1");
  await send(on, "GET /servers/srv_99");
  await send(on, "POST /instances", { body: { label: "a", host: "srv_1" } });
  await send(on, "PUT /teams/team_1", { body: { name: "u" } });
  await refusals(on);
  await keys(on);
  expect(misfits(on)).toEqual([]);
  expect(on.proxy.passed.some(({ status }) => status === 429)).toBe("limits" in options);
});

test("every request of the client passes a proxy that goes by the OpenAPI document, rotation included", async () => {
  const on = await stage();
  const { adminKey } = on.emulator;
  const erphost = new ErpHost({ apiKey: adminKey, baseUrl: on.proxy.baseUrl });
  atEnd(() => erphost.close());
  const server = await erphost.servers.create({ name: "a", properties: { region: "eu" } });
  const instance = await erphost.instances.create({ name: "erp", serverId: server.id });
  await erphost.instances.update(instance.id, { version: "18.0" });
  await erphost.backups.create({ instanceId: instance.id });
  const team = await erphost.teams.create({ name: "t" });
  await erphost.teams.update(team.id, { members: [{ email: "ada@example.com" }] });
  const key = await erphost.apiKeys.create({ name: "k", permissions: ["servers:read"] });
  expect((await erphost.apiKeys.rotate(key.id)).newKey.id).not.toBe(key.id);
  await erphost.auth.test();
  for await (const { id } of erphost.servers.list({ status: "running", sort: "name" })) {
    expect(id).toBe(server.id);
  }
  await Array.fromAsync(erphost.invoices.list());
  await Array.fromAsync(erphost.cloudProviders.list());
  await erphost.instances.delete(instance.id);
  await erphost.servers.delete(server.id);
  const refused = on.proxy.passed.filter(({ request, status }) => status > 299 || request.length);
  expect(refused).toEqual([]);
  expect(misfits(on)).toEqual([]);
  expect(on.proxy.passed.length).toBeGreaterThanOrEqual(14);
});

test("a request that the OpenAPI document does not have is noticed by these tests", async () => {
  const on = await stage();
  const bad: readonly (readonly [string, unknown, RegExp])[] = [
    ["GET /auth/test?colour=red", undefined, /query parameter colour/],
    ["GET /servers?per_page=1000", undefined, /per_page/],
    ["GET /servers?sort=colour", undefined, /sort/],
    ["POST /servers", {}, /name/],
    ["POST /servers", undefined, /a body is missing/],
    ["DELETE /servers/srv_1", {}, /a body is not expected/],
    ["POST /backups", { instance_id: "a", server_id: "b" }, /exactly one/],
    ["POST /api-keys", { name: "k", permissions: ["root"] }, /permissions/],
    ["POST /api-keys", { name: "k", permissions: ["read"], expires_at: "soon" }, /date-time/],
    ["POST /api-keys/key_1/rotate", [], /body/],
  ];
  for (const [call, body] of bad) await send(on, call, { body });
  const said = on.proxy.passed.map(({ request }) => request.join("; "));
  expect(said).toHaveLength(bad.length);
  bad.forEach(([, , fault], index) => expect(said[index]).toMatch(fault));
});
