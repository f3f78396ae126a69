import { describe, expect, test } from "@jest/globals";
import { clientOn, failure, fault, raw, type ClientOnService, type Respond } from "./support/core";

const NEXT = "acme_test_n3xtn3xtn3xt";
const DONE = raw(204, "");
const refused: Respond = () => failure(401, "invalid_token");
const unreachable = fault("ECONNREFUSED: connect");

const update = ({ core }: ClientOnService, index: number) =>
  core.update("server", `srv_${index}`, { name: "n" });

const errorsOf = (client: ClientOnService, count: number) =>
  client.failures(Array.from({ length: count }, (_, index) => update(client, index)));

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
    const client = clientOn(({ path }) =>
      path.includes("/servers")
        ? failure(403, "insufficient_permissions", { required: ["servers:write"], provided: [] })
        : DONE,
    );
    expect((await errorsOf(client, 100)).filter(({ repeated }) => !repeated)).toHaveLength(1);
    await client.clock.run(client.core.update("instance", "ins_1", { name: "n" }));
  });

  test("a read that the service failed to answer is reported once for all reads of a run", async () => {
    let down = true;
    const { core, clock, failed, sent } = clientOn(({ method }) =>
      down && method === "GET" ? failure(503, "service_unavailable") : DONE,
    );
    const read = () => failed(core.snapshot("server"));
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
    const later = await client.failed(client.core.create("server", { name: "n" }));
    expect(second).toMatchObject({ attempts: 3 });
    expect(later).toMatchObject({ attempts: 0, ambiguous: false, operation: "POST /servers" });
  });
});

describe("a failure that is over", () => {
  test("a service or a key that is back is found after five seconds", async () => {
    let up = false;
    const client = clientOn((request) => (up ? DONE : refused(request)));
    await errorsOf(client, 1);
    up = true;
    expect(await errorsOf(client, 1)).toMatchObject([{ repeated: true }]);
    await client.clock.advance(5_000);
    await client.clock.run(update(client, 0));
    expect(client.sent).toHaveLength(2);
  });

  test("another key is tried at once, also while the old one is being refused", async () => {
    const client = clientOn(async ({ headers }) => {
      if (headers["authorization"] === `Bearer ${NEXT}`) return DONE;
      client.core.useKey(NEXT);
      return failure(401, "invalid_token");
    });
    const [error] = await errorsOf(client, 1);
    expect(error).toMatchObject({ code: "invalid_token", repeated: false });
    await client.clock.run(update(client, 0));
  });

  test("a failure of the service or of one object is not taken for that of another call", async () => {
    for (const [status, code] of [
      [501, "internal_error"],
      [403, "forbidden"],
      [422, "conflict"],
      [422, "validation_error"],
    ] as const) {
      const client = clientOn(() => failure(status, code));
      expect((await errorsOf(client, 20)).filter(({ repeated }) => repeated)).toEqual([]);
      expect(client.sent).toHaveLength(20);
    }
  });
});
