/** Reads a plan, whichever engine wrote it. */
import { isRecord, resolveContract, type Contract } from "../contract";
import { message, type Message, type PartsOf } from "../messages";
import type { Plan } from "./plan";
import { fromPulumi, pulumiSchema } from "./pulumi";
import { fromTerraform, terraformSchema } from "./terraform";

/** A plan, or why the text is none. */
export type PlanReading = { readonly plan: Plan } | { readonly fault: Message };

/**
 * Reads `terraform show -json`, `tofu show -json` or `pulumi preview --json`.
 * @param contract what the service offers, which decides what a delete does; default: as documented
 */
export function readPlan(text: string, contract: Contract = resolveContract()): PlanReading {
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return { fault: message("plan_unreadable", { what: whatText(text) }) };
  }
  return planOf(json, contract);
}

/** The same of JSON that was parsed already. */
export function planOf(json: unknown, contract: Contract = resolveContract()): PlanReading {
  const what = whatJson(json);
  if (what !== "terraform" && what !== "pulumi")
    return { fault: message("plan_unreadable", { what }) };
  if (what === "terraform") {
    const { data } = terraformSchema.safeParse(json);
    if (data) return { plan: fromTerraform(contract, data) };
  } else {
    const { data } = pulumiSchema.safeParse(json);
    if (data) return { plan: fromPulumi(contract, data) };
  }
  return { fault: message("plan_unreadable", { what: "other" }) };
}

/** What a text is that holds no plan. */
type NoPlan = PartsOf<"plan_unreadable">["what"];

function whatText(text: string): NoPlan {
  if (text.trim() === "") return "empty";
  // A saved plan is an archive.
  if (text.startsWith("PK\u0003\u0004")) return "binary";
  return text.trimStart().startsWith("{") && /\}\s*\n\s*\{/.test(text) ? "events" : "other";
}

function whatJson(json: unknown): "terraform" | "pulumi" | NoPlan {
  if (!isRecord(json)) return "other";
  if ("format_version" in json) {
    const isPlan = ["resource_changes", "resource_drift", "planned_values"].some(
      (name) => name in json,
    );
    return isPlan ? "terraform" : "state";
  }
  if ("@level" in json || "sequence" in json) return "events";
  return "steps" in json || "changeSummary" in json ? "pulumi" : "other";
}
