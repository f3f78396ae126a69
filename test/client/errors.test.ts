import { describe, expect, test } from "@jest/globals";
import { inspect } from "node:util";
import {
  hasCode,
  isAuthenticationError,
  isErpHostError,
  isPermissionError,
  type ErpHostError,
} from "../../provider/client/errors";
import type { Hooks } from "../../provider/client/chain/observe";
import { CANARY, failure, failureOf, META, ok, raw, clientOn, type Respond } from "./support/core";

const errorOf = async (respond: Respond, body = { name: "n" }): Promise<ErpHostError> => {
  const { core, clock } = clientOn(respond);
  const error = await failureOf(clock.run(core.update("server", "srv_1", body)));
  if (!isErpHostError(error)) throw error;
  return error;
};

/** Form B (contract, part 7): no `success`, and `status` inside. */
const formB = (status: number, code: string, more = {}) =>
  raw(status, { error: { code, message: "m", status, ...more }, meta: META });

describe("errors of the service", () => {
  test("an error of form A keeps its field", async () => {
    const details = { field: "name", reason: "is taken" };
    const error = await errorOf(() => failure(422, "validation_error", { details }));
    expect(error).toMatchObject({
      code: "validation_error",
      status: 422,
      field: "name",
      requestId: "req_1",
      operation: "PATCH /servers/srv_1",
      objectId: "srv_1",
      retryable: false,
    });
    expect(error.message).toBe(
      "PATCH /servers/srv_1 → 422 validation_error: name: is taken. Change the value. (request req_1)",
    );
  });

  test("an error of form B keeps its further fields", async () => {
    const denied = await errorOf(() =>
      formB(403, "insufficient_permissions", {
        required: ["servers:write"],
        provided: ["servers:read"],
      }),
    );
    expect(denied).toMatchObject({ required: ["servers:write"], provided: ["servers:read"] });
    expect(denied.message).toBe(
      "PATCH /servers/srv_1 → 403 insufficient_permissions: the key has servers:read, this needs servers:write. Use a key of https://service.test/v1 with that scope. (request req_1)",
    );
    const expired = await errorOf(() =>
      formB(401, "token_expired", { expired_at: "2026-01-01T00:00:00Z" }),
    );
    expect(expired.expiredAt).toBe("2026-01-01T00:00:00Z");
    expect(expired.message).toContain(
      "the API key expired at 2026-01-01T00:00:00Z. Use the key that",
    );
    const away = await errorOf(() =>
      formB(403, "ip_not_allowed", { your_ip: "192.0.2.1", allowed_ips: ["198.51.100.0/24"] }),
    );
    expect(away).toMatchObject({ yourIp: "192.0.2.1", allowedIps: ["198.51.100.0/24"] });
    expect(away.message).toContain("came from 192.0.2.1, but the key allows only 198.51.100.0/24");
  });

  test("unauthorized and forbidden are treated like the specific codes", async () => {
    const generic = await errorOf(() => failure(403, "forbidden"));
    expect(isPermissionError(generic)).toBe(true);
    expect(generic.message).toContain(
      "this needs servers:write. Use a key of https://service.test/v1 with that scope.",
    );
    expect(isPermissionError(await errorOf(() => formB(403, "ip_not_allowed")))).toBe(true);
    expect(isAuthenticationError(await errorOf(() => failure(401, "unauthorized")))).toBe(true);
    expect(isAuthenticationError(await errorOf(() => formB(401, "invalid_token")))).toBe(true);
    expect(isAuthenticationError(generic)).toBe(false);
  });

  test.each([
    [401, "unauthorized"],
    [403, "forbidden"],
    [418, "invalid_response"],
    [404, "invalid_response"],
    [405, "not_offered"],
  ])("a bare %i has the code %s", async (status, code) => {
    expect(await errorOf(() => raw(status, "nothing"))).toMatchObject({ status, code });
  });

  test("an unknown code is kept, and a code that is not an identifier is not repeated", async () => {
    const error = await errorOf(() => failure(409, "brand_new"));
    expect([hasCode(error, "brand_new"), hasCode(error, "conflict", "brand_new")]).toEqual([
      true,
      true,
    ]);
    expect(hasCode(new Error("x"), "brand_new")).toBe(false);
    expect(await errorOf(() => failure(409, "<b>hi</b>"))).toMatchObject({
      code: "invalid_response",
    });
  });

  test("malformed further fields do not hide the code", async () => {
    const error = await errorOf(() => formB(403, "insufficient_permissions", { required: "all" }));
    expect(error).toMatchObject({ code: "insufficient_permissions", required: undefined });
  });
});

