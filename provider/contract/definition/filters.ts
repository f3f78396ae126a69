/** What a list of a resource can be narrowed by. */
import type { z } from "zod";
import type { Field, Resource, Source } from "./define";

/** One query parameter of a list. */
export interface FilterParameter {
  /** The contract's name. */
  readonly name: string;
  readonly source: Source;
  readonly doc: string;
  readonly schema: z.ZodType;
  /** The field that it matches; undefined where it is not a field of the record. */
  readonly field: Field | undefined;
}

/** Filters of the list: fields, then others. */
export const listFiltersOf = (resource: Resource): readonly FilterParameter[] => [
  ...Object.entries(resource.fields)
    .filter(([, field]) => field.filter !== undefined)
    .map(([name, field]) => ({ name, ...about(field), field })),
  ...Object.entries(resource.filters ?? {}).map(([name, filter]) => ({
    name,
    ...about(filter),
    field: undefined,
  })),
];

const about = ({ source, doc, schema }: Omit<FilterParameter, "name" | "field">) => ({
  source,
  doc,
  schema,
});
