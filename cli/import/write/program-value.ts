/** Values as programs in camelCase write them. */
import { camel, toCamel } from "../../../provider/contract";
import type { Kind } from "../../../provider/resources";

/** A field's value with its members under a program's names; free maps keep theirs. */
export const programValue = (kind: Kind, field: string, value: unknown): unknown =>
  toCamel(kind.fields, { [field]: value })[camel(field)];
