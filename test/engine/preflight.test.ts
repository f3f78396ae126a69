/** The call before the work, and the first object after it: one of them tells a failure in full. */
import { describe, expect, test } from "@jest/globals";
import { isErpHostError, type ErpHostError } from "../../provider/client/errors";
import { preflight } from "../../provider/engine/service/account-guard";
import { BASE_URL, clientOn, failure, failureOf, raw } from "../client/support/core";
import { fault, type Respond } from "../client/support/core";

const pauseOf =
  (seconds: number): Respond =>
  () =>
    failure(429, "rate_limit_exceeded", { retry_after: seconds });

async function failuresOn(respond: Respond) {
  const { core, clock } = clientOn(respond);
  const before: unknown = await clock.run(
    preflight(core).then(
      () => undefined,
      (error: unknown) => error,
    ),
  );
  const creates: ErpHostError[] = [];
  for (const name of ["one", "two"]) {
    const error = await failureOf(clock.run(core.create("server", { name })));
    if (!isErpHostError(error)) throw error;
    creates.push(error);
  }
  return { before, creates };
}

describe("a failure of the preflight that another call would meet", () => {
  test.each<[string, Respond, RegExp]>([
    ["a host that is unknown", fault("ENOTFOUND: getaddrinfo"), /Check/],
    ["a port that speaks http", fault("EPROTO: wrong version number"), /https is spoken/],
    ["a network without a route", fault("ENETUNREACH: connect"), /\. [A-Z]/],
    ["a certificate that is not trusted", fault("CERT_HAS_EXPIRED: expired"), /\. [A-Z]/],
  ])("is its own, in full with the address: %s", async (_, respond, remedy) => {
    const { before, creates } = await failuresOn(respond);
    expect(before).toMatchObject({ code: "network_error", repeated: false });
    expect(String(before)).toContain(BASE_URL);
    expect(String(before)).toMatch(remedy);
    for (const create of creates) expect(create.message).toMatch(/same failure as before/);
  });

  test("is its own, in full with the setting to raise: a pause that is longer than allowed", async () => {
    const { before, creates } = await failuresOn(pauseOf(3_000));
    expect(String(before)).toMatch(/429 rate_limit_exceeded: .* 3000 s.*raise waitMax/);
    for (const create of creates) expect(create.message).toMatch(/same failure as before/);
  });
});

describe("a failure of the preflight that may pass", () => {
  test.each<[string, Respond]>([
    ["a service that is overloaded", () => raw(503, "")],
    ["a connection that breaks", () => undefined],
  ])("is not reported, and each object's own is in full: %s", async (_, respond) => {
    const { before, creates } = await failuresOn(respond);
    expect(before).toBeUndefined();
    for (const create of creates) expect(create.repeated).toBe(false);
  });

  test("is not reported: a pause that is allowed, which the next call waits for", async () => {
    const { core, clock } = clientOn(pauseOf(60));
    expect(await clock.run(preflight(core))).toBeUndefined();
  });
});
