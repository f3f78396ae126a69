/** What a resource will be in the synthesised configuration, as plain values under the contract's names. */
import { Token, type TerraformResource } from "cdktf";
import { isRecord, type Values } from "../provider/contract";
import { UNKNOWN } from "../provider/engine/planning/unknown";
import type { Kind } from "../provider/resources";

/** Terraform's own arguments, and those that only the provider reads. */
const META: ReadonlySet<string> = new Set([
  "//",
  "connection",
  "count",
  "depends_on",
  "for_each",
  "idempotency_token",
  "lifecycle",
  "provider",
  "provisioner",
  "timeouts",
]);
const WRITE_ONLY = /^(?<field>.+)_wo(?<version>_version)?$/;
/** Nothing that a service takes is nested deeper. */
const DEPTH_MAX = 64;

/** The resource's block, Aspects and overrides applied; undefined where it is moved and has none. */
export function blockOf(resource: TerraformResource): Values | undefined {
  const attributes = attributesOf(resource);
  if (attributes) return attributes;
  const rendered: unknown = resource.toTerraform();
  return ["resource", resource.terraformResourceType, resource.friendlyUniqueId].reduce<unknown>(
    (inner, key) => (isRecord(inner) ? inner[key] : undefined),
    rendered,
  ) as
    // Walked down to by isRecord, or nothing.
    Values | undefined;
}

/**
 * The same where nothing is overridden, moved or multiplied, which is nearly always: rendering
 * everything a second time is what would make synthesis slow.
 */
function attributesOf(resource: TerraformResource): Values | undefined {
  const overrides: unknown = Reflect.get(resource, "rawOverrides");
  if (!isRecord(overrides) || Object.keys(overrides).length > 0) return undefined;
  if (resource.hasResourceMove() !== undefined) return undefined;
  if (resource.count !== undefined || resource.forEach !== undefined) return undefined;
  const synthesize: unknown = Reflect.get(resource, "synthesizeAttributes");
  const attributes: unknown =
    typeof synthesize === "function" ? Reflect.apply(synthesize, resource, []) : undefined;
  return isRecord(attributes) ? attributes : undefined;
}

/** The inputs in a block. Values that are known only while planning are unknown. */
export function inputsOf(kind: Kind, block: Values): Values {
  const inputs: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(block)) {
    if (META.has(name) || value === undefined) continue;
    const groups = name in kind.fields ? undefined : WRITE_ONLY.exec(name)?.groups;
    if (groups?.["version"] !== undefined) continue;
    inputs[groups?.["field"] ?? name] = plain(value, 0);
  }
  return inputs;
}

function plain(value: unknown, depth: number): unknown {
  if (depth > DEPTH_MAX || isLate(value)) return UNKNOWN;
  if (Array.isArray(value)) return value.map((element) => plain(element, depth + 1));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, plain(inner, depth + 1)]),
  );
}

/** Tokens, and texts in which Terraform finds an expression. */
export function isLate(value: unknown): boolean {
  if (typeof value === "string") return value.includes("${") || value.includes("%{");
  return typeof value === "object" || typeof value === "number"
    ? Token.isUnresolved(value)
    : typeof value === "function";
}
