/** Stopping a run at a moment, and getting ready for the next one. */
import { expect } from "@jest/globals";
import { lastLines } from "../../scripts/bootstrap/programs.cjs";
import type { ApplyMode, Run, Site } from "./faces/face";
import type { Moment } from "./moments";
import type { Scene } from "./support/scene";

/** What can be stopped: a stack of a face, or a block of a guide. */
export type Stoppable = Pick<Site, "startUp" | "unlock" | "intentsFolder">;

export type Victim = "all" | "provider" | "host";
export type Stop = Victim | "Ctrl-C";

export interface StopOptions {
  readonly moment: Moment;
  /** Default: SIGKILL to all. */
  readonly stop?: Stop;
  readonly mode?: ApplyMode;
  /** How many servers the site declares, for moments that count them. */
  readonly size?: number;
}

export type Stopped = Awaited<ReturnType<typeof stopUp>>;

const strike = (run: Run, stop: Stop): void => {
  if (stop === "Ctrl-C") run.interrupt?.();
  else if (stop === "provider") run.killProvider();
  else if (stop === "host") run.killHost();
  else run.killAll();
};

/** Applies and stops the run at the moment. Processes that survive continue; see `afterStop`. */
export async function stopUp(
  scene: Scene,
  site: Stoppable,
  { moment, stop = "all", mode, size = 0 }: StopOptions,
) {
  moment.prepare?.(scene);
  const run = await site.startUp(mode);
  let isOver = false;
  void run.finished.then(() => (isOver = true));
  await scene.until(() => isOver || moment.reached(scene, site, size));
  /** False: the run was over before the moment came. */
  const isHit = !isOver;
  const posts = scene.calls("POST");
  const done = posts.filter(({ status }) => status === 201).length;
  /** What the service had been asked by then. */
  const at = `${posts.length} creates sent, ${done} answered`;
  const stoppedAt = performance.now();
  strike(run, stop);
  // A host whose provider was killed exits by itself once nothing is held back any more.
  if (stop === "provider") await scene.calm();
  // What an interrupted run has started is answered in the end.
  if (stop === "Ctrl-C") scene.emulator.setFaults([]);
  const outcome = await run.finished;
  /** From the stop to the end of the run. */
  const tookMs = performance.now() - stoppedAt;
  return { isHit, at, outcome, tookMs };
}

/** What must happen before the next run: no faults, no locks, and creations that become ready. */
export async function afterStop(scene: Scene, site: Stoppable, { moment, stop }: StopOptions) {
  if (moment.isImpatient) scene.release();
  else await scene.calm();
  if (moment.provisionMs !== undefined) scene.emulator.setClock({ rate: 3_600 });
  if (stop !== "provider") await site.unlock();
}

/** A trial whose moment did not come proves nothing. */
export const expectHit = ({ isHit, at, outcome }: Stopped): void => {
  const output = isHit ? "" : lastLines(outcome.output, 12);
  expect({ at, wasStillRunning: isHit, output }).toEqual({ at, wasStillRunning: true, output: "" });
};

/** Stops a run at the moment, which must come, and gets ready for the next run. */
export async function crash(scene: Scene, site: Stoppable, options: StopOptions): Promise<Stopped> {
  const stopped = await stopUp(scene, site, options);
  await afterStop(scene, site, options);
  expectHit(stopped);
  return stopped;
}

/** The options of a scene whose creations take as long as the moment needs. */
export const sceneOptions = ({ provisionMs }: Moment) => ({
  ...(provisionMs !== undefined && { provisionMs }),
});
