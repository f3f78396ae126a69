import { expect, test } from "@jest/globals";
import { killAtEachStep } from "./claims/kills";
import { refreshRightAfterUp } from "./claims/faults";
import { tofuFace } from "./faces/terraform";
import { chosenClaims, leftOut, untried } from "./matrix";
import { readOptions, repeating, type Cell } from "./options";
import { Trial } from "./trial";

test.each([
  [["--trials", "0"], "--trials must be a whole number of at least 1"],
  [["--trials", "two"], "--trials must be a whole number of at least 1"],
  [["--trials=-1"], "--trials must be a whole number of at least 1"],
  [["--trials", "NaN"], "--trials must be a whole number of at least 1"],
  [["--trials", "1e2"], "--trials must be a whole number of at least 1"],
  [["--trials", ""], "--trials must be a whole number of at least 1"],
  [["--size", "0"], "--size must be a whole number of at least 1"],
  [["--size", "1.5"], "--size must be a whole number of at least 1"],
  [["--seed", "abc"], "--seed must be a whole number of at least 0"],
  [["--face", "nonsense"], 'There is no face "nonsense". Faces: tofu, terraform, pulumi-dynamic'],
  [["--claim", " "], "--claim must be a part of a claim's sentence or of its group"],
  [["kills"], "Unexpected argument 'kills'"],
  [["--nonsense"], "Unknown option '--nonsense'"],
])("the chaos option %j is refused", (args, message) => {
  expect(() => readOptions(args)).toThrow(message);
});

test("a chaos claim that does not exist is refused with a list of those that do", () => {
  expect(() => chosenClaims(["nonsense"])).toThrow(killAtEachStep.name);
});

test("a chaos claim is chosen by a part of its sentence or by its group", () => {
  expect(chosenClaims(["a kill at each step"])).toEqual([killAtEachStep]);
  expect(chosenClaims(["faults"])).toContain(refreshRightAfterUp);
});

const cell = (face: string, outcome: Cell["outcome"]): Cell => ({
  ...{ claim: "a kill leaves no orphan", group: "kills", face, outcome },
  ...{ figure: "", failures: [], seconds: 0 },
});
const cells = [cell("terraform", "holds"), cell("tofu", "not tried")];

test.each([
  ["a named face on which nothing was tried", { faces: ["terraform", "tofu"], claims: [] }, cells],
  ["a named claim that was tried nowhere", { faces: [], claims: ["orphan"] }, cells.slice(1)],
  ["a run that tried nothing", { faces: ["all"], claims: [] }, cells.slice(1)],
])("chaos fails for %s", (_, named, seen) => {
  expect(untried(named, seen)).not.toEqual([]);
});

test("chaos does not fail if all faces were asked for and one is missing", () => {
  expect(untried({ faces: ["all"], claims: ["kills"] }, cells)).toEqual([]);
});

test("chaos says which claims were not tried on which face and why, and counts them", () => {
  const missing = { ...cell("tofu", "not tried"), figure: "tofu is not on PATH" };
  expect(leftOut([cell("pulumi-plugin", "holds"), missing, missing], ["terraform"])).toEqual([
    "Tried: 1 of 3 claims on faces.",
    "Not tried: 2 on tofu: tofu is not on PATH.",
    "Left out: terraform (see --face).",
  ]);
});

test("a chaos case is chosen by a part of its name, and one that does not exist fails", async () => {
  const tried: string[] = [];
  const cases = [{ name: "answer lost" }, { name: "half done" }];
  const only = (part: string) =>
    new Trial(tofuFace, { seed: 1, case: part }).each(cases, async ({ name }) => {
      tried.push(name);
    });
  await only("half");
  expect(tried).toEqual(["half done"]);
  await expect(only("nothing")).rejects.toThrow("no case to try");
});

test("a chaos case that failed is reported with the line that tries it again", async () => {
  const lines: string[] = [];
  const options = { seed: 7, trials: 3 };
  const onFailure = (name: string): void =>
    void lines.push(repeating(options, { face: "tofu", claim: "a kill", name }));
  const trial = new Trial(tofuFace, { ...options, onFailure });
  const failing = trial.each([{ name: "half done" }], async () => {
    throw new Error("doubled");
  });
  await expect(failing).rejects.toThrow("1 of 1 cases failed");
  const [line = ""] = lines;
  expect(line).toBe(
    'npm run chaos -- --face tofu --claim "a kill" --seed 7 --trials 3 --case "half done"',
  );
  const args = ["--face", "tofu", "--claim", "a kill", "--seed", "7", "--case", "half done"];
  expect(readOptions(args)).toMatchObject({ seed: 7, case: "half done", claims: ["a kill"] });
});

test("a chaos claim without a case to try fails", async () => {
  const trial = new Trial(tofuFace, { seed: 1 });
  await expect(trial.each([], async () => undefined)).rejects.toThrow("no case to try");
});
