/** Claims on faces as tests of jest: every chosen one in the long run, and some tried briefly. */
import { afterAll, expect, test } from "@jest/globals";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { table } from "../support/command-line";
import { mistakenAccount } from "./claims/account";
import * as faults from "./claims/faults";
import { followedGuides } from "./claims/guides";
import * as kills from "./claims/kills";
import * as modes from "./claims/modes";
import * as replacements from "./claims/machines/replacements";
import * as steps from "./claims/machines/steps";
import { killOfRotation } from "./claims/rotation";
import { noSecretWritten } from "./claims/secrets";
import type { Face } from "./faces/face";
import { ALL_FACES, DEFAULT_FACES, faces, repeating, REPORT } from "./options";
import type { Cell, ChaosOptions } from "./options";
import { failureTexts, obstacle, Trial, type Claim } from "./trial";

/** Every claim, in the order of the report. */
const claims: readonly Claim[] = [
  ...[faults.faultOnEveryTenthCall, faults.singleFault, faults.rateLimitedRefresh],
  faults.refreshRightAfterUp,
  ...[kills.killAtEachStep, kills.killProviderAtEachStep, kills.killHostAtEachStep],
  ...[kills.killAtRandom, kills.killProviderAtRandom, kills.killHostAtRandom],
  ...[kills.killHostAfterProvider, kills.killOfReplacement, kills.killOfDestroy],
  ...[steps.lostAtEachStep, steps.lostAtRandom, steps.editedMeanwhile, steps.otherKeyMeanwhile],
  ...[steps.foundNextDay, steps.twoMachinesAtOnce],
  ...[replacements.lostInReplacement, replacements.hiddenReplacement],
  ...[modes.interruptInEveryMode, modes.killInEveryMode],
  ...[modes.stoppedCount, modes.stoppedStackNextToAnother],
  mistakenAccount,
  killOfRotation,
  ...[noSecretWritten, followedGuides],
];

/** A claim on a face. @param one the case that is tried, by default all of them */
type BriefCell = readonly [face: Face, claim: Claim, trials: number, size: number, one?: string];

/** Defines a test for each, with a fixed seed; one whose face is not here is skipped. */
export function defineBrief(cells: readonly BriefCell[]): void {
  for (const [face, claim, trials, size, one] of cells) {
    const isPossible = obstacle(claim, face) === undefined;
    (isPossible ? test : test.skip)(`${claim.name} (${face.name})`, async () => {
      const options = { seed: BRIEF_SEED, trials, size, case: one };
      expect(await claim.run(new Trial(face, options))).not.toBe("");
    });
  }
}

const BRIEF_SEED = 4;
const TIMEOUT_MS = 6 * 60 * 60_000;

const cellOf = (claim: Claim, face: Face): Cell => ({
  ...{ claim: claim.name, group: claim.group, face: face.name, outcome: "not tried" },
  ...{ figure: obstacle(claim, face) ?? "", failures: [], seconds: 0 },
});

/** @throws Error if a text is in no claim's sentence or group */
export function chosenClaims(texts: readonly string[]): readonly Claim[] {
  const contains = (text: string) => (claim: Claim) =>
    claim.name.includes(text) || claim.group.includes(text);
  const unknown = texts.find((text) => !claims.some(contains(text)));
  if (unknown !== undefined) {
    const known = claims.map(({ group, name }) => `  ${group.padEnd(10)}${name}`).join("\n");
    const message = `No claim contains "${unknown}". Groups and claims:\n${known}`;
    // Without a stack: the person's call is wrong, not this code.
    throw Object.assign(new Error(message), { stack: message });
  }
  return claims.filter(
    (claim) => texts.length === 0 || texts.some((text) => contains(text)(claim)),
  );
}

