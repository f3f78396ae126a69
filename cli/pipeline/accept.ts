/** `--accept HASH`: one very plan that nobody reviewed, named by all that it would do. */
import { createHmac, scryptSync, timingSafeEqual } from "node:crypto";
import { canonicalJson, isRecord } from "../../provider/contract";
import { changesOf, exactly, providersOf } from "./changes";
import type { Apply } from "./forge/forge";
import { refusal } from "./forge/choose";
import type { Job } from "./job";
import type { Planned, Tool } from "./tools/tool";

export interface Doing {
  readonly job: Job;
  readonly tool: Tool;
  readonly planned: Planned;
  /** What the plan builds on. */
  readonly last: Apply | undefined;
}

const HASH = /^[0-9a-f]{64}$/;
/** A passphrase cannot be found from a hash faster than from a saved plan. */
const SCRYPT = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 ** 2 };
const KEY_BYTES = 32;

/** @throws InvalidInput where a hash cannot be one, or nothing could be compared with it */
export function checkAccept(
  accept: string | undefined,
  { allowUnreviewed, passphrase }: { allowUnreviewed: boolean; passphrase: string | undefined },
): void {
  if (accept === undefined) return;
  if (!HASH.test(accept)) throw refusal("--accept", "must be the hash that a refused job shows");
  if (allowUnreviewed) throw refusal("--accept", "cannot be used with --allow-unreviewed");
  if (passphrase === undefined) throw refusal("--accept", "needs ERPHOST_PLAN_PASSPHRASE");
}

/** 256 bits over everything that would be done, which only those can make who know the passphrase. */
export async function hashOf({ job, tool, planned, last }: Doing, passphrase: string) {
  const whole = {
    of: { tool: job.toolName, engine: await tool.version(), erphost: job.world.version },
    at: { home: job.forge.run.home, stack: job.stack, dir: job.dir, commit: job.source },
    base: last === undefined ? null : { id: last.id, commit: last.commit, state: last.state },
    does: doneBy(exactly(planned.json)),
    places: Object.fromEntries(changesOf(planned.json).map(({ address }) => [address, true])),
    providers: providersOf(planned.json) ?? null,
    outputs: planned.outputs ?? null,
  };
  const key = scryptSync(passphrase, "erphost pipeline apply --accept", KEY_BYTES, SCRYPT);
  return createHmac("sha256", key).update(canonicalJson(whole)).digest("hex");
}

/** Takes as long whichever characters differ. */
export const isAccepted = (accept: string, hash: string): boolean =>
  timingSafeEqual(Buffer.from(accept, "hex"), Buffer.from(hash, "hex"));

/** What only describes a plan, or is another text each time. */
const DESCRIBES = new Set([
  ...["prior_state", "planned_values", "configuration", "relevant_attributes", "resource_drift"],
  ...["timestamp", "checks", "diagnostics", "duration", "changeSummary"],
]);
const READS = new Set(["no-op", "read", "same", "refresh"]);

/** All of a plan but its descriptions, and objects that stay as and where they are. */
function doneBy(plan: unknown): unknown {
  const members = Object.entries(isRecord(plan) ? plan : {});
  return Object.fromEntries(
    members
      .filter(([name]) => !DESCRIBES.has(name))
      .map(([name, value]) => [
        name,
        Array.isArray(value) ? value.filter(doesSomething).sort(byUrn) : value,
      ]),
  );
}

/** Pulumi plans objects side by side, and prints them in another order each time; a step has a URN. */
const byUrn = (one: unknown, other: unknown): number =>
  urnOf(one) < urnOf(other) ? -1 : Number(urnOf(one) > urnOf(other));
const urnOf = (step: unknown): string =>
  isRecord(step) && typeof step["urn"] === "string" ? step["urn"] : "";

function doesSomething(each: unknown): boolean {
  if (!isRecord(each)) return true;
  if (typeof each["op"] === "string") {
    const kept = (state: unknown): string =>
      isRecord(state) ? canonicalJson(KEPT.map((name) => state[name] ?? null)) : "";
    return !READS.has(each["op"]) || kept(each["oldState"]) !== kept(each["newState"]);
  }
  const change = each["change"];
  if (!isRecord(change) || !Array.isArray(change["actions"])) return true;
  const isMore = "previous_address" in each || isRecord(change["importing"]);
  return isMore || !change["actions"].every((action) => READS.has(String(action)));
}

/** What the state alone holds of an object of Pulumi. */
const KEPT = ["urn", "parent", "provider", "protect", "retainOnDelete"];
