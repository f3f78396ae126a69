/** A failure that holds for every call of a run is reported once, and recovers by itself. */
import { describe, expect, test } from "@jest/globals";
import { TransportFault } from "../../provider/client/chain/transport";
import type { ErpHostError } from "../../provider/client/errors";
import { clientOn, failure, failureOf, ok, type Respond } from "./support/core";

const NEXT = "acme_test_n3xtn3xtn3xt";
const refused: Respond = () => failure(401, "invalid_token");
const unreachable: Respond = () =>
  Promise.reject(new TransportFault("network", false, "ECONNREFUSED: connect"));

/** Errors of that many calls at once. */
async function errorsOf(client: ReturnType<typeof clientOn>, count: number) {
  const calls = Array.from({ length: count }, (_, index) =>
    failureOf(client.core.update("server", `srv_${index}`, { name: "n" })),
  );
  // Every call fails with this error, or the test has failed already.
  return (await client.clock.run(Promise.all(calls))) as ErpHostError[];
}

describe("a failure that holds for every call", () => {
  test.each<[string, Respond, number]>([
    ["a wrong key", refused, 10],
    ["an address that is not allowed", () => failure(403, "ip_not_allowed"), 10],
    ["a closed port", unreachable, 30],
  ])("%s is reported in full for one of a thousand calls", async (_, respond, sentMax) => {
    const client = clientOn(respond);
    const errors = await errorsOf(client, 1_000);
    const [first, ...more] = errors.filter(({ repeated }) => !repeated);
    expect(more).toEqual([]);
    expect(client.sent.length).toBeLessThanOrEqual(sentMax);
    const again = errors.at(-1);
    expect(again).toMatchObject({ repeated: true, code: first?.code, objectId: "srv_999" });
    expect(again?.message).toMatch(/^PATCH \/servers\/srv_999 → .*: same failure as before: /);
    expect(again?.remedy).toBeUndefined();
    expect(first?.remedy).toBeDefined();
  });

  test("a missing scope is reported once for all calls that need it, and others are sent", async () => {
    const required = ["servers:write"];
    const client = clientOn(({ path }) =>
      path.includes("/servers")
        ? failure(403, "insufficient_permissions", { required, provided: [] })
        : ok({ id: "ins_1", name: "n" }),
    );
    const errors = await errorsOf(client, 100);
    expect(errors.filter(({ repeated }) => !repeated)).toHaveLength(1);
    const { record } = await client.clock.run(
      client.core.update("instance", "ins_1", { name: "n" }),
    );
    expect(record.id).toBe("ins_1");
  });

  test("a read that the service failed to answer is reported once for all reads of a run", async () => {
    let down = true;
    const { core, clock, sent } = clientOn(({ method }) =>
      down && method === "GET" ? failure(503, "service_unavailable") : ok({ id: "a", name: "n" }),
    );
    const read = () => failureOf(clock.run(core.snapshot("server")));
    expect(await read()).toMatchObject({ status: 503, repeated: false });
    const tried = sent.length;
    expect(tried).toBeGreaterThan(5);
    expect(await read()).toMatchObject({ status: 503, repeated: true, attempts: 0 });
    expect(sent).toHaveLength(tried);
    down = false;
    await clock.run(core.update("server", "a", { name: "n" }));
    await clock.advance(5_000);
    await clock.run(core.authTest().catch(() => undefined));
    expect(sent).toHaveLength(tried + 2);
  });

  test("a call that was not sent did nothing, whatever became of the one before", async () => {
    const client = clientOn(unreachable);
    const [, second] = await errorsOf(client, 2);
    const later = await failureOf(client.clock.run(client.core.create("server", { name: "n" })));
    expect(second).toMatchObject({ attempts: 3 });
    expect(later).toMatchObject({ attempts: 0, ambiguous: false, operation: "POST /servers" });
  });
});

describe("a failure that is over", () => {
  test("a service or a key that is back is found after five seconds", async () => {
    let up = false;
    const client = clientOn((request) => (up ? ok({ id: "srv_0", name: "n" }) : refused(request)));
    await errorsOf(client, 1);
    up = true;
    expect(await errorsOf(client, 1)).toMatchObject([{ repeated: true }]);
    await client.clock.advance(5_000);
    const { record } = await client.clock.run(client.core.update("server", "srv_0", { name: "n" }));
    expect(record.id).toBe("srv_0");
    expect(client.sent).toHaveLength(2);
  });

  test("another key is tried at once, also while the old one is being refused", async () => {
    const client = clientOn(async ({ headers }) => {
      if (headers["authorization"] === `Bearer ${NEXT}`) return ok({ id: "srv_0", name: "n" });
      client.core.useKey(NEXT);
      return failure(401, "invalid_token");
    });
    const [error] = await errorsOf(client, 1);
    expect(error).toMatchObject({ code: "invalid_token", repeated: false });
    const { record } = await client.clock.run(client.core.update("server", "srv_0", { name: "n" }));
    expect(record.id).toBe("srv_0");
  });

  test("a failure of the service or of one object is not taken for that of another call", async () => {
    const codes = ["internal_error", "conflict", "forbidden", "validation_error"];
    for (const code of codes) {
      const status = code === "internal_error" ? 501 : code === "forbidden" ? 403 : 422;
      const client = clientOn(() => failure(status, code));
      const errors = await errorsOf(client, 20);
      expect(errors.filter(({ repeated }) => repeated)).toEqual([]);
      expect(client.sent).toHaveLength(20);
    }
  });
});
