import { describe, expect, test } from "@jest/globals";
import { connect } from "node:net";
import type { Emulator, FaultInput } from "../../emulator";
import { control, newEmulator, pause, rawExchange, send, until } from "./support";

const emulatorWith = async (effect: FaultInput["effect"], more: Partial<FaultInput> = {}) => {
  const emulator = await newEmulator();
  emulator.setFaults([{ ...more, effect }]);
  return emulator;
};
const create = { body: { name: "a" } };
const idempotent = { ...create, headers: { "Idempotency-Key": "k" } };
const newest = async (emulator: Emulator) => (await send(emulator, "GET /servers")).body.data[0];
async function took(work: Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work;
  return performance.now() - start;
}
const rawGet = (emulator: Emulator, path: string) =>
  rawExchange(
    emulator.port,
    `GET /v1${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${emulator.adminKey}\r\n\r\n`,
  );

describe("which requests are struck", () => {
  const statuses = async (emulator: Emulator, count: number, call = "GET /servers") => {
    const seen: number[] = [];
    for (let turn = 0; turn < count; turn += 1) seen.push((await send(emulator, call)).status);
    return seen;
  };
  const fail = { type: "status", status: 503 } as const;
  const ROTATE = "POST /api-keys/key_1/rotate";

  test.each([
    ["times strikes only the first n requests", { times: 2 }, [503, 503, 200, 200]],
    ["every strikes every n-th request", { every: 2 }, [200, 503, 200, 503, 200]],
    ["skip spares the first n requests", { skip: 1, times: 1 }, [200, 503, 200]],
  ])("a fault with %s", async (_, which, seen) => {
    expect(await statuses(await emulatorWith(fail, which), seen.length)).toEqual(seen);
  });

  test("the same faults count on where that is asked for, and start over where it is not", async () => {
    const emulator = await emulatorWith(fail, { times: 1 });
    const [{ fault } = { fault: { effect: fail } }] = emulator.faults();
    expect(await statuses(emulator, 2)).toEqual([503, 200]);
    const added = [{ effect: "html-502", match: { path: "/teams" } }, fault];
    await control(emulator, "PUT /faults?counts=kept", added);
    expect(emulator.faults()).toMatchObject([{ struck: 0 }, { struck: 1, matched: 2 }]);
    expect(await statuses(emulator, 1)).toEqual([200]);
    await control(emulator, "PUT /faults", added);
    expect(await statuses(emulator, 2)).toEqual([503, 200]);
  });

  test("a fault with probability strikes about that share, the same requests for the same seed", async () => {
    const run = async () => statuses(await emulatorWith(fail, { probability: 0.5 }), 60);
    const first = await run();
    const hits = first.filter((status) => status === 503).length;
    expect(hits > 15 && hits < 45).toBe(true);
    expect(await run()).toEqual(first);
  });

  test.each([
    [{ method: "post" }, [200, 503, 200, 503]],
    [{ path: "/servers" }, [503, 503, 200, 200]],
    [{ path: "/v1/servers" }, [503, 503, 200, 200]],
    [{ path: "/*" }, [503, 503, 503, 200]],
    [{ path: "/**" }, [503, 503, 503, 503]],
    [{ path: "/api-keys/*/rotate" }, [200, 200, 200, 503]],
    [{ path: "^/(teams|api-keys)" }, [200, 200, 503, 503]],
    [{ method: "GET", query: { page: "1" } }, [200, 200, 503, 200]],
  ])("a fault that matches %j strikes only those requests", async (match, expected) => {
    const emulator = await emulatorWith(fail, { match });
    const seen: number[] = [];
    for (const call of ["GET /servers", "POST /servers", "GET /teams?page=1", ROTATE]) {
      const { status } = await send(emulator, call, call === "POST /servers" ? create : {});
      seen.push(status === 201 ? 200 : status);
    }
    expect(seen).toEqual(expected);
  });

  test("an invalid list of faults is refused and leaves the previous one in place", async () => {
    const emulator = await emulatorWith(fail);
    expect((await control(emulator, "PUT /faults", [{ effect: "explode" }])).status).toBe(422);
    expect((await send(emulator, "GET /servers")).status).toBe(503);
  });

  test.each([
    ["^/(a+)+$", 60],
    ["/**a**a**a**a**a**a**a**a**a**a*b", 8_000],
  ])("the pattern %s holds nobody up", async (path, length) => {
    const emulator = await emulatorWith(fail, { match: { path } });
    const asked = statuses(emulator, 3, `GET /${"a".repeat(length)}!`);
    expect(await took(asked)).toBeLessThan(2_000);
    expect(await asked).toEqual([404, 404, 404]);
    expect(emulator.faults()[0]?.problem).toMatch(/took longer than \d+ ms/);
  });
});

