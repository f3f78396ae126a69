import { describe, expect, test } from "@jest/globals";
import { ask, started, TIMESTAMP } from "./support";

const meta = {
  timestamp: expect.stringMatching(TIMESTAMP),
  request_id: expect.stringMatching(/^req_[0-9a-f]{18}$/),
};
const created_at = expect.stringMatching(TIMESTAMP);

describe("servers", () => {
  test("POST creates one and answers it in the envelope", async () => {
    const emulator = await started({ provisionMs: 60_000 });
    const reply = await ask(emulator, "POST /servers", { body: { name: "erp-production" } });
    expect(reply.status).toBe(201);
    expect(reply.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(reply.body).toEqual({
      success: true,
      data: { id: "srv_1", name: "erp-production", status: "provisioning", created_at },
      meta,
    });
  });

  test("GET lists them with pagination, newest first", async () => {
    const emulator = await started();
    for (const name of ["a", "b"]) await ask(emulator, "POST /servers", { body: { name } });
    const reply = await ask(emulator, "GET /servers");
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      success: true,
      data: [
        { id: "srv_2", name: "b", status: "running", created_at },
        { id: "srv_1", name: "a", status: "running", created_at },
      ],
      meta,
      pagination: {
        current_page: 1,
        per_page: 20,
        total_pages: 1,
        total_items: 2,
        has_next: false,
        has_previous: false,
      },
    });
  });

  test("PATCH changes one and answers it", async () => {
    const emulator = await started();
    await ask(emulator, "POST /servers", { body: { name: "old" } });
    const reply = await ask(emulator, "PATCH /servers/srv_1", { body: { name: "new" } });
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      success: true,
      data: { id: "srv_1", name: "new", status: "running", created_at },
      meta,
    });
  });

  test("DELETE removes one and answers its id", async () => {
    const emulator = await started();
    await ask(emulator, "POST /servers", { body: { name: "a" } });
    const reply = await ask(emulator, "DELETE /servers/srv_1");
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ success: true, data: { id: "srv_1" }, meta });
    expect((await ask(emulator, "GET /servers")).body.data).toEqual([]);
    expect((await ask(emulator, "DELETE /servers/srv_1")).status).toBe(404);
  });

  test("a server that has instances can't be deleted", async () => {
    const emulator = await started();
    await ask(emulator, "POST /servers", { body: { name: "a" } });
    await ask(emulator, "POST /instances", { body: { name: "i", server_id: "srv_1" } });
    const reply = await ask(emulator, "DELETE /servers/srv_1");
    expect(reply.status).toBe(409);
    expect(reply.body).toEqual({
      success: false,
      error: {
        code: "conflict",
        message: "server srv_1 is still used by 1 instance: ins_1",
        details: { field: "id", reason: "is still used by 1 instance: ins_1" },
      },
      meta,
    });
    await ask(emulator, "DELETE /instances/ins_1");
    expect((await ask(emulator, "DELETE /servers/srv_1")).status).toBe(200);
  });

  test("an id is never given twice", async () => {
    const emulator = await started();
    await ask(emulator, "POST /servers", { body: { name: "a" } });
    await ask(emulator, "DELETE /servers/srv_1");
    const reply = await ask(emulator, "POST /servers", { body: { name: "a" } });
    expect(reply.body.data.id).toBe("srv_2");
  });
});

