/** What a client holds on to: its own writes, and a first request of its own. */
import { expect, test } from "@jest/globals";
import { OwnWrites } from "../../provider/client/lists/own-writes";
import type { Walk } from "../../provider/client/lists/walk";
import type { ServiceRecord } from "../../provider/contract";
import { clientOn, failure, failureOf } from "./support/core";

const record = (status: string): ServiceRecord => ({
  id: "srv_1",
  fields: { name: "n", status },
  properties: {},
});

test("a list that was begun before an own write undoes none of its answer", () => {
  const writes = new OwnWrites(10_000);
  const answered = record("updating");
  writes.add("srv_1", { at: 100, record: answered, names: ["name"], serviceTime: undefined });
  const older = { begunAt: 50, records: new Map([["srv_1", record("running")]]) };

  const over = writes.over(older as unknown as Walk, "srv_1");

  expect(over).toMatchObject({ state: "present", record: answered });
});

test("a first request that never ends is given up after 300 waits", async () => {
  const { core, clock, sent } = clientOn(() => failure(409, "idempotency_in_flight"));

  const error = await failureOf(clock.run(core.create("server", { name: "n" })));

  expect(error).toMatchObject({ code: "idempotency_in_flight" });
  expect(sent).toHaveLength(301);
});