describe("effects on one request", () => {
  const refused = (code: string, more = {}) => ({ success: false, error: { code, ...more } });
  const limited = refused("rate_limit_exceeded", { retry_after: 7 });
  const notAllowed = { error: { code: "ip_not_allowed", status: 403 } };
  test.each<[FaultInput["effect"], number, unknown, Record<string, string | null>]>([
    [{ type: "status", status: 500 }, 500, refused("internal_error"), {}],
    [{ type: "status", status: 429, retry_after: 7 }, 429, limited, { "retry-after": "7" }],
    [{ type: "status", status: 403, code: "ip_not_allowed" }, 403, notAllowed, {}],
    ["html-502", 502, "<h1>502 Bad Gateway</h1>", { "content-type": "text/html" }],
    ["bare-429", 429, "", { "retry-after": null, "x-ratelimit-limit": null }],
  ])("the fault %j answers with %i, and the service does nothing", async (effect, ...expected) => {
    const [status, body, headers] = expected;
    const emulator = await emulatorWith(effect);
    const reply = await send(emulator, "POST /servers", create);
    expect(reply.status).toBe(status);
    if (typeof body === "string") expect(reply.text).toContain(body);
    else expect(reply.body).toMatchObject(body as object);
    // Form B has no `success`.
    if (status === 403) expect(reply.body).not.toHaveProperty("success");
    if (body === "") expect(reply.text).toBe("");
    for (const [name, value] of Object.entries(headers)) {
      expect(reply.headers.get(name)).toBe(value);
    }
    expect(emulator.counts()["server"]).toBe(0);
  });

  test("the fault delay holds a request before its work or after it", async () => {
    const emulator = await newEmulator();
    for (const when of ["before", "after"] as const) {
      emulator.reset();
      emulator.setFaults([{ effect: { type: "delay", ms: 500, when } }]);
      const asked = send(emulator, "POST /servers", create);
      await until(() => emulator.journal().length > 0);
      expect(emulator.counts()["server"]).toBe(when === "before" ? 0 : 1);
      expect(emulator.journal()[0]).toMatchObject({ status: null, ended_at: null });
      await asked;
      expect(emulator.counts()["server"]).toBe(1);
    }
  });

  test.each([
    ["reset-before", "does nothing and", 0, null],
    ["reset-after", "does the work and", 1, 201],
  ] as const)("the fault %s %s resets the connection", async (fault, _, count, status) => {
    const emulator = await emulatorWith(fault, { times: 1 });
    await expect(send(emulator, "POST /servers", create)).rejects.toThrow();
    expect(emulator.counts()["server"]).toBe(count);
    expect(emulator.journal()[0]).toMatchObject({ status, faults: [fault] });
  });

  test("a reset by a fault arrives as ECONNRESET", async () => {
    const emulator = await emulatorWith("reset-before");
    expect(await rawGet(emulator, "/servers")).toEqual({ text: "", error: "ECONNRESET" });
  });

  test("the fault truncate sends half of the body with the length of the whole", async () => {
    const emulator = await emulatorWith("truncate");
    await expect(send(emulator, "POST /servers", create)).rejects.toThrow();
    expect(emulator.counts()["server"]).toBe(1);
    const { text } = await rawGet(emulator, "/servers");
    const [head = "", body = ""] = text.split("\r\n\r\n");
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    expect(head).toMatch(/^HTTP\/1\.1 200/);
    expect(body).toHaveLength(Math.floor(length / 2));
  });

  test.each([0, 5])("the fault truncate cuts the body after %i bytes", async (bytes) => {
    const { text } = await rawGet(await emulatorWith({ type: "truncate", bytes }), "/servers");
    expect(text.split("\r\n\r\n")[1]).toHaveLength(bytes);
  });

  const DEEDS = Object.entries({ "does nothing and": 0, "with applied does the work and": 1 });
  test.each(DEEDS)("the fault replay-500 %s replays the failure for the key", async (_, count) => {
    const emulator = await emulatorWith({ type: "replay-500", applied: count === 1 }, { times: 1 });
    expect((await send(emulator, "POST /servers", idempotent)).status).toBe(500);
    const again = await send(emulator, "POST /servers", idempotent);
    expect([again.status, again.body.error.code]).toEqual([500, "internal_error"]);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(emulator.counts()["server"]).toBe(count);
    const other = { ...create, headers: { "Idempotency-Key": "k2" } };
    expect((await send(emulator, "POST /servers", other)).status).toBe(201);
  });

  test("a plain 500 is not replayed, and the next attempt does the work", async () => {
    const emulator = await emulatorWith({ type: "status", status: 500 }, { times: 1 });
    expect((await send(emulator, "POST /servers", idempotent)).status).toBe(500);
    expect((await send(emulator, "POST /servers", idempotent)).status).toBe(201);
  });

  test("the fault normalise stores other values than it receives", async () => {
    const emulator = await emulatorWith("normalise");
    const body = { name: "  ERP Main ", tags: ["b", "a"], meta: { Owner: "ADA" } };
    expect((await send(emulator, "POST /servers", { body })).body.data).toMatchObject({
      ...{ name: "erp main", tags: ["a", "b"], meta: { Owner: "ada" } },
      ...{ region: "default", labels: {} },
    });
    const patched = await send(emulator, "PATCH /servers/srv_1", { body: { name: "NEW" } });
    expect([patched.body.data.name, (await newest(emulator)).name]).toEqual(["new", "new"]);
  });

  test("the fault provision makes provisioning fail, never end, or take a set time", async () => {
    const emulator = await emulatorWith("provision", { times: 1 });
    const statusOf = async () => (await newest(emulator)).status;
    await send(emulator, "POST /servers", create);
    expect(await statusOf()).toBe("failed");
    emulator.setFaults([{ effect: { type: "provision", outcome: "never" } }]);
    await send(emulator, "POST /servers", create);
    emulator.advance("30d");
    expect(await statusOf()).toBe("provisioning");
    emulator.setFaults([{ effect: { type: "provision", outcome: "ready", ms: 60_000 } }]);
    await send(emulator, "POST /servers", create);
    expect(await statusOf()).toBe("provisioning");
    emulator.advance("1m");
    expect(await statusOf()).toBe("running");
  });

  test("the fault provision strikes a change as well: the object becomes ready again, or fails", async () => {
    const emulator = await emulatorWith("normalise", { times: 1 });
    const statusOf = async () => (await newest(emulator)).status;
    await send(emulator, "POST /servers", create);
    emulator.advance("1h");
    const change = (outcome: "failed" | "ready") => {
      emulator.setFaults([{ effect: { type: "provision", outcome, ms: 60_000 } }]);
      return send(emulator, "PATCH /servers/srv_1", { body: { name: outcome } });
    };
    const answered = await change("failed");
    expect(answered.body.data).toMatchObject({ name: "failed", status: "provisioning" });
    emulator.advance("1m");
    expect(await statusOf()).toBe("failed");
    await change("ready");
    expect(await statusOf()).toBe("provisioning");
    emulator.advance("1m");
    expect(await statusOf()).toBe("running");
  });

  test("two faults can strike one request", async () => {
    const emulator = await newEmulator();
    emulator.setFaults([{ effect: { type: "delay", ms: 60 } }, { effect: "html-502" }]);
    const reply = send(emulator, "GET /servers");
    expect(await took(reply)).toBeGreaterThanOrEqual(59);
    expect((await reply).status).toBe(502);
  });
});

test("closing an emulator ends open connections at once", async () => {
  const emulator = await emulatorWith({ type: "delay", ms: 5_000 });
  const socket = connect(emulator.port, "127.0.0.1");
  const ended = new Promise((resolve) => socket.once("close", resolve));
  socket.on("error", () => undefined);
  await new Promise((resolve) => socket.once("connect", resolve));
  const hanging = send(emulator, "GET /servers").catch(() => "cut");
  await pause(30);
  expect(await took(emulator.close())).toBeLessThan(500);
  expect(await hanging).toBe("cut");
  await ended;
});
