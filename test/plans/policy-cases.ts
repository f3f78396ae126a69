/** One table of cases for the rules as functions and as Rego; `npm run plans:record` records the plans. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { RuleName } from "../../provider/plans/policies";

export interface PolicyCase {
  readonly rule: RuleName;
  /** Last part of the address of the object that breaks it. */
  readonly object: string;
  readonly engine: "terraform" | "pulumi-plugin";
}

const OBJECTS: readonly (readonly [rule: RuleName, object: string])[] = [
  ["protected-destroyed", "web"],
  ["backup-before-upgrade", "erp"],
  ["old-key", "ci"],
  ["admin-key", "boss"],
  ["wildcard-scope", "ci"],
];

export const CASES: readonly PolicyCase[] = OBJECTS.flatMap(([rule, object]) =>
  (["terraform", "pulumi-plugin"] as const).map((engine) => ({ rule, object, engine })),
);

/** Long after the plans were made, which was in 2025 by the service's clock. */
export const NOW_MS = Date.parse("2026-06-01T00:00:00Z");

export const policyFile = ({ rule, engine }: PolicyCase, state: "broken" | "mended"): string =>
  join(__dirname, "recorded", "policies", `${rule}-${state}-${engine}.json`);

export const recordedPolicy = (one: PolicyCase, state: "broken" | "mended"): string =>
  readFileSync(policyFile(one, state), "utf8");