describe("instances", () => {
  test("are created on a server, listed, changed and deleted", async () => {
    const emulator = await started();
    await ask(emulator, "POST /servers", { body: { name: "a" } });
    const body = { name: "erp", server_id: "srv_1", version: "17.0", edition: "community" };
    const made = await ask(emulator, "POST /instances", { body });
    expect(made.status).toBe(201);
    expect(made.body.data).toEqual({ id: "ins_1", ...body, status: "running", created_at });
    const patched = await ask(emulator, "PATCH /instances/ins_1", { body: { version: "18.0" } });
    expect(patched.body.data).toEqual({ ...made.body.data, version: "18.0" });
    expect((await ask(emulator, "GET /instances")).body.data).toEqual([patched.body.data]);
    expect((await ask(emulator, "DELETE /instances/ins_1")).body.data).toEqual({ id: "ins_1" });
  });

  test("of an unknown server are refused, and the field is named", async () => {
    const emulator = await started();
    const body = { name: "erp", server_id: "srv_9" };
    const reply = await ask(emulator, "POST /instances", { body });
    expect(reply.status).toBe(422);
    expect(reply.body.error).toEqual({
      code: "validation_error",
      message: "server_id refers to server srv_9, which does not exist",
      details: { field: "server_id", reason: "refers to server srv_9, which does not exist" },
    });
  });

  test("never move to another server", async () => {
    const emulator = await started();
    for (const name of ["a", "b"]) await ask(emulator, "POST /servers", { body: { name } });
    await ask(emulator, "POST /instances", { body: { name: "i", server_id: "srv_1" } });
    const moved = await ask(emulator, "PATCH /instances/ins_1", { body: { server_id: "srv_2" } });
    expect(moved.status).toBe(422);
    expect(moved.body.error.details).toEqual({
      field: "server_id",
      reason: "cannot be changed after creation",
    });
    const same = await ask(emulator, "PATCH /instances/ins_1", { body: { server_id: "srv_1" } });
    expect(same.status).toBe(200);
  });
});

describe("backups", () => {
  test("are created and listed, and become completed", async () => {
    const emulator = await started({ provisionMs: 60_000 });
    await ask(emulator, "POST /servers", { body: { name: "a" } });
    const made = await ask(emulator, "POST /backups", { body: { server_id: "srv_1" } });
    expect(made.status).toBe(201);
    expect(made.body.data).toEqual({
      id: "bak_1",
      server_id: "srv_1",
      status: "pending",
      created_at,
    });
    emulator.advance("1m");
    const listed = await ask(emulator, "GET /backups");
    expect(listed.body.data).toEqual([{ ...made.body.data, status: "completed" }]);
  });

  test.each(["PATCH", "DELETE"])("%s of one is not offered", async (method) => {
    const emulator = await started();
    await ask(emulator, "POST /backups", { body: {} });
    expect((await ask(emulator, `${method} /backups/bak_1`, { raw: "{}" })).status).toBe(404);
  });
});

describe("teams", () => {
  test("are created, changed and listed", async () => {
    const emulator = await started();
    const members = [{ email: "ada@example.com", role: "admin" }, { email: "bob@example.com" }];
    const made = await ask(emulator, "POST /teams", { body: { name: "operations", members } });
    expect(made.status).toBe(201);
    expect(made.body.data).toEqual({ id: "team_1", name: "operations", members, created_at });
    const fewer = members.slice(0, 1);
    const patched = await ask(emulator, "PATCH /teams/team_1", { body: { members: fewer } });
    expect(patched.body.data.members).toEqual(fewer);
    expect((await ask(emulator, "GET /teams")).body.data).toEqual([patched.body.data]);
  });

  test("DELETE of one is not offered", async () => {
    const emulator = await started();
    await ask(emulator, "POST /teams", { body: { name: "operations" } });
    const reply = await ask(emulator, "DELETE /teams/team_1");
    expect(reply.status).toBe(405);
    expect(reply.headers.get("allow")).toBe("PATCH");
  });

  test("a member's address is checked, and given once only", async () => {
    const emulator = await started();
    const ofMembers = async (members: unknown) =>
      (await ask(emulator, "POST /teams", { body: { name: "t", members } })).body.error.details;
    expect(await ofMembers([{ email: "a@example.com" }, { email: "nobody" }])).toMatchObject({
      field: "members[1].email",
    });
    expect(await ofMembers([{ email: "a@example.com" }, { email: "a@example.com" }])).toEqual({
      field: "members[1].email",
      reason: "is a duplicate",
    });
  });
});

