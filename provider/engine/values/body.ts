/** A program's inputs as an operation uses them, and what of them goes into a request. */
import { isRecord, ownMember, type Values } from "../../contract";
import type { Kind } from "../../resources";
import type { Change, Scope } from "../types";

/** The inputs that hold a program's free fields. */
export const BAGS = ["properties", "secret_properties"] as const;

/** Both bags of free fields as one. */
export const freeFields = (inputs: Values): Record<string, unknown> => ({
  ...(isRecord(inputs["properties"]) && inputs["properties"]),
  ...(isRecord(inputs["secret_properties"]) && inputs["secret_properties"]),
});

/** Inputs that the service is sent, without the free ones. */
export const serviceFields = (kind: Kind, inputs: Values): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(inputs).filter(([name]) => kind.fields[name]?.origin === "service"),
  );

/** Inputs that the engine follows and the service is not sent; undefined where one is not given. */
export const optionValues = (kind: Kind, inputs: Values): Values =>
  Object.fromEntries(
    Object.entries(kind.fields)
      .filter(([, field]) => field.origin === "option")
      .map(([name]) => [name, inputs[name]]),
  );

/** Everything that a create sends of these inputs, as `name` or `properties.key`. */
export const sentPaths = (kind: Kind, inputs: Values): Set<string> =>
  new Set([
    ...Object.keys(serviceFields(kind, inputs)),
    ...BAGS.flatMap((bag) => {
      const map = inputs[bag];
      return isRecord(map) ? Object.keys(map).map((key) => `${bag}.${key}`) : [];
    }),
  ]);

/** What an update sends of these changes, and the paths of it. */
export function patchBody({ contract, kind }: Scope, inputs: Values, changes: readonly Change[]) {
  const fields: Record<string, unknown> = {};
  const properties = new Map<string, unknown>();
  const sent = new Set<string>();
  const free = freeFields(inputs);
  for (const { path } of changes) {
    const [head, key] = path;
    const name = String(head);
    if (kind.fields[name]?.origin === "service" && name in inputs) {
      fields[name] = inputs[name];
      sent.add(name);
    } else if ((name === "properties" || name === "secret_properties") && typeof key === "string") {
      // A key that is no longer given stays as it is, or is set to null where the profile says so.
      if (!Object.hasOwn(free, key) && contract.unset === "omit") continue;
      properties.set(key, ownMember(free, key) ?? null);
      sent.add(`${name}.${key}`);
    }
  }
  return { fields, properties: Object.fromEntries(properties), sent };
}
