import { afterEach, describe, expect, test } from "@jest/globals";
import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { ask, pause, started, tell, TIMESTAMP, until } from "./support";

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly raw: string;
  readonly body: { event: string; timestamp: string; data: Record<string, unknown> };
}

const receivers: Server[] = [];
afterEach(async () => {
  for (const server of receivers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** Takes messages and answers these statuses in turn, the last one for good. */
async function receiver(...statuses: number[]): Promise<{ url: string; got: Received[] }> {
  const got: Received[] = [];
  const server = createServer((request, response) => {
    let raw = "";
    request.on("data", (chunk: Buffer) => (raw += chunk.toString()));
    request.on("end", () => {
      const status = statuses[Math.min(got.length, statuses.length - 1)] ?? 204;
      got.push({ headers: request.headers, raw, body: JSON.parse(raw) as Received["body"] });
      response.writeHead(status).end();
    });
  });
  receivers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, got };
}

const arrived = (got: Received[], count: number) =>
  until(
    () => got.length,
    (n) => n >= count,
  );

describe("events", () => {
  test("follow what happens to servers, instances and backups", async () => {
    const emulator = await started({ provisionMs: 1_000 });
    const { url, got } = await receiver();
    emulator.registerWebhook({ url });
    emulator.setClock({ rate: 0 });
    await ask(emulator, "POST /servers", { body: { name: "a" } });
    await pause(20);
    expect(got).toEqual([]);
    emulator.advance("1s");
    await arrived(got, 1);
    const body = { name: "i", server_id: "srv_1" };
    await ask(emulator, "POST /instances", { body });
    emulator.advance("1s");
    await arrived(got, 2);
    emulator.changeObject("instance", "ins_1", { status: "stopped" });
    await arrived(got, 3);
    await ask(emulator, "POST /backups", { body: { instance_id: "ins_1" } });
    emulator.advance("1s");
    await arrived(got, 4);
    emulator.setFaults([{ effect: "provision" }]);
    await ask(emulator, "POST /backups", { body: { server_id: "srv_1" } });
    emulator.advance("1s");
    await arrived(got, 5);
    await ask(emulator, "DELETE /instances/ins_1");
    await ask(emulator, "DELETE /servers/srv_1");
    await arrived(got, 6);
    const timestamp = expect.stringMatching(TIMESTAMP);
    expect(got.map((each) => each.body)).toEqual([
      { event: "server.created", timestamp, data: { server_id: "srv_1", status: "running" } },
      {
        event: "instance.deployed",
        timestamp,
        data: { instance_id: "ins_1", server_id: "srv_1", status: "running" },
      },
      {
        event: "instance.stopped",
        timestamp,
        data: { instance_id: "ins_1", server_id: "srv_1", status: "stopped" },
      },
      {
        event: "backup.completed",
        timestamp,
        data: { backup_id: "bak_1", instance_id: "ins_1", status: "completed" },
      },
      {
        event: "backup.failed",
        timestamp,
        data: { backup_id: "bak_2", server_id: "srv_1", status: "failed" },
      },
      { event: "server.deleted", timestamp, data: { server_id: "srv_1", status: "running" } },
    ]);
  });

  test("only those that an endpoint wants", async () => {
    const emulator = await started();
    const { url, got } = await receiver();
    await tell(emulator, "POST /webhooks", { url, events: ["server.deleted"] });
    await ask(emulator, "POST /servers", { body: { name: "a" } });
    await ask(emulator, "DELETE /servers/srv_1");
    await arrived(got, 1);
    await pause(30);
    expect(got.map(({ body }) => body.event)).toEqual(["server.deleted"]);
  });
});

describe("a message", () => {
  test("is signed as Standard Webhooks has it, with real time", async () => {
    const emulator = await started();
    const { url, got } = await receiver();
    const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
    emulator.registerWebhook({ url, secret });
    emulator.advance("90d");
    await ask(emulator, "POST /servers", { body: { name: "a" } });
    await arrived(got, 1);
    const { headers, raw } = got[0] as Received;
    const id = String(headers["webhook-id"]);
    const at = String(headers["webhook-timestamp"]);
    expect(id).toMatch(/^msg_[0-9a-f]{24}$/);
    expect(Math.abs(Number(at) - Date.now() / 1_000)).toBeLessThan(5);
    const mac = createHmac("sha256", Buffer.alloc(24, 7)).update(`${id}.${at}.${raw}`);
    expect(headers["webhook-signature"]).toBe(`v1,${mac.digest("base64")}`);
    expect(headers["content-type"]).toBe("application/json");
  });

  test("comes again under the same id after growing waits, until it is taken", async () => {
    const emulator = await started();
    const { url, got } = await receiver(500, 503, 204);
    emulator.registerWebhook({ url });
    await ask(emulator, "POST /servers", { body: { name: "a" } });
    await arrived(got, 1);
    const attempts = (count: number) =>
      until(
        () => emulator.deliveries(),
        ([each]) => each?.attempts === count,
      );
    await attempts(1);
    emulator.advance("4s");
    await pause(30);
    expect(got).toHaveLength(1);
    emulator.advance("2s");
    await arrived(got, 2);
    await attempts(2);
    emulator.advance("4m");
    await pause(30);
    expect(got).toHaveLength(2);
    emulator.advance("2m");
    await arrived(got, 3);
    const [delivery] = await attempts(3);
    expect(delivery).toMatchObject({ state: "delivered", last_status: 204 });
    expect(new Set(got.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  });

  test("is given up after eight attempts", async () => {
    const emulator = await started();
    const { url, got } = await receiver(500);
    emulator.registerWebhook({ url });
    await ask(emulator, "POST /servers", { body: { name: "a" } });
    for (let count = 1; count <= 8; count += 1) {
      await until(
        () => emulator.deliveries(),
        ([each]) => each?.attempts === count,
      );
      emulator.advance("12h");
    }
    await pause(30);
    expect(got).toHaveLength(8);
    expect(emulator.deliveries()).toMatchObject([{ state: "failed", attempts: 8 }]);
  });

  test("to an endpoint that nobody answers at is tried again as well", async () => {
    const emulator = await started();
    const { url } = await receiver();
    await new Promise((resolve) => receivers.pop()?.close(resolve));
    emulator.registerWebhook({ url });
    await ask(emulator, "POST /servers", { body: { name: "a" } });
    const [delivery] = await until(
      () => emulator.deliveries(),
      ([each]) => each?.attempts === 1,
    );
    expect(delivery).toMatchObject({
      state: "pending",
      last_status: null,
      last_problem: "ECONNREFUSED",
    });
  });
});

describe("endpoints", () => {
  test("that answer 410 get nothing more", async () => {
    const emulator = await started();
    const { url, got } = await receiver(410);
    emulator.registerWebhook({ url });
    await ask(emulator, "POST /servers", { body: { name: "a" } });
    await until(
      () => emulator.webhooks(),
      ([each]) => each?.disabled === true,
    );
    await ask(emulator, "POST /servers", { body: { name: "b" } });
    emulator.advance("12h");
    await pause(30);
    expect(got).toHaveLength(1);
    expect(emulator.deliveries()).toMatchObject([{ state: "dropped" }]);
  });

  test("show their secret once", async () => {
    const emulator = await started();
    const { url } = await receiver();
    const made = await tell(emulator, "POST /webhooks", { url });
    expect(made.status).toBe(201);
    expect(made.body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const { secret: _, ...shown } = made.body;
    expect((await tell(emulator, "GET /webhooks")).body).toEqual({ webhooks: [shown] });
    expect((await tell(emulator, `DELETE /webhooks/${shown.id}`)).status).toBe(200);
    expect((await tell(emulator, `DELETE /webhooks/${shown.id}`)).status).toBe(404);
    expect((await tell(emulator, "GET /webhooks")).body).toEqual({ webhooks: [] });
  });

  test.each([
    { url: "ftp://x" },
    { url: "http://x", secret: "plain" },
    { url: "http://x", events: ["x"] },
  ])("%j is refused", async (body) => {
    const emulator = await started();
    expect((await tell(emulator, "POST /webhooks", body)).status).toBe(422);
  });
});
