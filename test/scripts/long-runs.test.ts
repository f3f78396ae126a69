/** Long runs through their real commands: what would try nothing is refused, or fails. */
import { delimiter, dirname } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import { createSandbox, run } from "./support/run";

// Which other numbers are refused is in test/chaos/options.test.ts: all read them with one function.
test.each([
  [
    ["chaos", "--face=engine", "--trials=0"],
    '--trials must be a whole number of at least 1, not "0".',
  ],
  [
    ["bench", "client", "--rounds=abc"],
    '--rounds must be a whole number of at least 1, not "abc".',
  ],
  // Memory needs some minutes before it can be judged.
  [
    ["soak", "--only=load", "--minutes=-1"],
    '--minutes must be a whole number of at least 4, not "-1".',
  ],
])(
  "%j, a number that tries nothing, is refused with one sentence",
  async (words, sentence) => {
    const outcome = await run(words, process.env);
    expect(outcome).toEqual({ code: 2, stdout: "", stderr: `${sentence}\n` });
  },
  60_000,
);

describe("names of what does not exist", () => {
  test.each([
    [["chaos", "--face", "nonsense"], 'There is no face "nonsense". Faces: engine'],
    [["bench", "nonsense"], 'There is no section "nonsense". Sections: client'],
    [["soak", "--only", "nonsense"], 'There is no part "nonsense". Parts: load'],
    [["release:rehearse", "--only", "cli,nonsense"], 'There is no face "nonsense". Faces: cli'],
  ])("%j is refused with those that do", async (words, message) => {
    const outcome = await run(words, process.env);
    expect(outcome).toMatchObject({ code: 2, stdout: "" });
    expect(outcome.stderr).toContain(message);
  });

  test("chaos without a claim of that name fails, and lists those that exist", async () => {
    const outcome = await run(["chaos", "--face=engine", "--claim=nonsense"], process.env);
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toContain('No claim contains "nonsense"');
    expect(outcome.stderr).toContain("a kill at each step leaves no duplicate");
  }, 60_000);
});

describe("engines that are not there", () => {
  const sandbox = createSandbox();
  const path = [dirname(process.execPath), sandbox.env["PATH"]].join(delimiter);
  /** A machine with Node.js and a few tools. */
  const bare = { ...sandbox.env, PATH: path };
  afterAll(() => sandbox.remove());

  test("chaos on a face without its engine fails, and says and counts what was not tried", async () => {
    const words = ["chaos", "--face=terraform", "--claim=a kill at each step"];
    const { code, stdout } = await run(words, bare);
    expect(stdout).toContain("Tried: 0 of 1 claims on faces.");
    expect(stdout).toContain("Not tried: 1 on terraform: terraform is not on PATH.");
    expect(code).toBe(1);
  }, 60_000);

  test("a section of the benchmarks without its engine fails, and is named and counted", async () => {
    // Past the task, which would build the engine.
    const { code, stdout } = await run(["typescript", "test/bench/main.ts", "tofu"], bare);
    expect(stdout).toContain("Left out: tofu, because tofu and terraform-provider-peer");
    expect(stdout).toContain("1 of 1 sections were left out.");
    expect(code).toBe(1);
  }, 60_000);
});
