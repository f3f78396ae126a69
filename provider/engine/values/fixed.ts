/** What no update of an object can change. */
import type { ServiceRecord, Values } from "../../contract";
import type { Kind } from "../../resources";
import { covers } from "./compare";
import { hasUnknown } from "./unknown";

/** Whether a record may be what these inputs led to: what no update can change is the same. */
export const isFixedAlike = (kind: Kind, inputs: Values, { fields }: ServiceRecord): boolean =>
  Object.entries(fixedOf(kind, inputs))
    .filter(([name]) => kind.fields[name]?.origin === "service")
    .every(([name, value]) => hasUnknown(value) || covers(value, fields[name]));

/** What no update can change: it tells a replacement from an edit. */
export const fixedOf = ({ inputs: fields, reading }: Kind, inputs: Values): Values =>
  Object.fromEntries(
    fields
      .filter(([name, field]) => field.immutable || (reading.replaceOn ?? []).includes(name))
      .filter(([name]) => inputs[name] !== undefined)
      .map(([name]) => [name, inputs[name]]),
  );
