import { describe, expect, test } from "@jest/globals";
import { ask, askFrom, idsOf, keyWith, started, tell } from "./support";

const create = { body: { name: "a" } };

describe("/_emulator", () => {
  test("lists its calls with their schemas", async () => {
    const emulator = await started();
    const { calls } = (await tell(emulator, "GET ")).body;
    const clock = calls.find(({ call }) => call === "PUT /clock");
    expect(clock?.body?.properties).toHaveProperty("advance");
    expect(calls.map(({ call }) => call)).toContain("GET /snapshot");
  });

  test("health says how it was started", async () => {
    const emulator = await started({ plan: "starter", keyClass: "limited", strict: true });
    expect((await tell(emulator, "GET /health")).body).toMatchObject({
      status: "ok",
      plan: "starter",
      keyClass: "limited",
      strict: true,
      profile: "none",
      rate: 1,
    });
  });

  test("an unknown call is a 404, a broken body a 422", async () => {
    const emulator = await started();
    expect((await tell(emulator, "GET /weather")).status).toBe(404);
    const response = await fetch(`${emulator.url}/_emulator/clock`, { method: "PUT", body: "{" });
    expect(response.status).toBe(422);
  });
});

describe("the journal", () => {
  test("tells what was asked, in order, and can be emptied", async () => {
    const emulator = await started();
    await ask(emulator, "POST /servers", create);
    await ask(emulator, "GET /servers?per_page=5&page=1");
    await ask(emulator, "GET /planets", { key: null });
    const { requests } = (await tell(emulator, "GET /requests")).body;
    expect(requests).toMatchObject([
      {
        method: "POST",
        path: "/servers",
        operation: "server.create",
        status: 201,
        key_id: "key_1",
      },
      { method: "GET", path: "/servers", query: "per_page=5&page=1", operation: "server.list" },
      { method: "GET", path: "/planets", operation: null, status: 401, key_id: null },
    ]);
    for (const { started_at, ended_at, duration_ms } of requests) {
      expect(Date.parse(ended_at ?? "")).toBeGreaterThanOrEqual(Date.parse(started_at));
      expect(duration_ms).toBeGreaterThan(0);
    }
    const seq = requests[1]?.seq;
    expect((await tell(emulator, `GET /requests?after=${seq}`)).body.requests).toHaveLength(1);
    expect((await tell(emulator, "GET /requests?limit=2")).body.requests).toHaveLength(2);
    await tell(emulator, "DELETE /requests");
    expect((await tell(emulator, "GET /requests")).body).toEqual({ requests: [] });
  });

  test("holds no secret", async () => {
    const emulator = await started();
    const body = { name: "k", permissions: ["admin"], password: "canary-8271" };
    const made = await ask(emulator, "POST /api-keys", { body });
    await ask(emulator, "POST /api-keys/key_2/rotate");
    const text = JSON.stringify(emulator.journal());
    expect(text).toContain("api_key.rotate");
    for (const secret of [emulator.adminKey, made.body.data.value, "canary-8271"]) {
      expect(text).not.toContain(secret);
    }
  });
});

describe("keys", () => {
  test("are created as the dashboard would, environment and class included", async () => {
    const emulator = await started({ plan: "enterprise" });
    const body = {
      name: "pipeline",
      permissions: ["servers:read"],
      ip_whitelist: ["127.0.0.1"],
      environment: "live",
      key_class: "limited",
    };
    const made = await tell(emulator, "POST /keys", body);
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      id: "key_2",
      name: "pipeline",
      lineage_id: "key_2",
      value: expect.stringMatching(/^erp_live_/),
    });
    expect(made.body).not.toHaveProperty("environment");
    const reply = await ask(emulator, "GET /servers", { key: made.body.value });
    expect(reply.headers.get("x-ratelimit-limit")).toBe("10");
    const listed = JSON.stringify((await tell(emulator, "GET /keys")).body);
    expect(listed).toContain("pipeline");
    expect(listed).not.toContain(made.body.value);
  });

  test("with odd fields, or a value that another has, are refused", async () => {
    const emulator = await started();
    const value = emulator.adminKey;
    expect((await tell(emulator, "POST /keys", { value })).status).toBe(409);
    expect((await tell(emulator, "POST /keys", { permissions: ["fly"] })).status).toBe(422);
    expect((await tell(emulator, "POST /keys", { expires_at: "soon" })).status).toBe(422);
  });

  test("may be given their value, but not an odd class", async () => {
    const emulator = await started();
    const value = "acme_live_0123456789abcdef";
    await tell(emulator, "POST /keys", { value });
    expect((await ask(emulator, "GET /servers", { key: value })).status).toBe(200);
    expect((await tell(emulator, "POST /keys", { key_class: "royal" })).status).toBe(422);
  });
});

