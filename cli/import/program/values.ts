/** What a program would write of an object: its inputs, without what means the same as nothing. */
import { isRecord, type Values } from "../../../provider/contract";
import { declaredInputs, type Kind, type KindField } from "../../../provider/resources";
import type { AccountRecord } from "../account/page";
import type { DeclaredName, Value } from "./model";

/** Where the object of an id is declared in the program; undefined: it is not in it. */
export type Refer = (kind: string, id: string) => DeclaredName | undefined;

/** The inputs of an object as plain values. `isWanted` chooses free fields. */
export function inputsOf(kind: Kind, record: AccountRecord, isWanted: (name: string) => boolean) {
  const free = Object.entries(record.properties).filter(
    ([name, value]) => value !== null && isWanted(name),
  );
  const bag = kind.fields["properties"] !== undefined && free.length > 0;
  return Object.fromEntries([
    ...Object.entries(declaredInputs(kind, record.fields)),
    ...(bag ? [["properties", Object.fromEntries(free)] as const] : []),
  ]);
}

/** Inputs as expressions: ids of objects in the program become references. */
export const valuesOf = (kind: Kind, inputs: Values, refer: Refer): ReadonlyMap<string, Value> =>
  new Map(
    Object.entries(inputs).map(([at, value]) => [at, expression(kind.fields[at], value, refer)]),
  );

function expression(field: KindField | undefined, value: unknown, refer: Refer): Value {
  const kind = field?.references;
  if (kind === undefined) return { is: "literal", value };
  if (Array.isArray(value)) {
    return { is: "list", of: value.map((each: unknown) => expression(field, each, refer)) };
  }
  const place = typeof value === "string" ? refer(kind, value) : undefined;
  return place ? { is: "reference", kind, place } : { is: "literal", value };
}

/** Whether every text in a value can be written to a file and read back as it is. */
export function isWritable(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (Array.isArray(value)) return value.every(isWritable);
  if (!isRecord(value)) return true;
  return Object.entries(value).every(([key, inner]) => key.isWellFormed() && isWritable(inner));
}
