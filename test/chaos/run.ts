/** Tries claims on faces, one after the other. */
import { claims } from "./claims/all";
import type { Claim, Trial } from "./claims/claim";
import type { Face } from "./faces/face";
import type { Cell } from "./report";
import { chanceOf } from "./support/random";

export interface Wish {
  readonly faces: readonly Face[];
  /** Parts of claim names or groups; empty: all. */
  readonly claims: readonly string[];
  readonly seed: number;
  readonly trials?: number | undefined;
  readonly size?: number | undefined;
  readonly say?: (text: string) => void;
}

const SIZE = { quick: 8, slow: 4 } as const;

const wished = (wish: Wish): readonly Claim[] =>
  claims.filter(
    ({ name, group }) =>
      wish.claims.length === 0 ||
      wish.claims.some((text) => name.includes(text) || group.includes(text)),
  );

export async function runChaos(wish: Wish): Promise<Cell[]> {
  const cells: Cell[] = [];
  for (const claim of wished(wish)) {
    for (const face of wish.faces) cells.push(await tried(claim, face, wish));
  }
  return cells;
}

async function tried(claim: Claim, face: Face, wish: Wish): Promise<Cell> {
  const base = { claim: claim.name, face: face.name, failures: [], details: [] };
  const lacking = claim.needs?.map((ability) => face.cannot[ability]).find(Boolean);
  const why = face.missing() ?? lacking ?? claim.skip?.(face);
  if (why !== undefined) return { ...base, outcome: "not tried", figure: why, seconds: 0 };
  const say = (text: string): void => wish.say?.(`${face.name}: ${claim.name}: ${text}`);
  const trial: Trial = {
    face,
    // Each claim by itself: the same seed gives the same trials whatever else is run.
    chance: chanceOf(wish.seed),
    trials: (quick, slow) => wish.trials ?? (face.pace === "quick" ? quick : slow),
    size: wish.size ?? SIZE[face.pace],
    say,
  };
  const begunAt = performance.now();
  const seconds = (): number => Math.round((performance.now() - begunAt) / 100) / 10;
  try {
    const { figure, failures, details = [] } = await claim.run(trial);
    const outcome = failures.length === 0 ? "holds" : "fails";
    say(`${outcome}: ${figure} (${seconds()} s)`);
    for (const failure of failures) say(`✗ ${failure}`);
    return { ...base, outcome, figure, failures, details, seconds: seconds() };
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    say(`fails: ${text}`);
    return { ...base, outcome: "fails", figure: "broke", failures: [text], seconds: seconds() };
  }
}
