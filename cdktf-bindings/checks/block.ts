/** A resource's block in the synthesised configuration, and the inputs in it. */
import { Token, type TerraformResource } from "cdktf";
import { isRecord, type Values } from "../../provider/contract";
import { UNKNOWN, type Kind } from "../../provider/resources";

import { computedNow } from "./computed";

/** Terraform's own arguments, and those that the provider keeps from the service. */
const META =
  /^(?:\/\/|connection|count|depends_on|for_each|idempotency_token|lifecycle|provider|provisioner|timeouts)$/;
const WRITE_ONLY = /^(?<field>.+)_wo(?<version>_version)?$/;
/** No input of the service is nested this deeply. */
const DEPTH_MAX = 64;

/** The resource's block after Aspects and overrides; undefined if it has been moved and has none. */
export function blockOf(resource: TerraformResource): Values | undefined {
  const rendered: unknown = resource.toTerraform();
  const block = [
    "resource",
    resource.terraformResourceType,
    resource.friendlyUniqueId,
  ].reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), rendered);
  return isRecord(block) ? block : undefined;
}

/** The inputs in a block. Values that are known only during the plan are marked unknown. */
export function inputsOf(kind: Kind, block: Values): Values {
  const inputs: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(block)) {
    if (META.test(name) || value === undefined) continue;
    const groups = name in kind.fields ? undefined : WRITE_ONLY.exec(name)?.groups;
    if (groups?.["version"] !== undefined) continue;
    inputs[groups?.["field"] ?? name] = plain(computedNow(value), 0);
  }
  return inputs;
}

/** The arguments of a lookup, without Terraform's own. */
export const valuesIn = (block: Values): Values =>
  Object.fromEntries(
    Object.entries(block)
      .filter(([name]) => !META.test(name))
      .map(([name, value]) => [name, plain(value, 0)]),
  );

function plain(value: unknown, depth: number): unknown {
  if (depth > DEPTH_MAX || isKnownLater(value)) return UNKNOWN;
  if (Array.isArray(value)) return value.map((element) => plain(element, depth + 1));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, it]) => [key, plain(it, depth + 1)]));
}

/** True of tokens, and of strings in which Terraform finds an expression. */
export function isKnownLater(value: unknown): boolean {
  if (typeof value === "string") return value.includes("${") || value.includes("%{");
  return typeof value === "object" || typeof value === "number"
    ? Token.isUnresolved(value)
    : typeof value === "function";
}
