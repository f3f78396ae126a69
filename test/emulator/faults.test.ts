import { describe, expect, test } from "@jest/globals";
import { connect } from "node:net";
import type { Emulator, FaultInput } from "../../emulator";
import { ask, idsOf, rawExchange, started, stoppedTime, tell, until } from "./support";

const struck = async (effect: FaultInput["effect"], more: Omit<FaultInput, "effect"> = {}) => {
  const emulator = await started();
  emulator.setFaults([{ ...more, effect }]);
  return emulator;
};
const create = { body: { name: "a" } };
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const rawGet = (emulator: Emulator, path: string) =>
  rawExchange(
    emulator.port,
    `GET /v1${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${emulator.adminKey}\r\n\r\n`,
  );

describe("which requests are struck", () => {
  const statuses = async (emulator: Emulator, count: number, call = "GET /servers") => {
    const seen: number[] = [];
    for (let turn = 0; turn < count; turn += 1) seen.push((await ask(emulator, call)).status);
    return seen;
  };
  const fail = { type: "status", status: 503 } as const;

  test("times: the first so many", async () => {
    expect(await statuses(await struck(fail, { times: 2 }), 4)).toEqual([503, 503, 200, 200]);
  });

  test("every: every so manieth", async () => {
    expect(await statuses(await struck(fail, { every: 2 }), 5)).toEqual([200, 503, 200, 503, 200]);
  });

  test("skip: not the first so many", async () => {
    const emulator = await struck(fail, { skip: 1, times: 1 });
    expect(await statuses(emulator, 3)).toEqual([200, 503, 200]);
  });

  test("probability: about that share, the same ones for the same seed", async () => {
    const run = async () => statuses(await struck(fail, { probability: 0.5 }), 60);
    const first = await run();
    const hits = first.filter((status) => status === 503).length;
    expect(hits).toBeGreaterThan(15);
    expect(hits).toBeLessThan(45);
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
  ])("match %j", async (match, expected) => {
    const emulator = await struck(fail, { match });
    const calls = [
      "GET /servers",
      "POST /servers",
      "GET /teams?page=1",
      "POST /api-keys/key_1/rotate",
    ];
    const seen: number[] = [];
    for (const call of calls) {
      const body = call === "POST /servers" ? create : {};
      const { status } = await ask(emulator, call, body);
      seen.push(status === 201 ? 200 : status);
    }
    expect(seen).toEqual(expected);
  });

  test("an odd list of faults is refused and leaves the old one", async () => {
    const emulator = await struck(fail);
    for (const fault of [
      { effect: "explode" },
      { effect: { type: "status" } },
      { effect: "html-502", times: 1, every: 2 },
      { effect: "html-502", colour: "red" },
      { effect: "html-502", match: { path: "^(" } },
    ]) {
      expect((await tell(emulator, "PUT /faults", [fault])).status).toBe(422);
    }
    expect((await ask(emulator, "GET /servers")).status).toBe(503);
  });

  test("what has struck is counted, and named in the journal", async () => {
    const emulator = await struck("html-502", { times: 1 });
    await ask(emulator, "GET /servers");
    await ask(emulator, "GET /servers");
    expect(emulator.faults()).toMatchObject([{ matched: 2, struck: 1 }]);
    expect(emulator.journal().map(({ faults }) => faults)).toEqual([["html-502"], []]);
  });
});

