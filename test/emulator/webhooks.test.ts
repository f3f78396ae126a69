import { describe, expect, test } from "@jest/globals";
import { Webhook } from "standardwebhooks";
import { attempted, endpointOf, receiver, type Received } from "./receiver";
import { send, pause, newEmulator, control, TIMESTAMP } from "./support";

const create = { body: { name: "a" } };

test("events follow what happens to servers, instances and backups", async () => {
  const emulator = await newEmulator({ provisionMs: 1_000 });
  const { url, got, messages } = await receiver();
  emulator.registerWebhook({ url });
  emulator.setClock({ rate: 0 });
  await send(emulator, "POST /servers", create);
  await pause(20);
  expect(got).toEqual([]);
  emulator.advance("1s");
  await messages(1);
  await send(emulator, "POST /instances", { body: { name: "i", server_id: "srv_1" } });
  emulator.advance("1s");
  await messages(2);
  emulator.changeObject("instance", "ins_1", { status: "stopped" });
  await messages(3);
  await send(emulator, "POST /backups", { body: { instance_id: "ins_1" } });
  emulator.advance("1s");
  await messages(4);
  emulator.setFaults([{ effect: "provision" }]);
  await send(emulator, "POST /backups", { body: { server_id: "srv_1" } });
  emulator.advance("1s");
  await messages(5);
  await send(emulator, "DELETE /instances/ins_1");
  await send(emulator, "DELETE /servers/srv_1");
  await messages(6);
  const server = { server_id: "srv_1" };
  const instance = { instance_id: "ins_1" };
  expect(got.map(({ body: { event, data } }) => [event, data])).toEqual([
    ["server.created", { ...server, status: "running" }],
    ["instance.deployed", { ...instance, ...server, status: "running" }],
    ["instance.stopped", { ...instance, ...server, status: "stopped" }],
    ["backup.completed", { backup_id: "bak_1", ...instance, status: "completed" }],
    ["backup.failed", { backup_id: "bak_2", ...server, status: "failed" }],
    ["server.deleted", { ...server, status: "running" }],
  ]);
  for (const { body } of got) {
    expect(Object.keys(body)).toEqual(["event", "timestamp", "data"]);
    expect(body.timestamp).toMatch(TIMESTAMP);
  }
});

test("an endpoint receives only the events that it subscribed to", async () => {
  const emulator = await newEmulator();
  const { url, got, messages } = await receiver();
  await control(emulator, "POST /webhooks", { url, events: ["server.deleted"] });
  await send(emulator, "POST /servers", create);
  await send(emulator, "DELETE /servers/srv_1");
  await messages(1);
  await pause(30);
  expect(got.map(({ body }) => body.event)).toEqual(["server.deleted"]);
});

describe("a message", () => {
  test("a message is signed so that the library of Standard Webhooks takes it, with real time", async () => {
    const { emulator, endpoint, got, messages } = await endpointOf([204]);
    emulator.advance("90d");
    await send(emulator, "POST /servers", create);
    await messages(1);
    const { headers, raw } = got[0] as Received;
    const id = String(headers["webhook-id"]);
    const at = String(headers["webhook-timestamp"]);
    expect(id).toMatch(/^msg_[0-9a-f]{24}$/);
    expect(Math.abs(Number(at) - Date.now() / 1_000)).toBeLessThan(5);
    const signature = String(headers["webhook-signature"]);
    const shown = { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": signature };
    expect(new Webhook(endpoint.secret).verify(raw, shown)).toMatchObject({
      event: "server.created",
    });
    const another = new Webhook(Buffer.alloc(24, 8).toString("base64"));
    expect(() => another.verify(raw, shown)).toThrow("No matching signature found");
    expect(headers["content-type"]).toBe("application/json");
  });

  test("a message is repeated with the same id after growing waits until it is accepted", async () => {
    const { emulator, got, messages } = await endpointOf([500], [503], [204]);
    await send(emulator, "POST /servers", create);
    for (const [count, early, rest] of [[1, "4s", "2s"] as const, [2, "4m", "2m"] as const]) {
      await messages(count);
      await attempted(emulator, count);
      emulator.advance(early);
      await pause(30);
      expect(got).toHaveLength(count);
      emulator.advance(rest);
    }
    await messages(3);
    const [delivery] = await attempted(emulator, 3);
    expect(delivery).toMatchObject({ state: "delivered", last_status: 204 });
    expect(new Set(got.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  });

  test("a message fails after eight attempts", async () => {
    const { emulator, got } = await endpointOf([500]);
    await send(emulator, "POST /servers", create);
    for (let count = 1; count <= 8; count += 1) {
      await attempted(emulator, count);
      emulator.advance("12h");
    }
    await pause(30);
    expect(got).toHaveLength(8);
    expect(emulator.deliveries()).toMatchObject([{ state: "failed", attempts: 8 }]);
  });

  test("a message to an endpoint that does not answer is repeated", async () => {
    const emulator = await newEmulator();
    emulator.registerWebhook({ url: "http://127.0.0.1:2/hook" });
    await send(emulator, "POST /servers", create);
    const [delivery] = await attempted(emulator, 1);
    const last = { last_status: null, last_problem: "ECONNREFUSED" };
    expect(delivery).toMatchObject({ state: "pending", ...last });
  });
});

test("an endpoint shows its secret once", async () => {
  const emulator = await newEmulator();
  const { url } = await receiver();
  const created = await control(emulator, "POST /webhooks", { url });
  expect(created.status).toBe(201);
  expect(created.body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const { secret: _, ...shown } = created.body;
  expect((await control(emulator, "GET /webhooks")).body).toEqual({ webhooks: [shown] });
  expect((await control(emulator, `DELETE /webhooks/${shown.id}`)).status).toBe(200);
  expect((await control(emulator, `DELETE /webhooks/${shown.id}`)).status).toBe(404);
  expect((await control(emulator, "GET /webhooks")).body).toEqual({ webhooks: [] });
});
