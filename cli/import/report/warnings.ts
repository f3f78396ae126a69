/** What a run says of objects that it leaves out, whether or not a report is asked for. */
import { resources } from "../../../provider/contract";
import { noun } from "../../../provider/messages";
import type { Kind } from "../../../provider/resources";
import type { KindInventory } from "../program/inventory";

/** A line for each list of which something may be missing. @param reported whether a report says why */
export const warningsOf = (inventories: readonly KindInventory[], reported: boolean): string[] =>
  inventories.flatMap(({ kind, moved, unusable: { length } }) => [
    ...(moved ? [`${pluralOf(kind)} changed each time they were read: run this again.`] : []),
    ...(length === 0
      ? []
      : [
          `${length.toLocaleString("en")} ${length === 1 ? noun(kind.name) : pluralOf(kind)} ` +
            `cannot be declared${reported ? "." : " (--report says why)."}`,
        ]),
  ]);

const pluralOf = ({ name, resource }: Kind): string =>
  noun(resource === undefined ? name : resources[resource].plural);
