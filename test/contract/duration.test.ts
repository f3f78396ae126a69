import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { DURATION_MAX_MS, durationMs, limitOf } from "../../provider/contract";

const UNITS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** Thousandths of a unit, as a decimal number: `1500` is `1.5`. */
const decimal = (thousandths: number): string => String(thousandths / 1_000);

const part = fc.record({
  thousandths: fc.nat(1_000_000),
  unit: fc.constantFrom("ms", "s", "m", "h", "d"),
  space: fc.constantFrom("", " "),
});

describe("durations", () => {
  test.each([
    ["250ms", 250],
    ["2s", 2_000],
    ["30s", 30_000],
    ["1.5s", 1_500],
    ["1.5m", 90_000],
    ["5m", 300_000],
    ["1h", 3_600_000],
    ["90d", 7_776_000_000],
    ["2 d", 172_800_000],
    [" 90s ", 90_000],
    ["1h30m", 5_400_000],
    ["1h30m0.5s", 5_400_500],
    ["0s", 0],
    ["1.0004s", 1_000],
  ])("the duration %p is %p milliseconds", (text, ms) => {
    expect(durationMs(text)).toBe(ms);
  });

  test.each([
    ...["", " ", "s", "-1s", "-1", "+1s", "1w", "1y", "1H", ".5s", "1.s", "1e3s", "soon"],
    ...["1h30", "30 1h", "1h,30m", "1h 30m x", "5 minutes", "Infinitys", "NaNs"],
  ])("%p is not a duration, with or without a unit for plain numbers", (text) => {
    expect(durationMs(text)).toBeUndefined();
    expect(durationMs(text, "s")).toBeUndefined();
  });

  test("a plain number is a duration only where its unit is known", () => {
    expect(durationMs("30")).toBeUndefined();
    expect(durationMs("30", "s")).toBe(30_000);
    expect(durationMs("1.5", "s")).toBe(1_500);
    expect(durationMs("30", "ms")).toBe(30);
    expect(durationMs("30m", "ms")).toBe(1_800_000);
  });

  test("a duration of 100 years is the longest", () => {
    expect(durationMs("36500d")).toBe(DURATION_MAX_MS);
    expect(durationMs("36500d1ms")).toBeUndefined();
    expect(durationMs(`${"9".repeat(60)}ms`)).toBeUndefined();
    expect(durationMs(`${"0".repeat(100)}1s`)).toBeUndefined();
  });

  test("a duration is the sum of its parts, in any order and with spaces between them", () => {
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
        const text = parts
          .map(({ thousandths, unit, space }) => `${decimal(thousandths)}${space}${unit}${space}`)
          .join("");
        const exact = parts.reduce((sum, each) => sum + each.thousandths * UNITS[each.unit], 0);
        expect(durationMs(text)).toBeCloseTo(exact / 1_000, -1);
        expect(Math.abs((durationMs(text) ?? NaN) - exact / 1_000)).toBeLessThanOrEqual(0.501);
      }),
    );
  });

  test("any text is whole milliseconds up to 100 years, or not a duration", () => {
    const texts = fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom(..."019.msh d-") }));
    fc.assert(
      fc.property(texts, fc.constantFrom(undefined, "ms" as const, "s" as const), (text, unit) => {
        const ms = durationMs(text, unit);
        if (ms === undefined) return;
        expect(Number.isInteger(ms)).toBe(true);
        expect(ms).toBeGreaterThanOrEqual(0);
        expect(ms).toBeLessThanOrEqual(DURATION_MAX_MS);
      }),
    );
    expect.hasAssertions();
  });
});

describe("rate limits", () => {
  test.each([
    ["100/2s", { requests: 100, windowMs: 2_000 }],
    ["100 / 2s", { requests: 100, windowMs: 2_000 }],
    ["100/1m30s", { requests: 100, windowMs: 90_000 }],
    ["1000/h", { requests: 1_000, windowMs: 3_600_000 }],
    ["1/ms", { requests: 1, windowMs: 1 }],
  ])("the rate limit %p is %p", (text, limit) => {
    expect(limitOf(text)).toEqual(limit);
  });

  test.each(["", "100", "x/1m", "0/1s", "1/0s", "1/1s/1s", "1/", "/1s", "1/60", "1.5/1s", "-1/1s"])(
    "%p is not a limit",
    (text) => {
      expect(limitOf(text)).toBeUndefined();
    },
  );

  test("a limit is its requests and the duration of its window", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 999_999_999 }), part, (requests, { unit }) => {
        expect(limitOf(`${requests}/7${unit}`)).toEqual({ requests, windowMs: 7 * UNITS[unit] });
        expect(limitOf(`${requests}/${unit}`)).toEqual({ requests, windowMs: UNITS[unit] });
      }),
    );
  });
});
