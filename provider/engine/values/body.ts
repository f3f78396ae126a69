/** A program's inputs as an operation uses them, and what of them goes into a request. */
import { isRecord, ownMember, type ServiceRecord, type Values } from "../../contract";
import type { Kind } from "../../resources";
import type { Change, Scope } from "../types";
import { covers, hasUnknown } from "./compare";

/** The inputs that hold a program's free fields. */
export const BAGS: readonly string[] = ["properties", "secret_properties"];

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

/** What no update can change: it tells a replacement from an edit. */
export const fixedOf = ({ inputs: fields, reading }: Kind, inputs: Values): Values =>
  Object.fromEntries(
    fields
      .filter(([name, field]) => field.immutable || (reading.replaceOn ?? []).includes(name))
      .filter(([name]) => inputs[name] !== undefined)
      .map(([name]) => [name, inputs[name]]),
  );

/** Whether a record may be what these inputs led to: what no update can change is the same. */
export const isFixedAlike = (kind: Kind, inputs: Values, { fields }: ServiceRecord): boolean =>
  Object.entries(serviceFields(kind, fixedOf(kind, inputs))).every(
    ([name, value]) => hasUnknown(value) || covers(value, fields[name]),
  );

/** What an update sends of these changes, and the paths of it. */
export function patchBody({ contract, kind }: Scope, inputs: Values, changes: readonly Change[]) {
  const fields: Record<string, unknown> = {};
  const properties = new Map<string, unknown>();
  const sent = new Set<string>();
  for (const { path } of changes) {
    const [head, key] = path;
    const name = String(head);
    if (kind.fields[name]?.origin === "service" && name in inputs) {
      fields[name] = inputs[name];
      sent.add(name);
    } else if (BAGS.includes(name) && typeof key === "string") {
      const free = freeFields(inputs);
      // A key that is no longer given stays as it is, or is set to null where the profile says so.
      if (!Object.hasOwn(free, key) && contract.unset === "omit") continue;
      properties.set(key, ownMember(free, key) ?? null);
      sent.add(`${name}.${key}`);
    }
  }
  return { fields, properties: Object.fromEntries(properties), sent };
}
