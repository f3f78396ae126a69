/** What `npm run chaos` refuses. */
import { expect, test } from "@jest/globals";
import { killAtEachStep } from "./claims/kills";
import { naiveRefreshFails } from "./claims/writes";
import { chosenClaims, untried, type Cell } from "./matrix";
import { readOptions } from "./options";

test.each([
  [["--trials", "0"], "--trials must be a whole number of at least 1"],
  [["--trials", "two"], "--trials must be a whole number of at least 1"],
  [["--size", "0"], "--size must be a whole number of at least 1"],
  [["--size", "1.5"], "--size must be a whole number of at least 1"],
  [["--seed", "abc"], "--seed must be a whole number of at least 0"],
  [["--face", "nonsense"], 'There is no face "nonsense". Faces: engine, pulumi-dynamic'],
  [["--nonsense"], "Unknown option '--nonsense'"],
])("the chaos option %j is refused", (args, message) => {
  expect(() => readOptions(args)).toThrow(message);
});

test("a chaos claim that does not exist is refused with a list of those that do", () => {
  expect(() => chosenClaims(["nonsense"])).toThrow(killAtEachStep.name);
});

test("a chaos claim is chosen by a part of its sentence or by its group", () => {
  expect(chosenClaims(["a kill at each step"])).toEqual([killAtEachStep]);
  expect(chosenClaims(["writes"])).toContain(naiveRefreshFails);
});

const cell = (face: string, outcome: Cell["outcome"]): Cell => ({
  ...{ claim: "a kill leaves no orphan", group: "kills", face, outcome },
  ...{ figure: "", failures: [], details: [], seconds: 0 },
});
const cells = [cell("engine", "holds"), cell("tofu", "not tried")];

test.each([
  ["a named face on which nothing was tried", { faces: ["engine", "tofu"], claims: [] }, cells],
  ["a named claim that was tried nowhere", { faces: [], claims: ["orphan"] }, cells.slice(1)],
  ["a run that tried nothing", { faces: ["all"], claims: [] }, cells.slice(1)],
])("chaos fails for %s", (_, named, seen) => {
  expect(untried(named, seen)).not.toEqual([]);
});

test("chaos does not fail if all faces were asked for and one is missing", () => {
  expect(untried({ faces: ["all"], claims: ["kills"] }, cells)).toEqual([]);
});
