/** What a trial expects of a run, and of the service and the states after it. */
import { expect } from "@jest/globals";
import { lastLines } from "../../../scripts/bootstrap/programs.cjs";
import { unwrapped } from "../../e2e/support/output";
import { up, type Declared, type Outcome, type Site } from "../faces/face";
import type { Scene } from "./scene";

export const servers = (count: number, more: Readonly<Record<string, unknown>> = {}) =>
  Array.from({ length: count }, (_, index): Declared => ({
    kind: "server",
    name: `server-${index}`,
    args: { name: `server-${index}`, ...more },
  }));

export function expectSuccess(step: string, { code, output }: Outcome): void {
  const seen = { step, code, output: code === 0 ? "" : lastLines(output, 12) };
  expect(seen).toEqual({ step, code: 0, output: "" });
}

/** The run did not end with exit code 0, and says why. @returns all that it says, on one line */
export function expectRefusal(step: string, { code, output }: Outcome, reason: RegExp): string {
  expect({ step, refused: code !== 0 }).toEqual({ step, refused: true });
  const said = unwrapped(output);
  expect(said).toMatch(reason);
  return said;
}

export interface Expected {
  readonly step: string;
  /** How many objects there must be; default: as many as the states hold. */
  readonly count?: number;
  /** Objects of these kinds are counted; default: servers. */
  readonly kinds?: readonly string[];
  /** Answers to creates that the service must remember; default: not checked. */
  readonly replays?: number;
}

const without = (ids: readonly string[], others: readonly string[]): readonly string[] =>
  ids.filter((id) => !others.includes(id));

/** No duplicate, no orphan, nothing lost: the service has what the states hold; plans are empty. */
export async function expectSettled(
  scene: Scene,
  sites: readonly Site[],
  { step, count, replays, kinds = ["server"] }: Expected,
): Promise<void> {
  const held = (await Promise.all(sites.map((site) => site.ids()))).flatMap(Object.values<string>);
  const all = kinds.flatMap((kind) => scene.ids(kind));
  const wanted = count ?? held.length;
  expect({
    step,
    existing: all.length,
    inStates: held.length,
    heldTwice: held.length - new Set(held).size,
    orphans: without(all, held),
    lost: without(held, all),
    ...(replays !== undefined && { replays: scene.replayCount() }),
  }).toEqual({
    ...{ step, existing: wanted, inStates: wanted },
    ...{ heldTwice: 0, orphans: [], lost: [] },
    ...(replays !== undefined && { replays }),
  });
  for (const site of sites) {
    const { empty, output } = await site.preview();
    const seen = { step, emptyPlan: empty, output: empty ? "" : lastLines(output, 12) };
    expect(seen).toEqual({ step, emptyPlan: true, output: "" });
  }
}

/** Runs of all sites succeed, one after the other, and leave what `expectSettled` expects. */
export async function expectUp(scene: Scene, sites: readonly Site[], expected: Expected) {
  for (const site of sites) expectSuccess(expected.step, await up(site));
  await expectSettled(scene, sites, expected);
}

/** A new stack that has been applied once. */
export async function upBefore(scene: Scene, objects: readonly Declared[]): Promise<Site> {
  const site = await scene.open(objects);
  expectSuccess("before", await up(site));
  return site;
}