describe("objects", () => {
  test("are made, changed and removed out of band, kinds without such operations included", async () => {
    const emulator = await started();
    for (const kind of ["server", "backup", "team", "invoice", "cloud_provider"]) {
      const made = await tell(emulator, `POST /objects/${kind}`, { name: "x", amount: 7 });
      expect(made.status).toBe(201);
      const { id } = made.body;
      const patched = await tell(emulator, `PATCH /objects/${kind}/${id}`, {
        amount: null,
        note: "n",
      });
      expect(patched.body).toMatchObject({ id, note: "n" });
      expect(patched.body).not.toHaveProperty("amount");
      expect((await tell(emulator, `GET /objects/${kind}`)).body.objects).toEqual([patched.body]);
      expect((await tell(emulator, `DELETE /objects/${kind}/${id}`)).status).toBe(200);
      expect((await tell(emulator, `DELETE /objects/${kind}/${id}`)).status).toBe(404);
    }
    expect((await tell(emulator, "GET /objects")).body.objects).toMatchObject({
      server: 0,
      api_key: 1,
    });
    expect((await tell(emulator, "POST /objects/planet", {})).status).toBe(404);
  });

  test("may be given an id, a time and a state", async () => {
    const emulator = await started();
    const record = { id: "srv_7", name: "x", created_at: "2020-01-01T00:00:00Z", status: "failed" };
    await tell(emulator, "POST /objects/servers", [record]);
    expect((await ask(emulator, "GET /servers")).body.data).toEqual([record]);
    const older = await ask(emulator, "GET /servers?sort=created_at&order=asc");
    expect(idsOf(older)).toEqual(["srv_7"]);
  });

  test.each([
    [{ created_at: "yesterday" }, 422],
    [{ id: "srv_1" }, 409],
    ["text", 422],
  ])("%j: %i", async (record, status) => {
    const emulator = await started();
    emulator.createObjects("server", {});
    expect((await tell(emulator, "POST /objects/server", record)).status).toBe(status);
    expect(emulator.counts()["server"]).toBe(1);
  });

  test("that get another time take another place", async () => {
    const emulator = await started();
    emulator.createObjects("server", [{}, {}]);
    emulator.changeObject("server", "srv_2", { created_at: "2020-01-01T00:00:00Z" });
    expect(idsOf(await ask(emulator, "GET /servers?order=asc"))).toEqual(["srv_2", "srv_1"]);
  });

  test("go even where others need them", async () => {
    const emulator = await started();
    emulator.createObjects("server", { name: "s" });
    emulator.createObjects("instance", { name: "i", server_id: "srv_1" });
    emulator.removeObject("server", "srv_1");
    expect(emulator.counts()).toMatchObject({ server: 0, instance: 1 });
  });

  test("that are keys lose their access with their record", async () => {
    const emulator = await started();
    const key = keyWith(emulator, ["admin"]);
    emulator.removeObject("api_key", "key_2");
    expect((await ask(emulator, "GET /servers", { key })).body.error.code).toBe("invalid_token");
  });
});

describe("a snapshot", () => {
  test("brings everything back: objects, keys, ids, clock, replays, what is under way", async () => {
    const emulator = await started({ provisionMs: 3_600_000 });
    const key = keyWith(emulator, ["admin"]);
    const asking = { ...create, key, headers: { "Idempotency-Key": "k" } };
    await ask(emulator, "POST /servers", asking);
    emulator.advance("30m");
    const snapshot = (await tell(emulator, "GET /snapshot")).body;
    emulator.advance("90d");
    await ask(emulator, "DELETE /servers/srv_1");
    await ask(emulator, "DELETE /api-keys/key_2");
    await ask(emulator, "POST /servers", create);
    expect((await tell(emulator, "PUT /snapshot", snapshot)).status).toBe(200);
    expect((await ask(emulator, "POST /servers", asking)).body.data.id).toBe("srv_1");
    const { data, meta } = (await ask(emulator, "GET /servers", { key })).body;
    expect(data).toMatchObject([{ id: "srv_1", status: "provisioning" }]);
    expect(Date.parse(meta.timestamp) - snapshot.clock.nowMs).toBeLessThan(5_000);
    emulator.advance("30m");
    expect((await ask(emulator, "GET /servers")).body.data[0].status).toBe("running");
    expect((await ask(emulator, "POST /servers", create)).body.data.id).toBe("srv_2");
  });

  test("works in another emulator, whose admin key goes on", async () => {
    const first = await started();
    await ask(first, "POST /servers", create);
    const key = keyWith(first, ["admin"]);
    const second = await started();
    second.restore(first.snapshot());
    expect((await ask(second, "GET /servers", { key })).body.data).toHaveLength(1);
    expect((await ask(second, "GET /servers")).status).toBe(200);
  });

  test("that is none is refused and changes nothing", async () => {
    const emulator = await started();
    await ask(emulator, "POST /servers", create);
    expect((await tell(emulator, "PUT /snapshot", { version: 2 })).status).toBe(422);
    expect(emulator.counts()["server"]).toBe(1);
  });
});