describe("effects on one request", () => {
  test("status: the error, and nothing done", async () => {
    const emulator = await struck({ type: "status", status: 500 }, { times: 1 });
    const reply = await ask(emulator, "POST /servers", create);
    expect(reply.status).toBe(500);
    expect(reply.body).toMatchObject({ success: false, error: { code: "internal_error" } });
    expect(emulator.counts()["server"]).toBe(0);
  });

  test("status 429 may tell how long to wait", async () => {
    const emulator = await struck({ type: "status", status: 429, retry_after: 7 });
    const reply = await ask(emulator, "GET /servers");
    expect(reply.body.error).toMatchObject({ code: "rate_limit_exceeded", retry_after: 7 });
    expect(reply.headers.get("retry-after")).toBe("7");
  });

  test("status 401 is in form B", async () => {
    const emulator = await struck({ type: "status", status: 403, code: "ip_not_allowed" });
    const reply = await ask(emulator, "GET /servers");
    expect(reply.body.error).toMatchObject({ code: "ip_not_allowed", status: 403 });
    expect(reply.body).not.toHaveProperty("success");
  });

  test("delay: later, but done", async () => {
    const emulator = await struck({ type: "delay", ms: 80 });
    const start = performance.now();
    expect((await ask(emulator, "POST /servers", create)).status).toBe(201);
    expect(performance.now() - start).toBeGreaterThanOrEqual(79);
  });

  test("delay before and after: whether others see the work meanwhile", async () => {
    const emulator = await started();
    for (const [when, count] of [
      ["before", 0],
      ["after", 1],
    ] as const) {
      emulator.reset();
      emulator.setFaults([{ effect: { type: "delay", ms: 500, when } }]);
      const asked = ask(emulator, "POST /servers", create);
      await until(
        () => emulator.journal(),
        ({ length }) => length > 0,
      );
      expect(emulator.counts()["server"]).toBe(count);
      expect(emulator.journal()[0]).toMatchObject({ status: null, ended_at: null });
      await asked;
      expect(emulator.counts()["server"]).toBe(1);
    }
  });

  test("reset-before: the connection is reset, nothing is done", async () => {
    const emulator = await struck("reset-before", { times: 1 });
    await expect(ask(emulator, "POST /servers", create)).rejects.toThrow();
    expect(emulator.counts()["server"]).toBe(0);
    expect(emulator.journal()[0]).toMatchObject({ status: null, faults: ["reset-before"] });
  });

  test("reset-after: the connection is reset, the work is done", async () => {
    const emulator = await struck("reset-after", { times: 1 });
    await expect(ask(emulator, "POST /servers", create)).rejects.toThrow();
    expect(emulator.counts()["server"]).toBe(1);
    expect(emulator.journal()[0]).toMatchObject({ status: 201, faults: ["reset-after"] });
  });

  test("a reset is a reset, no orderly end", async () => {
    const emulator = await struck("reset-before");
    expect(await rawGet(emulator, "/servers")).toEqual({ text: "", error: "ECONNRESET" });
  });

  test("truncate: half of the body, under the length of all of it", async () => {
    const emulator = await struck("truncate");
    await expect(ask(emulator, "POST /servers", create)).rejects.toThrow();
    expect(emulator.counts()["server"]).toBe(1);
    const { text } = await rawGet(emulator, "/servers");
    const [head = "", body = ""] = text.split("\r\n\r\n");
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
    expect(head).toMatch(/^HTTP\/1\.1 200/);
    expect(body).toHaveLength(Math.floor(length / 2));
  });

  test.each([0, 5])("truncate: after %i bytes", async (bytes) => {
    const emulator = await struck({ type: "truncate", bytes });
    const { text } = await rawGet(emulator, "/servers");
    expect(text.split("\r\n\r\n")[1]).toHaveLength(bytes);
  });

  test("html-502: a gateway's page", async () => {
    const emulator = await struck("html-502");
    const reply = await ask(emulator, "POST /servers", create);
    expect(reply.status).toBe(502);
    expect(reply.headers.get("content-type")).toBe("text/html");
    expect(reply.text).toContain("<h1>502 Bad Gateway</h1>");
    expect(emulator.counts()["server"]).toBe(0);
  });

  test("bare-429: nothing but the status", async () => {
    const emulator = await struck("bare-429");
    const reply = await ask(emulator, "GET /servers");
    expect(reply.status).toBe(429);
    expect(reply.text).toBe("");
    expect(reply.headers.get("retry-after")).toBeNull();
    expect(reply.headers.get("x-ratelimit-limit")).toBeNull();
  });

  test("replay-500: the failure is kept for the idempotency key", async () => {
    const emulator = await struck("replay-500", { times: 1 });
    const asking = { ...create, headers: { "Idempotency-Key": "k" } };
    expect((await ask(emulator, "POST /servers", asking)).status).toBe(500);
    const again = await ask(emulator, "POST /servers", asking);
    expect(again.status).toBe(500);
    expect(again.body.error.code).toBe("internal_error");
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(emulator.counts()["server"]).toBe(0);
    const other = { ...create, headers: { "Idempotency-Key": "k2" } };
    expect((await ask(emulator, "POST /servers", other)).status).toBe(201);
  });

  test("replay-500 applied: the work is done, and the failure is kept", async () => {
    const emulator = await struck({ type: "replay-500", applied: true }, { times: 1 });
    const asking = { ...create, headers: { "Idempotency-Key": "k" } };
    for (let turn = 0; turn < 2; turn += 1) {
      expect((await ask(emulator, "POST /servers", asking)).status).toBe(500);
    }
    expect(emulator.counts()["server"]).toBe(1);
  });

  test("a plain 500 is not kept: the next attempt does the work", async () => {
    const emulator = await struck({ type: "status", status: 500 }, { times: 1 });
    const asking = { ...create, headers: { "Idempotency-Key": "k" } };
    expect((await ask(emulator, "POST /servers", asking)).status).toBe(500);
    expect((await ask(emulator, "POST /servers", asking)).status).toBe(201);
  });

  test("normalise: other values than were sent are stored", async () => {
    const emulator = await struck("normalise");
    const body = { name: "  ERP Main ", tags: ["b", "a"], meta: { Owner: "ADA" } };
    const made = await ask(emulator, "POST /servers", { body });
    expect(made.body.data).toMatchObject({
      name: "erp main",
      tags: ["a", "b"],
      meta: { Owner: "ada" },
      region: "default",
      labels: {},
    });
    const patched = await ask(emulator, "PATCH /servers/srv_1", { body: { name: "NEW" } });
    expect(patched.body.data.name).toBe("new");
    expect((await ask(emulator, "GET /servers")).body.data[0].name).toBe("new");
  });

  test("provision: fails, never ends, or takes its time", async () => {
    const emulator = await struck("provision", { times: 1 });
    const statusOf = async () => (await ask(emulator, "GET /servers")).body.data[0].status;
    await ask(emulator, "POST /servers", create);
    expect(await statusOf()).toBe("failed");
    emulator.setFaults([{ effect: { type: "provision", outcome: "never" } }]);
    await ask(emulator, "POST /servers", create);
    emulator.advance("30d");
    expect(await statusOf()).toBe("provisioning");
    emulator.setFaults([{ effect: { type: "provision", outcome: "ready", ms: 60_000 } }]);
    await ask(emulator, "POST /servers", create);
    expect(await statusOf()).toBe("provisioning");
    emulator.advance("1m");
    expect(await statusOf()).toBe("running");
  });

  test("several at once", async () => {
    const emulator = await started();
    emulator.setFaults([{ effect: { type: "delay", ms: 60 } }, { effect: "html-502" }]);
    const start = performance.now();
    expect((await ask(emulator, "GET /servers")).status).toBe(502);
    expect(performance.now() - start).toBeGreaterThanOrEqual(59);
  });
});