describe("secrets", () => {
  const NEXT = "acme_live_n3xtn3xtn3xt";
  const everywhere = (value: unknown): string =>
    `${inspect(value, { depth: 12, showHidden: true })} ${JSON.stringify(value)} ${String(value)}`;

  test.each<[string, Respond]>([
    [
      "a refusal that repeats the key",
      () => failure(401, "invalid_token", { message: `no ${CANARY}` }),
    ],
    [
      "details that repeat the body",
      () =>
        failure(422, "validation_error", { details: { field: "pin", reason: "hunter22 is weak" } }),
    ],
    [
      "a field name that is the secret",
      () => failure(422, "validation_error", { details: { field: "hunter22", reason: "no" } }),
    ],
    [
      "scopes that hold the key",
      () => formB(403, "insufficient_permissions", { required: [CANARY], provided: ["hunter22"] }),
    ],
    [
      "a request id that is the key",
      () => raw(400, { error: { code: "bad" }, meta: { request_id: CANARY } }),
    ],
    ["another key of the service", () => failure(409, "conflict", { message: `used by ${NEXT}` })],
    ["HTML that repeats all", () => raw(502, `<html>${CANARY} hunter22</html>`)],
    ["JSON that is cut", () => raw(200, `{"success":true,"data":{"value":"${CANARY}`)],
    ["a content type that is the key", () => raw(418, "x", { "content-type": CANARY })],
    ["a parser's fault", () => Promise.reject(new Error(`unexpected ${CANARY}`))],
  ])("secrets reach no error and no hook: %s", async (_, respond) => {
    const seen: unknown[] = [];
    const note = (event: unknown) => void seen.push(event);
    const hooks: Hooks = {
      onRequest: note,
      onResponse: note,
      onRetry: note,
      onWait: note,
      onWarning: note,
    };
    const { core, clock } = clientOn(respond, { more: { hooks } });
    const body = { name: "n", pin: "hunter22", deep: { list: ["hunter22"] } };
    const notices: unknown[] = [];
    const onNotice = (notice: unknown) => void notices.push(notice);
    const error = await failureOf(clock.run(core.update("server", "srv_1", body, { onNotice })));
    expect(seen.length).toBeGreaterThan(1);
    const all = everywhere([error, seen, notices]) + everywhere((error as Error).stack);
    for (const secret of [CANARY, "hunter22", NEXT]) expect(all).not.toContain(secret);
  });

  test("after a key was replaced both stay hidden, and retries use the new one", async () => {
    let calls = 0;
    const { core, clock, sent } = clientOn(() => {
      calls += 1;
      if (calls === 1) {
        core.useKey(NEXT);
        return undefined;
      }
      return failure(401, "invalid_token", { message: `${CANARY} became ${NEXT}` });
    });
    const error = await failureOf(clock.run(core.update("server", "srv_1", { name: "n" })));
    expect(sent.map(({ headers }) => headers["authorization"])).toEqual([
      `Bearer ${CANARY}`,
      `Bearer ${NEXT}`,
    ]);
    expect(String(error)).toContain("[redacted] became [redacted]");
  });

  test("values that are not secret stay readable", async () => {
    const error = await errorOf(() =>
      failure(409, "conflict", { message: "web-1 is used by ins_1\n\u0007" }),
    );
    expect(error.message).toContain("web-1 is used by ins_1. Remove what uses it first.");
  });
});

describe("hooks", () => {
  test("hooks report requests, answers and retries, and may throw", async () => {
    const events: unknown[] = [];
    let calls = 0;
    const hooks: Hooks = {
      onRequest: ({ operation, attempt }) => events.push(["request", operation, attempt]),
      onResponse: ({ status, code, requestId }) => {
        events.push(["response", status, code, requestId]);
        throw new Error("an observer's own fault");
      },
      onRetry: ({ code }) => events.push(["retry", code]),
    };
    const { core, clock } = clientOn(
      () => (++calls === 1 ? failure(500, "internal_error") : ok({ id: "srv_1" })),
      { more: { hooks } },
    );
    await clock.run(core.create("server", { name: "n" }));
    expect(events).toEqual([
      ["request", "POST /servers", 1],
      ["response", 500, "internal_error", "req_1"],
      ["retry", "internal_error"],
      ["request", "POST /servers", 2],
      ["response", 200, undefined, "req_1"],
    ]);
  });

  test("hooks show debug headers where they were asked for", async () => {
    const debug: unknown[] = [];
    const headers = {
      "x-auth-key-id": "key_1",
      "x-auth-permissions": "servers:read, teams:*",
      "x-auth-ip-check": "passed",
      "x-auth-rate-limit": "99/100",
    };
    const { core, clock, sent } = clientOn(
      () => ({ ...ok({ authenticated: true, key_id: "key_1", permissions: [] }), headers }),
      {
        given: { debugAuth: true },
        more: { hooks: { onResponse: (event) => debug.push(event.debug) } },
      },
    );
    const wanted = {
      keyId: "key_1",
      permissions: ["servers:read", "teams:*"],
      ipCheck: "passed",
      rateLimit: { remaining: 99, limit: 100 },
    };
    expect((await clock.run(core.authTest())).debug).toEqual(wanted);
    expect(debug).toEqual([wanted]);
    expect(sent[0]?.headers["x-debug-auth"]).toBe("true");
  });
});
