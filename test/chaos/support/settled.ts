/** What must be true once the dust has settled. */
import type { Evidence } from "../claims/claim";
import { tail } from "../claims/claim";
import type { Declared, Outcome, Site } from "../faces/face";
import { idempotencyRecordCount, intentsIn, type World } from "./world";

/** Servers with names of their own. */
export const serversOf = (count: number, more: Readonly<Record<string, unknown>> = {}) =>
  Array.from({ length: count }, (_, index): Declared => ({
    kind: "server",
    name: `server-${index}`,
    args: { name: `server-${index}`, ...more },
  }));

export interface Expected {
  readonly where: string;
  /** How many objects there must be; default: as many as the states hold. */
  readonly count?: number;
  /** Objects of these kinds are looked at; default: servers. */
  readonly kinds?: readonly string[];
  /** Objects that live on in no state, as they must. */
  readonly strangers?: readonly string[];
  /** Answers to creates that the service must remember; default: not looked at. */
  readonly records?: number;
}

/** The run ended well. */
export const ended = (evidence: Evidence, where: string, outcome: Outcome): boolean =>
  evidence.expect(
    outcome.code === 0,
    () => `${where}: exit code ${outcome.code}\n      ${tail(outcome.output)}`,
  );

/**
 * No duplicate, no orphan, none missing: the service has exactly what the states hold, and a plan
 * is empty.
 */
export async function settled(
  evidence: Evidence,
  world: World,
  sites: readonly Site[],
  { where, count, records, kinds = ["server"], strangers = [] }: Expected,
): Promise<void> {
  const held = (await Promise.all(sites.map((site) => site.ids()))).flatMap(Object.values<string>);
  const all = kinds.flatMap((kind) => world.emulator.objects(kind)).map(({ id }) => String(id));
  const there = all.filter((id) => !strangers.includes(id));
  const wanted = count ?? held.length;
  evidence.expect(
    there.length === wanted && held.length === wanted,
    () => `${where}: ${there.length} objects and ${held.length} in state, ${wanted} wanted`,
  );
  evidence.expect(
    new Set(held).size === held.length,
    () => `${where}: one object is held twice (${held.join(" ")})`,
  );
  const orphans = there.filter((id) => !held.includes(id));
  evidence.expect(orphans.length === 0, () => `${where}: in no state: ${orphans.join(" ")}`);
  const lost = held.filter((id) => !there.includes(id));
  evidence.expect(lost.length === 0, () => `${where}: in state, not there: ${lost.join(" ")}`);
  const hurt = strangers.filter((id) => !all.includes(id));
  evidence.expect(hurt.length === 0, () => `${where}: someone else's, and gone: ${hurt.join(" ")}`);
  if (records !== undefined) {
    const kept = idempotencyRecordCount(world);
    evidence.expect(
      kept === records,
      () => `${where}: ${kept} idempotency records, ${records} wanted`,
    );
  }
  for (const site of sites) {
    const plan = await site.preview();
    evidence.expect(
      plan.empty,
      () => `${where}: the plan is not empty\n      ${tail(plan.output)}`,
    );
  }
}

/** Intents that are still on disk. */
export const leftIntents = (site: Site): number => intentsIn(site.intentsFolder).length;
