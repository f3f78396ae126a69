/** One definition per resource, of which types, diff, schemas, emulator and docs are made. */
import type { z } from "zod";

/** Whether the contract says it, or this project assumes it where the contract is silent. */
export type Source = "documented" | "assumed";

/** Who decides a value: the program must, the program may, or the service does. */
export type Use = "required" | "optional" | "output";

/** One field of a record, under the contract's own name (snake_case). */
export interface Field {
  readonly schema: z.ZodType;
  readonly use: Use;
  /** One sentence or two for every face's documentation. */
  readonly doc: string;
  readonly source: Source;
  /** Set on creation and never patched: a change replaces the object. */
  readonly immutable: boolean;
  /** Never shown in plain text. */
  readonly secret?: boolean;
  /**
   * A query parameter of the list operation: `equality` is plain equality on this field and may be
   * applied to a shared walk; `service` means only the service knows what it means.
   */
  readonly filter?: "equality" | "service";
  /** The resource whose id this field holds. */
  readonly references?: string;
  /** The referenced object can't be deleted while this one exists. */
  readonly restricts?: boolean;
  /** An array without order. */
  readonly unordered?: boolean;
  /** In an unordered array of objects, the member that identifies an element. */
  readonly key?: string;
  /** An output that is always there: every record has it, or the engine decides it. */
  readonly always?: boolean;
  /** A value for examples and documentation. */
  readonly example?: unknown;
}

type Extra = Partial<Omit<Field, "schema" | "use" | "doc" | "source">>;

const field =
  (use: Use) =>
  (source: Source, schema: z.ZodType, doc: string, extra?: Extra): Field => ({
    ...extra,
    immutable: extra?.immutable === true,
    schema,
    use,
    doc,
    source,
  });

/** A field that a program must give. */
export const required = field("required");
/** A field that a program may give; left out, it is not managed. */
export const optional = field("optional");
/** A field that only the service decides. */
export const output = field("output");

export type Fields = Readonly<Record<string, Field>>;

/** The four things that can be done to a collection. `list` is always there. */
export type OperationName = "create" | "list" | "update" | "delete";

/** A further query parameter of a list that is not a field of the record. */
export interface ListFilter {
  readonly source: Source;
  readonly doc: string;
  readonly schema: z.ZodType;
}

/** States that a record goes through, in its `status` field. */
export interface States {
  readonly source: Source;
  /** The state right after creation. */
  readonly initial: string;
  /** States in which the object is ready for use. */
  readonly ready: readonly string[];
  /** States from which it never becomes ready. */
  readonly failed: readonly string[];
  /** Other states that are known. */
  readonly other: readonly string[];
}

/** Which operations there are, and who says so. */
export type Operations = Readonly<Partial<Record<OperationName, Source>> & Record<"list", Source>>;

/** A kind of object that the service keeps, and what can be done with it. */
export interface Resource {
  /** Singular, snake_case: `api_key`. */
  readonly name: string;
  /** Plural, snake_case: `api_keys`. */
  readonly plural: string;
  /** Path of the list, below the base address. */
  readonly path: `/${string}`;
  readonly doc: string;
  /** Prefix of the ids that the emulator makes: `srv` in `srv_1`. */
  readonly idPrefix: string;
  /** An absent operation is one that the service does not offer. */
  readonly operations: Operations;
  readonly scopes: Readonly<Partial<Record<OperationName, { scope: string; source: Source }>>>;
  readonly fields: Fields;
  readonly filters?: Readonly<Record<string, ListFilter>>;
  /** Exactly one of these fields is given on creation. */
  readonly exactlyOne?: readonly string[];
  readonly states?: States;
  /** Events that the emulator sends: on creation done, on deletion, on a state. */
  readonly events?: Readonly<Record<string, string>>;
}

/** Has a definition checked by the compiler. */
export const resource = (definition: Resource): Resource => definition;

/** What the lists of all resources take (contract, part 4). `T` is a record of the list. */
export interface ListOptions<T> {
  /** First page, from 1; default 1. */
  page?: number;
  /** Items per page, 1 to 100; default 100, so that a list costs few calls. */
  perPage?: number;
  /** A field of the record, or another one that the service knows. Default: the service's, `createdAt`. */
  sort?: Exclude<keyof T & string, "properties"> | (string & Record<never, never>);
  /** Default: the service's, `desc`. */
  order?: "asc" | "desc";
}

export interface FilterParameter extends ListFilter {
  /** The contract's name. */
  readonly name: string;
  /** The field that it matches; undefined where it is not a field of the record. */
  readonly field: Field | undefined;
}

/** Filters of the list: fields, then others. */
export const listFiltersOf = ({ fields, filters = {} }: Resource): FilterParameter[] => [
  ...Object.entries(fields)
    .filter(([, { filter }]) => filter !== undefined)
    .map(([name, field]) => ({ ...field, name, field })),
  ...Object.entries(filters).map(([name, filter]) => ({ ...filter, name, field: undefined })),
];
