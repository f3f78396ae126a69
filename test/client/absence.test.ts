/** What walks prove of an object that they do not show: deleting by mistake starts here. */
import { describe, expect, test } from "@jest/globals";
import { judge, WALKS_MAX } from "../../provider/client/lists/absence";
import type { Walk } from "../../provider/client/lists/walk";
import { message } from "../../provider/messages";

const ASKED = { id: "srv_gone" };
const CREATED_AT = "2026-01-01T00:00:00Z";

/** A walk that shows these ids, those in `odd` as records that can't be read. */
const walk = (ids: readonly string[], over: Partial<Walk> = {}): Walk => ({
  records: new Map(ids.map((id) => [id, { id, fields: {}, properties: {} }])),
  odd: new Map(),
  namelessCount: 0,
  begunAt: 1,
  serviceTime: undefined,
  grade: "counted",
  ties: new Set(),
  problem: undefined,
  pageCount: 1,
  perPage: 100,
  ...over,
});

const withOdd = (ids: readonly string[], oddIds: readonly string[]): Walk => ({
  ...walk(ids),
  odd: new Map(oddIds.map((id) => [id, { id, problem: message("record_unreadable", { id }) }])),
});

const isGone = (...walks: readonly Walk[]) => judge(ASKED, walks, "GET /servers")?.gone;

describe("two walks whose order is not kept, and whose counts add up", () => {
  test("prove an absence if they show the same ids", () => {
    expect(isGone(walk(["a", "b"]), walk(["b", "a"]))).toBe(true);
    expect(isGone(withOdd(["a"], ["x"]), withOdd(["a"], ["x"]))).toBe(true);
    expect(isGone(walk([]), walk([]))).toBe(true);
  });

  test.each<[string, ...Walk[]]>([
    ["the second lacks an id", walk(["a", "b"]), walk(["a"])],
    ["the first lacks an id", walk(["a"]), walk(["a", "b"])],
    ["each has an id of its own", walk(["a", "b"]), walk(["a", "c"])],
    ["each has another record that can't be read", withOdd(["a"], ["x"]), withOdd(["a"], ["y"])],
    ["the first has a record that can't be read", withOdd(["a"], ["x"]), withOdd(["a"], [])],
    ["the second has a record that can't be read", withOdd(["a"], []), withOdd(["a"], ["x"])],
    ["the two that agree are not the last two", walk(["a"]), walk(["a"]), walk(["a", "b"])],
  ])("prove nothing if %s", (_, ...walks) => expect(isGone(...walks)).toBeUndefined());
});

const still = { grade: "still" } as const;

test("an object that any walk shows is there, whatever the others say", () => {
  expect(isGone(walk(["srv_gone"]), walk([], still), walk([], still))).toBe(false);
});

test("one walk that kept its order proves nothing by itself, and two do", () => {
  expect(isGone(walk(["a"], still))).toBeUndefined();
  expect(isGone(walk(["a"], still), walk(["b"], still))).toBe(true);
});

describe("in a list that changes all the time", () => {
  const moving = walk(["a"], { grade: "moving" });
  const created = Date.parse(CREATED_AT);
  const tied = (...ties: readonly number[]) => walk(["a"], { grade: "tied", ties: new Set(ties) });
  const asked = (...walks: readonly Walk[]) =>
    judge({ ...ASKED, createdAt: CREATED_AT }, walks, "GET /servers")?.gone;

  test("an absence is proved by the fourth walk, and not by the third", () => {
    expect(isGone(moving, moving, moving)).toBeUndefined();
    expect(isGone(moving, moving, moving, moving)).toBe(true);
  });

  test("a tie counts against an object that was created at that moment, or at an unknown one", () => {
    expect(asked(tied(1), tied(1), tied(1), tied(1))).toBe(true);
    expect(asked(tied(created), tied(created), tied(created), tied(created))).toBeUndefined();
    expect(isGone(tied(1), tied(1), tied(1), tied(1))).toBeUndefined();
  });

  test("the question ends with an error once the most walks are made", () => {
    const nothing = walk([], { grade: "nothing" });
    const most = Array.from({ length: WALKS_MAX }, () => nothing);
    expect(isGone(...most.slice(1))).toBeUndefined();
    expect(() => isGone(...most)).toThrow(
      expect.objectContaining({ code: "unproved_absence", objectId: "srv_gone", retryable: true }),
    );
  });
});
