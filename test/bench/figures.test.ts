import { describe, expect, jest, test } from "@jest/globals";
import { cellsOf, isKept, median, ratios, reportSchema, type Figure } from "../support/figures";
import { atEnd } from "../support/folder";
import { bench } from "./main";
import { figuresOf, ofDynamic } from "./pulumi";
import { counted, inTurns, timed } from "./section";

const undici = (...samples: readonly number[]) => ({ name: "undici", samples });

describe("figures", () => {
  test("a ratio is the median of the rounds' own ratios, with the lowest and the highest", () => {
    const figure = timed("reads", [2, 6, 3], undici(1, 2, 3), 2);
    expect(ratios(figure)).toEqual([2, 3, 1]);
    const cells = ["reads", "3 s (2–6)", "2 s (1–3), undici", "2 (1–3)", "at most 2"];
    expect(cellsOf(figure)).toEqual(cells);
  });

  test("an aim that is missed says so", () => {
    const slow = timed("reads", [3], undici(1), 1.1);
    expect(isKept(slow)).toBe(false);
    expect(cellsOf(slow).at(-1)).toBe("at most 1.1, missed");
    expect(isKept(timed("reads", [1], undici(1), 1.1))).toBe(true);
    expect(isKept(timed("reads", [9], undici(1)))).toBeUndefined();
  });

  test("an aim without a reference is one of the value, in its unit", () => {
    const score = { name: "score", unit: "%", samples: [70], aim: { atLeast: 80 } };
    expect(cellsOf(score)).toEqual(["score", "70 %", "", "", "at least 80 %, missed"]);
  });

  test("a reference that was not measured says that it was computed", () => {
    const each = { name: "one each", value: 1000 };
    const calls = cellsOf(counted("calls", { unit: "calls", sample: 10 }, each));
    expect(calls).toEqual(["calls", "10 calls", "1,000 calls, computed: one each", "0.01", ""]);
  });

  test("the median of an even number of measurements lies between the two in the middle", () => {
    expect(median([4, 1, 2, 9])).toBe(3);
    expect(() => median([])).toThrow("nothing was measured");
  });

  test("sides that were not measured equally often have no ratio", () => {
    expect(() => ratios(timed("reads", [1, 2], undici(1)))).toThrow("2 measurements against 1");
  });
});

test("each time of dynamic resources, and their size, can miss an aim", () => {
  const figures = (seconds: number, bytes: number) => {
    const times = { erphost: [seconds], nothing: [1] };
    return figuresOf(ofDynamic(100), { up: times, refresh: times }, bytes).map(isKept);
  };
  expect(figures(1.15, 3_072)).toEqual([true, true, true]);
  expect(figures(1.16, 3_073)).toEqual([false, false, false]);
});

const report = (figures: readonly unknown[]) => ({
  ...{ name: "client", about: "the client", command: "npm run bench" },
  ...{ commit: "abc", changed: false },
  measuredAt: "2026-01-01T00:00:00.000Z",
  machine: {
    ...{ processor: "one", cores: 2, memoryGib: 4, system: "Linux", node: "v24" },
    load: [0, 0],
  },
  ...{ programs: {}, figures },
});
const figure: Figure = timed("reads", [1], undici(1));

test.each([
  ["without figures", []],
  ["with a figure that was never measured", [{ ...figure, samples: [] }]],
  ["with a figure that is not a number", [{ ...figure, samples: [NaN] }]],
  ["against something that took no time", [timed("reads", [1], undici(0))]],
])("a report %s is refused", (_, figures) => {
  expect(reportSchema.safeParse(report([figure])).success).toBe(true);
  expect(reportSchema.safeParse(report(figures)).success).toBe(false);
});

test("sides are measured in turns, and each round begins with another", async () => {
  const order: string[] = [];
  const side = (name: string) => async () => void order.push(name);
  const times = await inTurns(3, { a: side("a"), b: side("b") });
  // The first two do not count.
  expect(order).toEqual(["a", "b", "a", "b", "b", "a", "a", "b"]);
  expect([times.a.length, times.b.length]).toEqual([3, 3]);
});

test.each([
  [["refresh", "--rounds=abc"], '--rounds must be a whole number of at least 1, not "abc".'],
  [["nonsense"], 'There is no section "nonsense". Sections: refresh'],
])("bench refuses %j", async (words, message) => {
  await expect(bench(words)).rejects.toThrow(message);
});

test("a section of the benchmarks without its engine fails, and is named and counted", async () => {
  atEnd(() => jest.restoreAllMocks());
  jest.replaceProperty(process, "env", { ...process.env, PATH: "" });
  const printed: unknown[] = [];
  const write = jest.spyOn(process.stdout, "write");
  write.mockImplementation((text) => printed.push(text) > 0);
  expect(await bench(["tofu"])).toBe(1);
  expect(printed.join("")).toBe(
    "Left out: tofu, because tofu and terraform-provider-peer is not on PATH.\n1 of 1 sections were left out.\n",
  );
});