describe("reset", () => {
  test("brings back the state after the start; the admin key goes on", async () => {
    const emulator = await started({
      limits: [{ requests: 3, windowMs: 60_000 }],
      seed: { objects: { server: [{ name: "seeded" }] } },
    });
    await ask(emulator, "POST /servers", { ...create, headers: { "Idempotency-Key": "k" } });
    emulator.createKey();
    emulator.setFaults([{ effect: "html-502", skip: 5 }]);
    emulator.advance("90d");
    await tell(emulator, "POST /reset");
    expect(emulator.counts()).toMatchObject({ server: 1, api_key: 1 });
    expect(emulator.faults()).toEqual([]);
    expect(emulator.journal()).toEqual([]);
    expect(Math.abs(Date.parse(emulator.clock().now) - Date.now())).toBeLessThan(5_000);
    const made = await ask(emulator, "POST /servers", {
      ...create,
      headers: { "Idempotency-Key": "k" },
    });
    expect(made.body.data.id).toBe("srv_2");
    expect(made.headers.get("x-ratelimit-remaining")).toBe("2");
  });
});

describe("a seed", () => {
  test("brings objects and keys", async () => {
    const value = "acme_test_0123456789abcdef";
    const emulator = await started({
      seed: {
        objects: {
          server: [{ id: "srv_main", name: "main" }],
          invoice: [{ status: "paid" }],
        },
        keys: [{ name: "pipeline", permissions: ["servers:read"], value }],
      },
    });
    const reply = await ask(emulator, "GET /servers", { key: value });
    expect(reply.body.data).toMatchObject([{ id: "srv_main", name: "main", status: "running" }]);
    expect((await ask(emulator, "GET /invoices")).body.data).toMatchObject([{ id: "inv_1" }]);
  });

  test("that does not fit is refused, with the place", async () => {
    const seed = { keys: [{ environment: "moon" }] } as never;
    await expect(started({ seed })).rejects.toThrow(/seed: keys\[0\]\.environment/);
  });
});

describe("who may use it", () => {
  test("on loopback everybody, but no web page from elsewhere", async () => {
    const emulator = await started();
    const call = (headers: Record<string, string>) =>
      fetch(`${emulator.url}/_emulator/reset`, { method: "POST", headers });
    expect((await call({})).status).toBe(200);
    expect((await call({ origin: emulator.url })).status).toBe(200);
    expect((await call({ origin: "http://evil.example" })).status).toBe(403);
  });

  test("no name of elsewhere that was made to lead here", async () => {
    const emulator = await started();
    const { request } = await import("node:http");
    const status = await new Promise((resolve) => {
      const options = { headers: { host: "evil.example" }, agent: false };
      request(`${emulator.url}/_emulator/health`, options, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).end();
    });
    expect(status).toBe(403);
  });

  test("on any other address whoever has an admin key", async () => {
    const emulator = await started({ host: "0.0.0.0" });
    const weak = keyWith(emulator, ["servers:*"]);
    const health = `${emulator.url}/_emulator/health`;
    const status = async (headers: Record<string, string>) =>
      (await fetch(health, { headers })).status;
    expect(await status({})).toBe(401);
    expect(await status({ authorization: `Bearer ${weak}` })).toBe(403);
    expect(await status({ authorization: `Bearer ${emulator.adminKey}` })).toBe(200);
    expect((await askFrom("127.0.0.2", health, emulator.adminKey)).status).toBe(200);
  });
});
