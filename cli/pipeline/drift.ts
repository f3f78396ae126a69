/** `erphost pipeline drift`: one issue per stack, as long as there is drift. */
import { Exit, type World } from "../world";
import { markOf } from "./forge/mark";
import { publish, withJob, type JobOptions } from "./job";
import { driftText, summaryIn } from "./review";

export interface DriftOptions extends JobOptions {
  readonly detailedExitcode?: boolean;
}

const DRIFT = 3;
const TITLE_LENGTH_MAX = 100;

/**
 * Looks for drift, by what a plan says of each object and never by an engine's exit code.
 * @public Loaded by name.
 */
export async function drift(options: DriftOptions, world: World): Promise<void> {
  const isFound = await withJob(options, world, async (job) => {
    const { forge, stack } = job;
    const tool = job.tool("read");
    await tool.prepare();
    const summary = summaryIn(await tool.drift(), stack);
    const mark = markOf("drift", job);
    if (summary.drift) {
      const body = driftText(summary);
      publish(body, world);
      await forge.openIssue(`Drift: ${stack.slice(0, TITLE_LENGTH_MAX)}`, { mark, body });
      return true;
    }
    const text = "There is no drift any more: the service is as the state has it.";
    const isClosed = await forge.closeIssue(mark, text);
    world.print(`No drift in ${stack}${isClosed ? "; its issue was closed" : ""}.`);
    return false;
  });
  if (isFound && options.detailedExitcode === true) throw new Exit(DRIFT);
}
