/** What a program would write of an object that exists. */
import { isRecord, ownMember, shapeOf, type Shape, type Values } from "../contract";
import type { Kind } from "./define";

/**
 * The inputs that a program declares to have an object as it is: no secret, and nothing that means
 * the same as leaving it out. Free fields are left out too, because some are the service's own.
 */
export function declaredInputs(kind: Kind, shown: Values): Values {
  const inputs = kind.inputs.flatMap(([name, field]) => {
    if (field.origin !== "service" || field.secret === true) return [];
    const value = knownPart(shown[name], shapeOf(field.schema));
    const isNothing = value === undefined || (field.use === "optional" && isDefault(value));
    return isNothing ? [] : [[name, value] as const];
  });
  // Of fields that exclude each other the first: the service may show what follows from it as well.
  const [, ...others] = inputs.filter(([name]) => kind.exactlyOne?.includes(name));
  return Object.fromEntries(inputs.filter((each) => !others.includes(each)));
}

/** What is the same as leaving it out: nobody would write it. */
const isDefault = (value: unknown): boolean =>
  value === false ||
  value === "" ||
  (Array.isArray(value) && value.length === 0) ||
  (isRecord(value) && Object.keys(value).length === 0);

/** The part of a value that the definition knows: the service may show more of an object. */
function knownPart(value: unknown, shape: Shape): unknown {
  if (value === undefined || value === null) return undefined;
  if (shape.kind === "list" && Array.isArray(value)) {
    return value.map((each: unknown) => knownPart(each, shape.of));
  }
  if (shape.kind !== "object" || !isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(shape.fields).flatMap(([name, member]) => {
      const inner = knownPart(ownMember(value, name), member.shape);
      return inner === undefined ? [] : [[name, inner] as const];
    }),
  );
}
