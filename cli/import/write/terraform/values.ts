/** Values of the program in HCL. */
import type { Place, Value } from "../../program/model";
import { expressionOf, listOf, quoted, type Expression } from "./hcl";

const addressOf = (kind: string, { name, key }: Place): string =>
  `erphost_${kind}.${name}${key === undefined ? "" : `[${quoted(key)}]`}`;

export function written(value: Value): Expression {
  switch (value.is) {
    case "literal":
      return expressionOf(value.value);
    case "reference":
      return [`${addressOf(value.kind, value.place)}.id`];
    case "list":
      return listOf(value.of.map(written));
  }
}