describe("effects on lists", () => {
  const listed = async (effect: FaultInput["effect"], query: string) => {
    const emulator = await started();
    emulator.createObjects(
      "server",
      Array.from({ length: 9 }, (_, index) => ({ created_at: at(Math.floor(index / 3)) })),
    );
    emulator.setFaults([{ effect }]);
    return ask(emulator, `GET /servers?${query}`);
  };
  const ids = async (effect: FaultInput["effect"], query: string) =>
    idsOf(await listed(effect, query)).map((id) => Number(id.slice(4)));

  test("shift-pages: an item between the pages is missed, or comes twice", async () => {
    const query = "order=asc&per_page=3&page=";
    expect(await ids("shift-pages", `${query}1`)).toEqual([1, 2, 3]);
    expect(await ids("shift-pages", `${query}2`)).toEqual([5, 6, 7]);
    expect(await ids({ type: "shift-pages", by: -1 }, `${query}2`)).toEqual([3, 4, 5]);
  });

  test("ignore-order: newest first, whatever is asked", async () => {
    expect(await ids("ignore-order", "order=asc&per_page=3")).toEqual([9, 8, 7]);
    expect(await ids({ type: "ignore-order", order: "asc" }, "order=desc&per_page=3")).toEqual([
      1, 2, 3,
    ]);
  });

  test("ignore-order random: all of them, in no order", async () => {
    const random = await ids({ type: "ignore-order", order: "random" }, "order=asc");
    expect(random.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(random).not.toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test("tie-shuffle: equal times change places, others do not", async () => {
    const orders = new Set<string>();
    const emulator = await started();
    emulator.createObjects(
      "server",
      Array.from({ length: 9 }, (_, index) => ({ created_at: at(Math.floor(index / 3)) })),
    );
    emulator.setFaults([{ effect: "tie-shuffle" }]);
    for (let turn = 0; turn < 10; turn += 1) {
      const { data } = (await ask(emulator, "GET /servers?order=asc")).body;
      const times = data.map((each: { created_at: string }) => each.created_at);
      expect(times).toEqual(times.toSorted());
      orders.add(data.map((each: { id: string }) => each.id).join());
    }
    expect(orders.size).toBeGreaterThan(1);
  });

  test("list-lag: writes show later, of every sort", async () => {
    const { realTime, pass } = stoppedTime();
    const emulator = await started({ realTime });
    emulator.createObjects("server", [{ name: "changed" }, { name: "removed" }]);
    pass(2_000);
    emulator.setFaults([{ effect: "list-lag" }]);
    await ask(emulator, "POST /servers", { body: { name: "made" } });
    await ask(emulator, "PATCH /servers/srv_1", { body: { name: "new" } });
    await ask(emulator, "DELETE /servers/srv_2");
    const names = async () =>
      (await ask(emulator, "GET /servers?order=asc")).body.data.map(
        (each: { name: string }) => each.name,
      );
    expect(await names()).toEqual(["changed", "removed"]);
    pass(1_999);
    expect(await names()).toEqual(["changed", "removed"]);
    pass(1);
    expect(await names()).toEqual(["new", "made"]);
  });

  test("clamp-per-page: fewer than asked, and pagination says so", async () => {
    const reply = await listed({ type: "clamp-per-page", max: 4 }, "order=asc&per_page=100&page=2");
    expect(idsOf(reply)).toEqual(["srv_5", "srv_6", "srv_7", "srv_8"]);
    expect(reply.body.pagination).toMatchObject({ per_page: 4, total_pages: 3, total_items: 9 });
  });

  test("clamp-per-page without echo: pagination contradicts the page", async () => {
    const effect = { type: "clamp-per-page", max: 4, echo: false } as const;
    const reply = await listed(effect, "order=asc&per_page=100");
    expect(reply.body.data).toHaveLength(4);
    expect(reply.body.pagination).toMatchObject({ per_page: 100, total_pages: 1, total_items: 9 });
  });

  test("filters and sorts hold in a bent list as in a straight one", async () => {
    const emulator = await started();
    emulator.createObjects("server", [
      { name: "b", status: "failed" },
      { name: "a", status: "failed" },
      { name: "c" },
    ]);
    const query = "GET /servers?status=failed&sort=name&order=asc";
    const straight = await ask(emulator, query);
    emulator.setFaults([{ effect: { type: "list-lag", ms: 0 } }]);
    const bent = await ask(emulator, query);
    expect(idsOf(bent)).toEqual(["srv_2", "srv_1"]);
    expect(bent.body.data).toEqual(straight.body.data);
  });
});

test("close ends open connections at once", async () => {
  const emulator = await struck({ type: "delay", ms: 5_000 });
  const socket = connect(emulator.port, "127.0.0.1");
  const ended = new Promise((resolve) => socket.once("close", resolve));
  socket.on("error", () => undefined);
  await new Promise((resolve) => socket.once("connect", resolve));
  const hanging = ask(emulator, "GET /servers").catch(() => "cut");
  await new Promise((resolve) => setTimeout(resolve, 30));
  const start = performance.now();
  await emulator.close();
  expect(performance.now() - start).toBeLessThan(500);
  expect(await hanging).toBe("cut");
  await ended;
});
