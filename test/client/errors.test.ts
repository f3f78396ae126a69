import { describe, expect, test } from "@jest/globals";
import { inspect } from "node:util";
import type { RawAnswer } from "../../provider/client/chain/call";
import type { ErpHostError } from "../../provider/client/errors";
import { hasCode, isAuthenticationError, isPermissionError } from "../../provider/client/errors";
import type { Hooks } from "../../provider/client/chain/observe";
import { redact } from "../../provider/client/redact";
import { CANARY, clientOn, failure, inTurn, META, ok, raw, type Respond } from "./support/core";

function errorOf(answer: RawAnswer): Promise<ErpHostError> {
  const { core, failed } = clientOn(() => answer);
  return failed(core.update("server", "srv_1", { name: "n" }));
}

/** Form B (contract, part 7): no `success`, and `status` inside. */
const formB = (status: number, code: string, more = {}) =>
  raw(status, { error: { code, message: "m", status, ...more }, meta: META });

describe("errors of the service", () => {
  test("an error of form A keeps its field", async () => {
    const details = { field: "name", reason: "is taken" };
    const error = await errorOf(failure(422, "validation_error", { details }));
    expect(error).toMatchObject({
      ...{ code: "validation_error", status: 422, field: "name", retryable: false },
      ...{ requestId: "req_1", operation: "PATCH /servers/srv_1", objectId: "srv_1" },
    });
    expect(error.message).toBe(
      "PATCH /servers/srv_1 → 422 validation_error: name: is taken. Change the value. (request req_1)",
    );
  });

  test("an error of form B keeps its further fields", async () => {
    const scopes = { required: ["servers:write"], provided: ["servers:read"] };
    const denied = await errorOf(formB(403, "insufficient_permissions", scopes));
    expect(denied).toMatchObject(scopes);
    expect(denied.message).toBe(
      "PATCH /servers/srv_1 → 403 insufficient_permissions: the key has servers:read, this needs servers:write. Use a key of https://service.test/v1 with that scope. (request req_1)",
    );
    const expired_at = "2026-01-01T00:00:00Z";
    const expired = await errorOf(formB(401, "token_expired", { expired_at }));
    expect(expired.expiredAt).toBe(expired_at);
    expect(expired.message).toContain(`the API key expired at ${expired_at}. Use the key that`);
    const addresses = { your_ip: "192.0.2.1", allowed_ips: ["198.51.100.0/24"] };
    const away = await errorOf(formB(403, "ip_not_allowed", addresses));
    expect(away).toMatchObject({ yourIp: "192.0.2.1", allowedIps: ["198.51.100.0/24"] });
    expect(away.message).toContain("came from 192.0.2.1, but the key allows only 198.51.100.0/24");
  });

  test("where a refusal names no scope, the error names the one that the contract has for the call", async () => {
    const profile = { resources: { server: { operations: { get: true } } } };
    const { core, failed } = clientOn(() => failure(403, "forbidden"), { given: { profile } });
    const scopeOf = async (call: Promise<unknown>) =>
      /this needs ([^.]+)\./.exec((await failed(call)).message)?.[1];
    expect(await scopeOf(core.rotate("key_1"))).toBe("api-keys:write");
    expect(await scopeOf(core.read("server", "srv_1"))).toBe("servers:read");
    expect(await scopeOf(core.snapshot("team"))).toBe("teams:read");
    expect(await scopeOf(core.remove("instance", "ins_1"))).toBe("instances:delete");
    expect(await scopeOf(core.authTest())).toBeUndefined();
  });

  test("unauthorized and forbidden are treated like the specific codes", async () => {
    const generic = await errorOf(failure(403, "forbidden"));
    expect(isPermissionError(generic)).toBe(true);
    expect(generic.message).toContain(
      "this needs servers:write. Use a key of https://service.test/v1 with that scope.",
    );
    expect(isPermissionError(await errorOf(formB(403, "ip_not_allowed")))).toBe(true);
    expect(isAuthenticationError(await errorOf(failure(401, "unauthorized")))).toBe(true);
    expect(isAuthenticationError(await errorOf(formB(401, "invalid_token")))).toBe(true);
    expect(isAuthenticationError(generic)).toBe(false);
  });

  test.each([
    [401, "unauthorized"],
    [403, "forbidden"],
    [418, "invalid_response"],
    [404, "invalid_response"],
    [405, "not_offered"],
  ])("a bare %i has the code %s", async (status, code) => {
    expect(await errorOf(raw(status, "nothing"))).toMatchObject({ status, code });
  });

  test("an unknown code is kept, one that is not an identifier is not repeated, and malformed further fields hide none", async () => {
    const error = await errorOf(failure(409, "brand_new"));
    expect(hasCode(error, "brand_new") && hasCode(error, "conflict", "brand_new")).toBe(true);
    expect(hasCode(new Error("x"), "brand_new")).toBe(false);
    expect((await errorOf(failure(409, "<b>hi</b>"))).code).toBe("invalid_response");
    const more = { required: "all", provided: ["x"], details: null };
    const odd = await errorOf(formB(403, "insufficient_permissions", more));
    const kept = { provided: ["x"], requestId: "req_1" };
    expect(odd).toMatchObject({ code: "insufficient_permissions", required: undefined, ...kept });
  });
});

