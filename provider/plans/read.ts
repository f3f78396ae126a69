/** Reads a plan, whichever engine wrote it. */
import { isRecord, jsonOf, resolveContract, type Contract } from "../contract";
import { message, type Message, type PartsOf } from "../messages";
import { strangeIn } from "./gate";
import type { Plan } from "./plan";
import { fromPulumi, pulumiSchema, type PulumiPreview } from "./pulumi";
import { fromTerraform, terraformSchema, type TerraformPlan } from "./terraform";

export type PlanReading = { readonly plan: Plan } | { readonly fault: Message };

/**
 * Reads `terraform show -json`, `tofu show -json` or `pulumi preview --json`.
 * @param contract what the service offers, which decides what a delete does; default: as documented
 */
export function readPlan(text: string, contract: Contract = resolveContract()): PlanReading {
  const json = jsonOf(text.replace(/^\uFEFF/, ""));
  return json === undefined
    ? { fault: message("plan_unreadable", { what: whatText(text) }) }
    : planOf(json, contract);
}

export function planOf(json: unknown, contract: Contract = resolveContract()): PlanReading {
  const parsed = parsePlan(json);
  if ("fault" in parsed) return parsed;
  const { terraform, pulumi } = parsed;
  return { plan: terraform ? fromTerraform(contract, terraform) : fromPulumi(contract, pulumi) };
}

/** A plan in its engine's own words, or why the JSON is none. */
export type ParsedPlan =
  | { readonly terraform: TerraformPlan; readonly pulumi?: never }
  | { readonly pulumi: PulumiPreview; readonly terraform?: never }
  | { readonly fault: Message };

/** For those who compare values that nobody is shown: secrets are in it. */
export function parsePlan(json: unknown): ParsedPlan {
  const what = whatJson(json);
  if (what !== "terraform" && what !== "pulumi")
    return { fault: message("plan_unreadable", { what }) };
  const name = isRecord(json) ? strangeIn(json) : undefined;
  if (name !== undefined) return { fault: message("plan_unreadable", { what: "newer", name }) };
  const terraform = what === "terraform" ? terraformSchema.safeParse(json).data : undefined;
  if (terraform) return { terraform };
  const pulumi = what === "pulumi" ? pulumiSchema.safeParse(json).data : undefined;
  return pulumi ? { pulumi } : { fault: message("plan_unreadable", { what: "other" }) };
}

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
    return ["resource_changes", "resource_drift", "planned_values"].some((name) => name in json)
      ? "terraform"
      : "state";
  }
  if ("@level" in json || "sequence" in json) return "events";
  return "steps" in json || "changeSummary" in json ? "pulumi" : "other";
}
