/** What a program of Terraform sets: a plan says of a new object only what is not known yet. */
import { isRecord, type Values } from "../contract";
import { UNKNOWN_VALUE } from "./plan";

/** Modules nest; deeper ones than that are nobody's. */
const DEPTH_MAX = 64;

/** Names of the fields that each resource sets, by its address without indexes. */
export function fieldsSetIn(configuration: unknown): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, ReadonlySet<string>>();
  const visit = (module: unknown, prefix: string, depth: number): void => {
    if (!isRecord(module) || depth > DEPTH_MAX) return;
    const { resources, module_calls: calls } = module;
    for (const resource of Array.isArray(resources) ? resources.filter(isRecord) : []) {
      const { address, expressions } = resource;
      const names = isRecord(expressions) ? Object.keys(expressions) : [];
      found.set(`${prefix}${String(address)}`, new Set(names));
    }
    for (const [name, call] of Object.entries(isRecord(calls) ? calls : {})) {
      if (isRecord(call)) visit(call["module"], `${prefix}module.${name}.`, depth + 1);
    }
  };
  visit(isRecord(configuration) ? configuration["root_module"] : undefined, "", 0);
  return found;
}

/** Without what nobody sets, and the service chooses. @param names undefined: not known */
export const withoutChosen = (values: Values, names: ReadonlySet<string> | undefined): Values =>
  names === undefined
    ? values
    : Object.fromEntries(
        Object.entries(values).filter(
          ([name, value]) => value !== UNKNOWN_VALUE || names.has(name) || name === "id",
        ),
      );

export const declaredAt = (address: string): string =>
  address.replace(/\[(?:\d+|"(?:[^"\\]|\\.)*")\]/g, "");
