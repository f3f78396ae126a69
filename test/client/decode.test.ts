/** What is taken from the envelope of an answer. */
import { expect, test } from "@jest/globals";
import { decode } from "../../provider/client/chain/decode";

const metaOf = (meta: unknown) =>
  decode({ status: 200, headers: {}, body: JSON.stringify({ success: true, data: [], meta }) }, {
    call: { method: "GET", path: "/servers" },
    sentAt: 0,
    place: {},
    secrets: () => [],
  } as never).meta;

test("meta is kept with all its members", () => {
  const meta = { timestamp: "2026-01-01T00:00:00Z", request_id: "req_1", region: "eu" };
  expect(metaOf(meta)).toEqual(meta);
});

test("what meta lacks is empty", () => {
  expect(metaOf({ request_id: "req_1" })).toEqual({ timestamp: "", request_id: "req_1" });
  expect(metaOf({ timestamp: "now" })).toEqual({ timestamp: "now", request_id: "" });
  expect(metaOf({})).toEqual({ timestamp: "", request_id: "" });
});

test.each([
  ["not an object", "text"],
  ["absent", undefined],
  ["with a time that is not a string", { timestamp: 5, request_id: "req_1" }],
  ["with an id that is not a string", { timestamp: "now", request_id: null }],
])("a meta that is %s is left out, and the answer stays", (_, meta) => {
  expect(metaOf(meta)).toBeUndefined();
});
