import { describe, expect, test } from "@jest/globals";
import { runAll, type Check, type Finding } from "../../scripts/check/run-all";

const check = (name: string, run: () => Promise<Finding>): Check => {
  return { name, about: "", remedy: "", run };
};
const passes = { ok: true, output: "" };

const run = { root: "", width: 1, onEnd: () => undefined };

describe("running checks", () => {
  test("each check is reported as it ends, with how long it took", async () => {
    let now = 0;
    const slow = check("slow", () => {
      now += 1_500;
      return Promise.resolve(passes);
    });
    const ended: string[] = [];
    const onEnd = ({ name }: { name: string }) => void ended.push(name);
    const outcomes = await runAll([slow], { ...run, onEnd, nowMs: () => now });
    expect(ended).toEqual(["slow"]);
    expect(outcomes.get("slow")).toEqual({ ok: true, output: "", ms: 1_500 });
  });

  test("each check runs once, no more of them at a time than wished, and outcomes keep their order", async () => {
    const names = [..."abcdefghij"];
    const ended: string[] = [];
    let running = 0;
    let most = 0;
    const checks = names.map((name, at) =>
      check(name, async () => {
        most = Math.max(most, (running += 1));
        // The later, the shorter.
        for (let turn = at; turn < names.length; turn += 1) await Promise.resolve();
        running -= 1;
        ended.push(name);
        return passes;
      }),
    );
    const outcomes = await runAll(checks, { ...run, width: 3 });
    expect([...outcomes.keys()]).toEqual(names);
    expect(ended.toSorted()).toEqual(names);
    expect(most).toBe(3);
  });

  test("the other checks run after a failure, and a check that throws has failed", async () => {
    const checks = [
      check("fails", () => Promise.resolve({ ok: false, output: "no" })),
      check("throws", () => Promise.reject(new Error("broken"))),
      check("passes", () => Promise.resolve(passes)),
    ];
    expect(Object.fromEntries(await runAll(checks, run))).toMatchObject({
      fails: { ok: false, output: "no" },
      throws: { ok: false, output: "broken" },
      passes,
    });
  });
});