describe("secrets", () => {
  const NEXT = "acme_live_n3xtn3xtn3xt";
  const FOREIGN = ["xoxb", "2413", "q7Zr2Lk9Wm4X"].join("-");
  const everywhere = (value: unknown): string =>
    `${inspect(value, { depth: 12, showHidden: true })} ${JSON.stringify(value)} ${String(value)}`;

  const invalid = (field: string, reason: string) =>
    failure(422, "validation_error", { details: { field, reason } });
  const scopes = { required: [CANARY], provided: ["hunter22"] };
  const bad = { error: { code: "bad" } };

  test.each<[string, RawAnswer | Error]>([
    ["a refusal that repeats the key", failure(401, "invalid_token", { message: `no ${CANARY}` })],
    ["details that repeat the body", invalid("pin", "hunter22 is weak")],
    ["a field name that is the secret", invalid("hunter22", "no")],
    ["scopes that hold the key", formB(403, "insufficient_permissions", scopes)],
    ["a request id that is the key", raw(400, { ...bad, meta: { request_id: CANARY } })],
    ["another key of the service", failure(409, "conflict", { message: `used by ${NEXT}` })],
    ["a token of another service", failure(409, "conflict", { message: `has ${FOREIGN}` })],
    ["HTML that repeats all", raw(502, `<html>${CANARY} hunter22</html>`)],
    ["JSON that is cut", raw(200, `{"success":true,"data":{"value":"${CANARY}`)],
    ["a content type that is the key", raw(418, "x", { "content-type": CANARY })],
    ["a parser's fault", new Error(`unexpected ${CANARY}`)],
  ])("secrets reach no error and no hook: %s", async (_, answer) => {
    const seen: unknown[] = [];
    const onNotice = (event: unknown) => void seen.push(event);
    const hooks = { onResponse: onNotice };
    const respond: Respond = async () => {
      if (answer instanceof Error) throw answer;
      return answer;
    };
    const { core, failed } = clientOn(respond, { more: { hooks } });
    const body = { name: "n", pin: "hunter22", deep: { list: ["hunter22"] } };
    const error = await failed(core.update("server", "srv_1", body, { onNotice }));
    expect(seen.length).toBeGreaterThan(0);
    const all = everywhere([error, seen]) + everywhere(error.stack);
    for (const secret of [CANARY, "hunter22", NEXT, FOREIGN]) expect(all).not.toContain(secret);
  });

  test("the value of a key, given in place of its id, is in no error and no hook", async () => {
    const seen: unknown[] = [];
    const onNotice = (event: unknown) => void seen.push(event);
    const gone = [404, 503].map((status) => failure(status, "not_found"));
    const answers = [...gone, raw(404, "nothing"), raw(200, "odd"), ok({ id: "key_1" })];
    const profile = { resources: { api_key: { operations: { get: true } } } };
    for (const answer of answers) {
      const options = { given: { profile }, more: { hooks: { onResponse: onNotice } } };
      const { core, failures } = clientOn(() => answer, options);
      const calls = [core.rotate(NEXT), core.update("api_key", NEXT, {}, { onNotice })];
      for (const error of await failures(calls)) {
        expect(everywhere([error, seen]) + everywhere(error.stack)).not.toContain(NEXT);
        expect(error.operation).toMatch(/^(POST|PATCH) \/api-keys\/\[redacted\](\/rotate)?$/);
      }
    }
  });

  test("after a key was replaced both stay hidden, and retries use the new one", async () => {
    const { core, failed, sent } = clientOn(() => {
      core.useKey(NEXT);
      if (sent.length === 1) return undefined;
      return failure(401, "invalid_token", { message: `${CANARY} became ${NEXT}` });
    });
    const error = await failed(core.update("server", "srv_1", { name: "n" }));
    const keys = sent.map(({ headers }) => headers["authorization"]);
    expect(keys).toEqual([`Bearer ${CANARY}`, `Bearer ${NEXT}`]);
    expect(String(error)).toContain("[redacted] became [redacted]");
  });

  test("values that are not secret stay readable", async () => {
    const message = "web-1 is used by ins_1\n\u0007";
    const error = await errorOf(failure(409, "conflict", { message }));
    expect(error.message).toContain("web-1 is used by ins_1. Remove what uses it first.");
  });
});

