/** Validation of what constructs declare: the provider's own check, and what only constructs can see. */
import type { TerraformResource } from "cdktf";
import {
  camel,
  DURATION_EXPECTED,
  durationMs,
  isRecord,
  resolveContract,
  type Values,
} from "../../provider/contract";
import { check } from "../../provider/engine/planning/check";
import type { Kind } from "../../provider/resources";
import { blockOf, inputsOf, isKnownLater } from "./block";
import { sentence } from "./sentence";

/** Everything that is wrong with a resource. Each entry names the field, the fault and the remedy. */
export function faultsOf(kind: Kind, resource: TerraformResource): string[] {
  const block = blockOf(resource);
  if (block === undefined) return [];
  const { issues } = check(resolveContract(), kind, inputsOf(kind, block));
  return [
    ...issues.map((issue) => sentence(kind, issue)),
    ...timeoutFaults(block),
    ...setTwice(block),
    ...sharedIdentity(block),
  ];
}

/** Timeouts that are not durations; otherwise only the provider would notice. */
function timeoutFaults({ timeouts }: Values): string[] {
  if (!isRecord(timeouts)) return [];
  return Object.entries(timeouts)
    .filter(
      ([, text]) =>
        typeof text === "string" && !isKnownLater(text) && durationMs(text) === undefined,
    )
    .map(
      ([name]) => `timeouts.${name} ${DURATION_EXPECTED}. For example timeouts: { ${name}: "5m" }.`,
    );
}

const setTwice = (block: Values): string[] =>
  Object.keys(block)
    .filter((name) => block[name] !== undefined && block[`${name}_wo`] !== undefined)
    .map(
      (name) => `${camel(name)} and ${camel(`${name}_wo`)} set the same value. Remove one of them.`,
    );

/** After an interrupted run, objects with the same identity would be mistaken for each other. */
function sharedIdentity(block: Values): string[] {
  const multiplied = ["count", "for_each"].find((name) => block[name] !== undefined);
  const token = block["idempotency_token"];
  if (multiplied === undefined || typeof token !== "string" || /(?:count|each)\./.test(token)) {
    return [];
  }
  return [
    `${multiplied} would give several objects the same identity. Declare one construct per object in a loop, or set idempotencyToken to a string that contains count.index or each.key.`,
  ];
}
