import { describe, expect, test } from "@jest/globals";
import { runAll, type Check, type Finding } from "../../scripts/check/run-all";

const check = (name: string, run: () => Promise<Finding>): Check => {
  return { name, about: "", remedy: "", run };
};
const passes = { ok: true, output: "" };

const run = { root: "", atATime: 2, onEnd: () => undefined };

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

  test("no more checks run at a time than requested", async () => {
    let running = 0;
    let most = 0;
    const each = async (): Promise<Finding> => {
      most = Math.max(most, (running += 1));
      await Promise.resolve();
      running -= 1;
      return passes;
    };
    const checks = [..."abcde"].map((name) => check(name, each));
    await runAll(checks, run);
    expect(most).toBe(2);
  });

  test("the other checks run after a failure, and a check that throws has failed", async () => {
    const checks = [
      check("fails", () => Promise.resolve({ ok: false, output: "no" })),
      check("throws", () => Promise.reject(new Error("broken"))),
      check("passes", () => Promise.resolve(passes)),
    ];
    expect(Object.fromEntries(await runAll(checks, { ...run, atATime: 1 }))).toMatchObject({
      fails: { ok: false, output: "no" },
      throws: { ok: false, output: "broken" },
      passes,
    });
  });
});
