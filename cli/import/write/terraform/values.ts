/** Values of the program in HCL. */
import type { DeclaredName, Value } from "../../program/model";
import { expressionOf, listOf, quoted, type Expression } from "./hcl";

const addressOf = (kind: string, { name, key }: DeclaredName): string =>
  `erphost_${kind}.${name}${key === undefined ? "" : `[${quoted(key)}]`}`;

export function sourceOfValue(value: Value): Expression {
  switch (value.is) {
    case "literal":
      return expressionOf(value.value);
    case "reference":
      return [`${addressOf(value.kind, value.place)}.id`];
    case "list":
      return listOf(value.of.map(sourceOfValue));
  }
}