describe("lists that nothing but a list is offered of", () => {
  test.each([
    ["/providers", "cloud_provider", "prv_1"],
    ["/invoices", "invoice", "inv_1"],
  ])("GET %s", async (path, kind, id) => {
    const emulator = await started();
    emulator.createObjects(kind, { name: "one", status: "active" });
    const reply = await ask(emulator, `GET ${path}`);
    expect(reply.status).toBe(200);
    expect(reply.body.data).toEqual([{ id, name: "one", status: "active", created_at }]);
    expect(reply.body.pagination.total_items).toBe(1);
    const posted = await ask(emulator, `POST ${path}`, { body: { name: "two" } });
    expect(posted.status).toBe(405);
    expect(posted.body.error.code).toBe("method_not_allowed");
    expect(posted.headers.get("allow")).toBe("GET");
    expect((await ask(emulator, `PATCH ${path}/${id}`, { body: {} })).status).toBe(404);
  });
});

describe("/auth/test", () => {
  test("tells who is asking and where the quota stands", async () => {
    const emulator = await started({ plan: "starter", keyClass: "standard" });
    const reply = await ask(emulator, "GET /auth/test");
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      success: true,
      data: {
        authenticated: true,
        key_id: "key_1",
        permissions: ["admin"],
        rate_limit: { limit: 100, remaining: 99, reset: expect.stringMatching(TIMESTAMP) },
      },
      meta,
    });
  });
});

describe("what is not there", () => {
  test("an unknown path is a 404 in form A", async () => {
    const emulator = await started();
    const reply = await ask(emulator, "GET /planets");
    expect(reply.status).toBe(404);
    expect(reply.body).toEqual({
      success: false,
      error: { code: "not_found", message: "there is nothing at /planets" },
      meta,
    });
  });

  test.each(["PATCH /servers/srv_9", "DELETE /servers/srv_9", "POST /api-keys/key_9/rotate"])(
    "%s of an unknown id is a 404",
    async (call) => {
      const emulator = await started();
      const raw = call.startsWith("PATCH") ? '{"name":"x"}' : undefined;
      const reply = await ask(emulator, call, raw === undefined ? {} : { raw });
      expect(reply.status).toBe(404);
      expect(reply.body.error.code).toBe("not_found");
    },
  );

  test("an item GET is not offered", async () => {
    const emulator = await started();
    await ask(emulator, "POST /servers", { body: { name: "a" } });
    const reply = await ask(emulator, "GET /servers/srv_1");
    expect(reply.status).toBe(405);
    expect(reply.headers.get("allow")).toBe("PATCH, DELETE");
  });
});

describe("--strict", () => {
  test("serves the documented operations and no other", async () => {
    const emulator = await started({ strict: true });
    expect((await ask(emulator, "GET /api-keys")).status).toBe(404);
    expect((await ask(emulator, "POST /api-keys", { raw: "{}" })).status).toBe(404);
    expect((await ask(emulator, "DELETE /api-keys/key_1")).status).toBe(404);
    expect((await ask(emulator, "POST /servers", { body: { name: "a" } })).status).toBe(201);
    expect((await ask(emulator, "PATCH /servers/srv_1", { body: { x: 1 } })).status).toBe(200);
    expect((await ask(emulator, "DELETE /servers/srv_1")).status).toBe(200);
    for (const path of ["instances", "backups", "providers", "teams", "invoices"]) {
      expect((await ask(emulator, `GET /${path}`)).status).toBe(200);
    }
    expect((await ask(emulator, "GET /auth/test")).status).toBe(200);
  });

  test("still rotates keys", async () => {
    const emulator = await started({ strict: true });
    expect((await ask(emulator, "POST /api-keys/key_1/rotate")).status).toBe(200);
  });
});
