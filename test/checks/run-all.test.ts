import { describe, expect, it } from "@jest/globals";
import { runAll, type Check, type Finding } from "../../scripts/check/run-all";

const check = (name: string, run: () => Promise<Finding>): Check => ({
  name,
  about: "",
  remedy: "",
  run,
});
const passes = { ok: true, output: "" };

describe("running checks", () => {
  it("tells each as it ends, and how long it took", async () => {
    let now = 0;
    const slow = check("slow", () => {
      now += 1_500;
      return Promise.resolve(passes);
    });
    const told: string[] = [];
    const outcomes = await runAll(
      [slow],
      2,
      ({ name }) => told.push(name),
      () => now,
    );
    expect(told).toEqual(["slow"]);
    expect(outcomes.get("slow")).toEqual({ ok: true, output: "", ms: 1_500 });
  });

  it("runs no more at a time than is said", async () => {
    let running = 0;
    let most = 0;
    const each = async (): Promise<Finding> => {
      most = Math.max(most, (running += 1));
      await Promise.resolve();
      running -= 1;
      return passes;
    };
    await runAll(
      ["a", "b", "c", "d", "e"].map((name) => check(name, each)),
      2,
      () => undefined,
    );
    expect(most).toBe(2);
  });

  it("goes on after a failure, and counts a check that throws as failed", async () => {
    const outcomes = await runAll(
      [
        check("fails", () => Promise.resolve({ ok: false, output: "no" })),
        check("throws", () => Promise.reject(new Error("broken"))),
        check("passes", () => Promise.resolve(passes)),
      ],
      1,
      () => undefined,
    );
    expect([...outcomes].map(([name, { ok, output }]) => [name, ok, output])).toEqual([
      ["fails", false, "no"],
      ["throws", false, "broken"],
      ["passes", true, ""],
    ]);
  });
});
