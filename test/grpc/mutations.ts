/** Message tables with one mistake each, to prove that a comparison would find it. */
import type { Message } from "../../provider/grpc";

type Field = Message<unknown>["fields"][number];
type Type = Field[1][1];

const OTHER_TYPES: readonly Type[] = ["string", "bytes", "bool", "integer", "double"];

/** Every table that differs from this one in one number, type or name of a field. */
export function mutations(table: Message<unknown>): Message<unknown>[] {
  return table.fields.flatMap((field, index) =>
    mistakes(field).map((mistake) => {
      const fields = table.fields.with(index, mistake);
      return { fields, byNumber: new Map(fields.map((each) => [each[1][0], each])) };
    }),
  );
}

function mistakes([name, [number, type, label]]: Field): Field[] {
  const spec = (changed: number, other: Type): Field => [
    name,
    label ? [changed, other, label] : [changed, other],
  ];
  return [
    spec(number + 1, type),
    spec(number + 100, type),
    ...OTHER_TYPES.filter((other) => other !== type).map((other) => spec(number, other)),
    [`${name}_other`, label ? [number, type, label] : [number, type]],
  ];
}