/** Faces and claims that were named and of which nothing was tried. */
export function untried(
  named: Pick<ChaosOptions, "faces" | "claims">,
  cells: readonly Cell[],
): readonly string[] {
  const tried = cells.filter(({ outcome }) => outcome !== "not tried");
  const isFaceTried = (name: string): boolean => tried.some(({ face }) => face === name);
  const isClaimTried = (text: string): boolean =>
    tried.some(({ claim, group }) => claim.includes(text) || group.includes(text));
  return [
    ...named.faces.filter((name) => name !== ALL_FACES && !isFaceTried(name)),
    ...named.claims.filter((text) => !isClaimTried(text)),
    ...(tried.length === 0 ? ["any claim"] : []),
  ];
}

/** What was not tried, and why: faces that nobody asked for, and claims on the others. */
export function leftOut(cells: readonly Cell[], others: readonly string[]): readonly string[] {
  const untriedCells = cells.filter(({ outcome }) => outcome === "not tried");
  const byReason = Map.groupBy(untriedCells, ({ face, figure }) => `on ${face}: ${figure}`);
  return [
    `Tried: ${cells.length - untriedCells.length} of ${cells.length} claims on faces.`,
    ...[...byReason].map(([reason, { length }]) => `Not tried: ${length} ${reason}.`),
    ...(others.length > 0 ? [`Left out: ${others.join(", ")} (see --face).`] : []),
  ];
}

/** Defines the tests; after the last one prints the table and writes the report. */
export function defineMatrix(options: ChaosOptions): void {
  const names = options.faces.length > 0 ? options.faces : DEFAULT_FACES;
  const isChosen = ({ name }: Face): boolean => names.includes(name) || names.includes(ALL_FACES);
  const cells: Cell[] = [];
  for (const claim of chosenClaims(options.claims)) {
    for (const face of faces.filter(isChosen)) {
      const cell = cellOf(claim, face);
      cells.push(cell);
      if (obstacle(claim, face) !== undefined) continue;
      test(
        `${claim.name} (${face.name})`,
        () => expectHolds(cell, claim, face, options),
        TIMEOUT_MS,
      );
    }
  }
  test("every face and claim that was named was tried", () => {
    expect(untried(options, cells)).toEqual([]);
  });
  afterAll(() => {
    mkdirSync(dirname(REPORT), { recursive: true });
    writeFileSync(REPORT, JSON.stringify({ seed: options.seed, cells }, undefined, 2));
    const others = faces.filter((face) => !isChosen(face)).map(({ name }) => name);
    const lines = [printed(cells), ...leftOut(cells, others)];
    process.stdout.write(`${lines.join("\n")}\nseed ${options.seed}\n`);
  });
}

/** Tries one claim on one face and fills its cell. */
async function expectHolds(cell: Cell, claim: Claim, face: Face, options: ChaosOptions) {
  const onProgress = (text: string): void =>
    void process.stderr.write(`${face.name}: ${claim.name}: ${text}\n`);
  const onFailure = (name: string): void =>
    onProgress(`again: ${repeating(options, { face: face.name, claim: claim.name, name })}`);
  const trial = new Trial(face, { ...options, onProgress, onFailure });
  const startedAt = performance.now();
  try {
    Object.assign(cell, { outcome: "holds", figure: await claim.run(trial) });
  } catch (error) {
    const failures = failureTexts(error).map(stripVTControlCharacters);
    Object.assign(cell, { outcome: "fails", figure: `${failures.length} failed`, failures });
    throw error;
  } finally {
    cell.seconds = Math.round((performance.now() - startedAt) / 100) / 10;
    onProgress(`${cell.outcome}: ${cell.figure} (${cell.seconds} s)`);
  }
}

const MARKS = { holds: "✓", fails: "✗", "not tried": "–" } as const;

/** Claims down, faces across. */
function printed(cells: readonly Cell[]): string {
  const across = [...new Set(cells.map(({ face }) => face))];
  const rows = [...new Set(cells.map(({ claim }) => claim))].map((claim) => [
    claim,
    ...cells
      .filter((cell) => cell.claim === claim)
      .map(({ outcome, figure }) => `${MARKS[outcome]} ${figure}`),
  ]);
  return table(["claim", ...across], rows);
}