test("a hook reports every attempt and what came of it, and may throw", async () => {
  const events: unknown[] = [];
  const hooks: Hooks = {
    onResponse: ({ operation, attempt, status, code, requestId }) => {
      events.push([operation, attempt, status, code, requestId]);
      throw new Error("an observer's own fault");
    },
  };
  const respond = inTurn(failure(500, "internal_error"), ok({ id: "srv_1" }));
  const { core, clock } = clientOn(respond, { more: { hooks } });
  await clock.run(core.create("server", { name: "n" }));
  expect(events).toEqual([
    ["POST /servers", 1, 500, "internal_error", "req_1"],
    ["POST /servers", 2, 200, undefined, "req_1"],
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
  const answer = ok({ authenticated: true, key_id: "key_1", permissions: [] });
  const { core, clock, sent } = clientOn(() => ({ ...answer, headers }), {
    given: { debugAuth: true },
    more: { hooks: { onResponse: (event) => debug.push(event.debug) } },
  });
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

/** A time that grows with the square of its length is twenty seconds, one that does not a moment. */
const LONG = "0123456789abcdef".repeat(4_000);
const FAR_TOO_LONG_MS = 5_000;

describe("text that is made fit to be shown", () => {
  test("a text of any length is made safe in a time that grows with its length", () => {
    const begun = performance.now();
    expect(redact(LONG, [CANARY])).toHaveLength(401);
    expect(performance.now() - begun).toBeLessThan(FAR_TOO_LONG_MS);
  });

  test("a secret that is cut in half at the end of what is read is not shown", () => {
    // Secrets before it leave room for the end of what is read among what is shown.
    const secret = "s3cr3t-".repeat(60);
    const text = secret.repeat(12);
    expect(text.length).toBeGreaterThan(4_096);
    expect(redact(text, [secret])).toMatch(/^(\[redacted\])*…$/);
  });

  test("a secret that holds another is hidden as a whole", () => {
    const shown = redact("it was hunter22-winter", ["hunter22", "hunter22-winter"]);
    expect(shown).toBe("it was [redacted]");
    // Shorter ones would hide parts of words.
    expect(redact("a pin and some text", ["pin", "some"])).toBe("a pin and [redacted] text");
  });
});

test("an error that repeats megabytes is a short message", async () => {
  const answer = failure(409, "conflict", { message: LONG });
  const headers = { ...answer.headers, "x-request-id": LONG };
  const { core, failed } = clientOn(() => ({ ...answer, headers }));
  expect(String(await failed(core.authTest())).length).toBeLessThan(1_000);
});

test("a message lists ten of many addresses and says that there are more", async () => {
  const allowed_ips = Array.from({ length: 100_000 }, (_, index) => `ip${index}`);
  const { core, failed } = clientOn(() => failure(403, "ip_not_allowed", { allowed_ips }));
  const error = await failed(core.authTest());
  expect(String(error)).toContain(
    "allows only ip0, ip1, ip2, ip3, ip4, ip5, ip6, ip7, ip8, ip9 and more.",
  );
  expect(error.allowedIps).toHaveLength(100);
});
