/** What the owner of a webhook endpoint does: send again, test, enable, change the secret. */
import { describe, expect, test } from "@jest/globals";
import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import { addressOf } from "../support/folder";
import { attempted, disabled, endpointOf, receiver, type Received } from "./receiver";
import { control, newEmulator, pause, send, until } from "./support";

const create = { body: { name: "a" } };

const signatureOf = (secret: string, { headers, raw }: Received): string => {
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const signed = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${raw}`;
  return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
};

describe("redelivery", () => {
  test("a delivered message can be sent again, with the same id and body", async () => {
    const { emulator, got, messages, state } = await endpointOf([204]);
    await send(emulator, "POST /servers", create);
    await state("delivered");
    expect((await control(emulator, "POST /webhooks/deliveries/1/redeliver")).status).toBe(200);
    await messages(2);
    const [first, second] = got;
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    expect(second?.raw).toBe(first?.raw);
    expect(await state("delivered")).toMatchObject([{ state: "delivered", attempts: 1 }]);
  });

  test("a message that was dropped is sent again once its endpoint is enabled", async () => {
    const { emulator, endpoint, messages, state } = await endpointOf([410], [204]);
    await send(emulator, "POST /servers", create);
    await disabled(emulator);
    const before = emulator.deliveries();
    expect((await control(emulator, "POST /webhooks/deliveries/1/redeliver")).status).toBe(409);
    expect(emulator.deliveries()).toEqual(before);
    emulator.enableWebhook(endpoint.id);
    emulator.redeliver(1);
    await messages(2);
    expect(await state("delivered")).toMatchObject([{ state: "delivered", last_status: 204 }]);
  });

  test("a message that does not exist, or whose endpoint does not, cannot be sent again", async () => {
    const { emulator, endpoint } = await endpointOf([204]);
    emulator.testWebhook(endpoint.id);
    emulator.removeWebhook(endpoint.id);
    for (const seq of ["7", "x", "1"]) {
      const path = `POST /webhooks/deliveries/${seq}/redeliver`;
      expect((await control(emulator, path)).status).toBe(404);
    }
  });
});

test("a reset forgets what is being sent, whose number the next message has", async () => {
  const emulator = await newEmulator();
  let asked = 0;
  // It never answers.
  const silent = createServer(() => void (asked += 1));
  const { id } = emulator.registerWebhook({ url: await addressOf(silent) });
  emulator.testWebhook(id);
  await until(() => asked > 0);
  emulator.reset();
  const { url, messages } = await receiver();
  emulator.testWebhook(emulator.registerWebhook({ url }).id);
  await messages(1);
  await until(() => emulator.deliveries()[0]?.state === "delivered");
  expect(emulator.deliveries()).toMatchObject([{ seq: 1, attempts: 1, last_status: 204 }]);
}, 5_000);

describe("a test event", () => {
  test("a test event goes to one endpoint, and is instance.deployed unless another is named", async () => {
    const { emulator, endpoint, got, messages } = await endpointOf([204]);
    emulator.registerWebhook({ url: "http://127.0.0.1:1/other" });
    const path = `POST /webhooks/${endpoint.id}/test`;
    for (const body of [undefined, { event: "backup.failed" }]) {
      expect((await control(emulator, path, body)).status).toBe(200);
    }
    await messages(2);
    const endpoints = emulator.deliveries().map(({ endpoint_id }) => endpoint_id);
    expect(endpoints).toEqual([endpoint.id, endpoint.id]);
    expect(got.map(({ body }) => body.event)).toEqual(["instance.deployed", "backup.failed"]);
  });

  test.each([
    ["server.created", { server_id: "srv_test", status: "running" }],
    ["server.deleted", { server_id: "srv_test", status: "running" }],
    ["instance.deployed", { instance_id: "ins_test", server_id: "srv_test", status: "running" }],
    ["instance.stopped", { instance_id: "ins_test", server_id: "srv_test", status: "stopped" }],
    ["backup.completed", { backup_id: "bak_test", instance_id: "ins_test", status: "completed" }],
    ["backup.failed", { backup_id: "bak_test", instance_id: "ins_test", status: "failed" }],
  ] as const)("a test event %s has the payload of its kind", async (event, data) => {
    const emulator = await newEmulator();
    const { id } = emulator.registerWebhook({ url: "http://127.0.0.1:1" });
    emulator.testWebhook(id, { event });
    const [delivery] = emulator.deliveries();
    const body = JSON.parse(delivery?.body ?? "") as unknown;
    expect(body).toEqual({ event, data, timestamp: expect.any(String) });
  });

  test("a test event of an unknown name or to an unknown endpoint is refused", async () => {
    const { emulator, endpoint } = await endpointOf([204]);
    const call = async (id: string, body: unknown) =>
      (await control(emulator, `POST /webhooks/${id}/test`, body)).status;
    expect(await call(endpoint.id, { event: "server.exploded" })).toBe(422);
    expect(await call("whe_nowhere", {})).toBe(404);
    expect(emulator.deliveries()).toEqual([]);
  });
});

test("an endpoint that is disabled receives events again once it is enabled, and none before", async () => {
  const { emulator, endpoint, messages, got } = await endpointOf([410], [204]);
  await send(emulator, "POST /servers", create);
  await disabled(emulator);
  expect((await control(emulator, `POST /webhooks/${endpoint.id}/test`)).status).toBe(409);
  await send(emulator, "POST /servers", create);
  emulator.advance("12h");
  expect(emulator.deliveries()).toMatchObject([{ state: "dropped" }]);
  expect((await control(emulator, `POST /webhooks/${endpoint.id}/enable`)).status).toBe(200);
  await send(emulator, "DELETE /servers/srv_1");
  await messages(2);
  await pause(20);
  expect(got.map(({ body }) => body.event)).toEqual(["server.created", "server.deleted"]);
  expect((await control(emulator, "POST /webhooks/whe_nowhere/enable")).status).toBe(404);
});

describe("a change of the secret", () => {
  test("for a day after its change the old secret signs next to the new one", async () => {
    const { emulator, endpoint, got, messages } = await endpointOf([204]);
    const path = `POST /webhooks/${endpoint.id}/rotate-secret`;
    const { secret } = (await control(emulator, path)).body;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    emulator.advance("23h");
    await send(emulator, "POST /servers", create);
    await messages(1);
    emulator.advance("1h");
    await send(emulator, "POST /servers", create);
    await messages(2);
    const [during, after] = got;
    if (!during || !after) throw new Error("a message is missing");
    const both = [secret, endpoint.secret].map((each) => signatureOf(each, during));
    expect(during.headers["webhook-signature"]).toBe(both.join(" "));
    expect(after.headers["webhook-signature"]).toBe(signatureOf(secret, after));
    expect(JSON.stringify(emulator.webhooks())).not.toContain("whsec_");
    expect((await control(emulator, "POST /webhooks/whe_nowhere/rotate-secret")).status).toBe(404);
  });

  const bytes = (count: number) => Buffer.alloc(count, 7).toString("base64");
  test.each([
    ["of 15 bytes", `whsec_${bytes(15)}`],
    ["with a length that base64 never has", `whsec_${"A".repeat(33)}`],
    ["in base64 with bits that nobody reads", `whsec_${bytes(24).slice(0, -1)}==`],
    ["in base64url", `whsec_${"_-".repeat(16)}`],
    ["without its prefix", bytes(24)],
    ["that is empty", "whsec_"],
  ])("a secret %s is refused, because receivers would refuse it", async (_, secret) => {
    const emulator = await newEmulator();
    const reply = await control(emulator, "POST /webhooks", { url: "http://x", secret });
    expect(reply.status).toBe(422);
    expect(reply.body.error?.message).toContain("must be whsec_ followed by at least 16 bytes");
    expect(emulator.webhooks()).toEqual([]);
  });

  test.each([16, 25, 65])("a secret of %i bytes in base64 is taken", async (count) => {
    const emulator = await newEmulator();
    const secret = `whsec_${bytes(count)}`;
    expect(emulator.registerWebhook({ url: "http://x", secret }).secret).toBe(secret);
  });
});

test.each<[string, () => string, string, string]>([
  ["a number of seconds", () => "7200", "1h50m", "15m"],
  ["a date", () => new Date(Date.now() + 7_200_000).toUTCString(), "1h50m", "15m"],
  ["a year, of which a day is kept", () => "31536000", "23h", "1h"],
  // The emulator's own wait is 5 s, which these do not shorten.
  ["a word", () => "soon", "4s", "2s"],
  ["no time at all", () => "0", "4s", "2s"],
  ["a negative number", () => "-5", "4s", "2s"],
  ["a date long ago", () => "Thu, 01 Jan 1970 00:00:00 GMT", "4s", "2s"],
])("a message is not repeated before the Retry-After of %s", async (_, header, early, rest) => {
  const { emulator, got, messages } = await endpointOf([503, { "Retry-After": header() }], [204]);
  await send(emulator, "POST /servers", create);
  await attempted(emulator, 1);
  emulator.advance(early);
  await pause(30);
  expect(got).toHaveLength(1);
  emulator.advance(rest);
  await messages(2);
  expect(got).toHaveLength(2);
});
