/** Killing a run at a moment. */
import type { Manner, Outcome, Run, Site } from "../faces/face";
import { serversOf } from "../support/settled";
import { callsOf, type World } from "../support/world";
import type { Evidence } from "./claim";
import type { Moment } from "./moments";

export type Victim = "all" | "provider" | "host";

/** What strikes a run. */
export type Blow = Victim | "Ctrl-C";

export interface Killed {
  /** False: the run was over before the moment came. */
  readonly hit: boolean;
  /** What the service had been asked when the kill came. */
  readonly at: string;
  readonly outcome: Outcome;
  /** Milliseconds from the blow to the run's end. */
  readonly tookMs: number;
}

/** How many servers a site declares, for moments that count. */
const sizes = new WeakMap<Site, number>();

/** Declares so many servers. */
export function declareServers(site: Site, count: number, more = {}): void {
  sizes.set(site, count);
  site.declare(serversOf(count, more));
}

const strike = (run: Run, victim: Blow): void => {
  if (victim === "Ctrl-C") run.interrupt?.();
  else if (victim === "provider") run.killProvider();
  else if (victim === "host") run.killHost();
  else run.killAll();
};

/**
 * Runs until the moment comes, and kills. What others than the killed ones do goes on; `calm` of
 * the world ends it.
 */
export async function killedAt(
  world: World,
  site: Site,
  moment: Moment,
  { victim = "all", manner }: { victim?: Blow; manner?: Manner | undefined } = {},
): Promise<Killed> {
  moment.prepare?.(world);
  const run = await site.startUp(manner);
  let over = false;
  void run.finished.then(() => (over = true));
  await world.until(() => over || moment.reached(world, site, sizes.get(site) ?? 0));
  const hit = !over;
  const posts = callsOf(world, "POST");
  const done = posts.filter(({ status }) => status === 201).length;
  const struckAt = performance.now();
  strike(run, victim);
  // A host whose provider was killed ends by itself, once nothing is held back any more.
  if (victim === "provider") await world.calm();
  // What an interrupted run has begun is answered in the end.
  if (victim === "Ctrl-C") world.emulator.setFaults([]);
  const outcome = await run.finished;
  const tookMs = performance.now() - struckAt;
  return { hit, at: `${posts.length} creates sent, ${done} answered`, outcome, tookMs };
}

/** A trial whose moment did not come shows nothing: it fails. */
export const struck = (evidence: Evidence, where: string, { hit }: Killed): boolean =>
  evidence.expect(hit, () => `${where}: the run was over before the moment came`);
