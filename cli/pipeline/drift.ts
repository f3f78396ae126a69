/** `erphost pipeline drift`: one issue per stack, as long as there is drift. */
import { othersText } from "../plan-summary/words";
import type { Summary } from "../plan-summary/schema";
import { Exit, type World } from "../world";
import { type Apply, markOf } from "./forge/forge";
import { publish, withJob, type Job, type JobOptions } from "./job";
import { driftText, summaryFor } from "./review";
import type { Tool } from "./tools/tool";

export interface DriftOptions extends JobOptions {
  readonly detailedExitcode?: boolean;
}

const DRIFT = 3;
const TITLE_LENGTH_MAX = 100;
const LOOKS_MAX = 3;
/** How often, and how many times, a running apply is asked for. */
const WAIT_MS = 15_000;
const WAITS_MAX = 60;

/** By what a plan says of each object, never by an engine's exit code. @public Loaded by name. */
export async function drift(options: DriftOptions, world: World): Promise<void> {
  const isFound = await withJob(options, world, async (job) => {
    const { forge, stack } = job;
    const tool = job.tool("read");
    await tool.prepare();
    const summary = await looked(job, tool);
    const mark = markOf("drift", job);
    if (summary.drift) {
      const body = driftText(summary);
      publish(body, world);
      await forge.openIssue(`Drift: ${stack.slice(0, TITLE_LENGTH_MAX)}`, { mark, body });
      return true;
    }
    const text =
      "There is no drift any more: erphost's objects are in the service as the state has them.";
    const isClosed = await forge.closeIssue(mark, text);
    const others = summary.plans.flatMap((plan) => othersText(plan) ?? []);
    world.print(
      [`No drift in ${stack}${isClosed ? "; its issue was closed" : ""}.`, ...others].join(" "),
    );
    return false;
  });
  if (isFound && options.detailedExitcode === true) throw new Exit(DRIFT);
}

/** What an apply changes while drift is looked for is none: events of the service start such runs. */
async function looked(job: Job, tool: Tool): Promise<Summary> {
  for (let look = 1; ; look += 1) {
    const before = await settled(job);
    if (before?.state === "running") {
      // Nobody should take a job for one that found nothing.
      throw new Error(
        `Drift was not looked for, because an apply of ${job.stack} is still running${before.url === undefined ? "" : ` (${before.url})`}. Run the job again when the apply has ended.`,
      );
    }
    const summary = summaryFor(job, { json: await tool.drift(), changesOutputs: false });
    if (!summary.drift || look >= LOOKS_MAX) return summary;
    const after = await job.forge.lastApply(job);
    if (after?.id === before?.id && after?.state !== "running") return summary;
    job.world.report(`An apply of ${job.stack} has begun meanwhile; drift is looked for again.`);
  }
}

/** The last apply, which has ended, or runs for more than a quarter of an hour already. */
async function settled(job: Job): Promise<Apply | undefined> {
  const { forge, stack, world } = job;
  for (let waits = 0; ; waits += 1) {
    const last = await forge.lastApply(job);
    if (last?.state !== "running" || waits >= WAITS_MAX || world.stopped.aborted) return last;
    if (waits === 0) world.report(`An apply of ${stack} is running; drift is looked for after it.`);
    await new Promise<void>((resolve) => world.after(WAIT_MS, resolve));
  }
}
