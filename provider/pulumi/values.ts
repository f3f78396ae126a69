/** Between Pulumi's property values (camelCase, its own unknown) and the engine's. */
import { camel, isRecord, toCamel, toSnake, type Values } from "../contract";
import { isUnknown, UNKNOWN, type Path } from "../engine";
import { pathText } from "../messages";
import type { Kind } from "../resources";

/** How Pulumi writes a value that is not known yet. */
export const PULUMI_UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

function deep(value: unknown, from: (leaf: unknown) => boolean, into: unknown): unknown {
  if (from(value)) return into;
  if (Array.isArray(value)) return value.map((element) => deep(element, from, into));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, deep(inner, from, into)]),
  );
}

/** Pulumi's inputs or outputs as engine values; members with two underscores are the face's own. */
export function fromPulumi(kind: Kind, properties: Values): Record<string, unknown> {
  const own = Object.fromEntries(
    Object.entries(properties).filter(([key]) => !key.startsWith("__")),
  );
  return toSnake(kind.fields, deep(own, (leaf) => leaf === PULUMI_UNKNOWN, UNKNOWN) as Values);
}

/** Engine values as Pulumi's. */
export const toPulumi = (kind: Kind, values: Values): Record<string, unknown> =>
  toCamel(kind.fields, deep(values, isUnknown, PULUMI_UNKNOWN) as Values);

/** `ip_whitelist[0]` → `ipWhitelist[0]`; keys of free maps stay. */
export function pulumiPath(kind: Kind, path: Path): string {
  const [head, ...rest] = path;
  if (typeof head !== "string") return pathText(path);
  const free = head.endsWith("properties") || head === "triggers";
  const inner = free ? rest : rest.map((part) => (typeof part === "string" ? camel(part) : part));
  return pathText([kind.fields[head] ? camel(head) : head, ...inner]);
}

/** The engine's sentences name fields as the contract does; a Pulumi program knows them otherwise. */
export const speak = (kind: Kind, text: string): string =>
  text.replace(/\b[a-z]+(?:_[a-z]+)+\b/g, (word) => (kind.fields[word] ? camel(word) : word));
