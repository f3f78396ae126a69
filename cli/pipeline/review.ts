/** What people read of a plan before they agree to it, and whether a key may do it. */
import { resolveContract, type Contract } from "../../provider/contract";
import { readPlan } from "../../provider/plans";
import { calling, withEngine, type AccountOptions } from "../account";
import { markdownOf } from "../plan-summary/markdown";
import type { Summary } from "../plan-summary/schema";
import { summaryOf, withKey } from "../plan-summary/summary";
import { keyTexts } from "../plan-summary/words";
import { sensitiveValues } from "./comment/engine-text";
import { hideIn, type Job } from "./job";
import type { Planned } from "./tools/tool";
import { textOf } from "../voice";
import type { World } from "../world";

const KEY_VARIABLE = "ERPHOST_API_KEY";
const WAIT_S = 60;

/** What a job's plan does, without any secret that the job knows. @throws Error as `summaryIn` */
export function summaryFor(
  job: Job,
  { json, changesOutputs }: Pick<Planned, "json" | "changesOutputs">,
): Summary {
  hideIn(job, json);
  return summaryIn(json, job.stack, { ...job, changesOutputs });
}

/** @throws Error where the engine's JSON is not a plan */
export function summaryIn(
  json: string,
  stack: string,
  {
    changesOutputs = false,
    secrets = sensitiveValues(json),
    contract = resolveContract(),
  }: { changesOutputs?: boolean; secrets?: ReadonlySet<string>; contract?: Contract } = {},
): Summary {
  const reading = readPlan(json, contract);
  if ("fault" in reading)
    throw new Error(`The engine's plan cannot be read: ${textOf(reading.fault)}`);
  const { plan } = reading;
  if (plan.gap !== undefined) {
    throw new Error(
      `The engine's plan of ${stack} is not whole (${plan.gap}), so nobody can review it. Mend what it failed at, and plan without options such as -target.`,
    );
  }
  const changesState = plan.changesState || changesOutputs;
  return summaryOf(contract, [{ file: stack, plan: { ...plan, changesState }, secrets }]);
}

export const driftText = (summary: Summary): string =>
  `${markdownOf(summary, { what: "drift" })}\n\nThis was changed outside of the program. Put it into the program, or let the next apply undo it. This issue is kept up to date, and closed when the drift is gone.`;

/**
 * One call: whether the key of this job may do all of a plan, and whether its quota is enough, which is
 * only reported: a run waits for more. @throws Error with the scopes that the key lacks
 */
export async function assertAllowed(summary: Summary, world: World): Promise<void> {
  if ((world.env[KEY_VARIABLE] ?? "") === "") {
    return world.report(`Whether the key may do this is not checked: ${KEY_VARIABLE} is not set.`);
  }
  // Everything else comes from the environment.
  const options: AccountOptions = { wait: WAIT_S };
  const checked = await withEngine(options, world, async (engine) =>
    withKey(summary, await engine.lookups.auth(calling(options, world))),
  );
  const { key } = checked;
  const missing = key?.missingScopes ?? [];
  if (missing.length > 0) {
    throw new Error(
      `The key ${key?.id ?? ""} may not do what was reviewed, so nothing was applied: it lacks ${missing.join(", ")}. The apply needs a key that has them; a key that may only read is for plans.`,
    );
  }
  for (const text of keyTexts(checked)) world.report(text);
}

/** One call: whether the service accepts a key. @throws Error where it does not */
export async function assertAlive(apiKey: string, world: World): Promise<void> {
  const options: AccountOptions = { wait: WAIT_S };
  const asKey = { ...world, env: { ...world.env, [KEY_VARIABLE]: apiKey } };
  await withEngine(options, asKey, (engine) => engine.lookups.auth(calling(options, world)));
}
