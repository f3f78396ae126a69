/**
 * How a resource of the service is written down: one definition, from which the client's types, the
 * engine's diff, every face's schema, the emulator and the documentation are derived.
 */
import type { z } from "zod";

/** Whether the contract says it, or this project assumes it where the contract is silent. */
export type Source = "documented" | "assumed";

/** Who decides a value: the program must, the program may, or the service does. */
export type Use = "required" | "optional" | "output";

/** One field of a record, under the contract's own name (snake_case). */
export interface Field<
  S extends z.ZodType = z.ZodType,
  U extends Use = Use,
  I extends boolean = boolean,
> {
  readonly schema: S;
  readonly use: U;
  /** One sentence or two for every face's documentation. */
  readonly doc: string;
  readonly source: Source;
  /** Set on creation and never patched: a change replaces the object. */
  readonly immutable: I;
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
type Made<S extends z.ZodType, U extends Use, E extends Extra> = Field<
  S,
  U,
  E["immutable"] extends true ? true : false
> &
  // The filter stays in the type, so that the list knows its parameters.
  Pick<E, Extract<keyof E, "filter">>;

const field =
  <const U extends Use>(use: U) =>
  <S extends z.ZodType, const E extends Extra = Record<never, never>>(
    source: Source,
    schema: S,
    doc: string,
    extra?: E,
  ) =>
    // Made<> says what TypeScript can't see: `immutable` follows from E.
    ({ ...extra, immutable: extra?.immutable === true, schema, use, doc, source }) as Made<S, U, E>;

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

export type ListFilters = Readonly<Record<string, ListFilter>>;

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
export type Operations = Readonly<Partial<Record<OperationName, Source>>>;

/** A kind of object that the service keeps, and what can be done with it. */
export interface Resource<
  N extends string = string,
  F extends Fields = Fields,
  P extends string = string,
  O extends Operations = Operations,
  L extends ListFilters = ListFilters,
> {
  /** Singular, snake_case: `api_key`. */
  readonly name: N;
  /** Plural, snake_case: `api_keys`. */
  readonly plural: P;
  /** Path of the list, below the base address. */
  readonly path: `/${string}`;
  readonly doc: string;
  /** Prefix of the ids that the emulator makes: `srv` in `srv_1`. */
  readonly idPrefix: string;
  /** An absent operation is one that the service does not offer. */
  readonly operations: O;
  /** Scopes per operation. */
  readonly scopes: Readonly<Partial<Record<OperationName, { scope: string; source: Source }>>>;
  readonly fields: F;
  readonly filters?: ListFilters;
  /** Never set; it carries the names of `filters` to the types that are inferred. */
  readonly filterTypes?: L;
  /** Exactly one of these fields is given on creation. */
  readonly exactlyOne?: readonly string[];
  readonly states?: States;
  /** Events that the emulator sends: on creation done, on deletion, on a state. */
  readonly events?: Readonly<Record<string, string>>;
}

export const resource = <
  const N extends string,
  F extends Fields,
  const P extends string,
  const O extends Operations,
  const L extends ListFilters = Record<never, never>,
>(
  definition: Resource<N, F, P, O, L> & { readonly filters?: L },
): Resource<N, F, P, O, L> => definition;

/** `server_id` → `serverId`, in types. */
export type Camel<S extends string> = S extends `${infer A}_${infer B}`
  ? `${A}${Capitalize<Camel<B>>}`
  : S;

/** Renames keys all the way down; a free map keeps its own. */
export type CamelDeep<T> = T extends readonly (infer E)[]
  ? CamelDeep<E>[]
  : T extends object
    ? string extends keyof T
      ? T
      : { [K in keyof T as K extends string ? Camel<K> : K]: CamelDeep<T[K]> }
    : T;
export type Flat<T> = { [K in keyof T]: T[K] };
type Only<F extends Fields, U extends Use, I extends boolean = boolean> = {
  [K in keyof F as F[K] extends Field<z.ZodType, U, I> ? K : never]: z.output<F[K]["schema"]>;
};
/** What every record has besides its fields. @public Named in the declarations of programs. */
export interface Free {
  /** Wire fields that no typed field owns; only keys set here are compared. */
  properties?: Record<string, unknown>;
}

/** What a program passes to create one. */
export type CreateInput<R extends Resource> = Flat<
  CamelDeep<Only<R["fields"], "required"> & Partial<Only<R["fields"], "optional">>> & Free
>;
/** What may be patched. */
export type UpdateInput<R extends Resource> = Flat<
  CamelDeep<Partial<Only<R["fields"], "required" | "optional", false>>> & Free
>;
/** What the service answered; only `id` is sure to be there. */
export type Item<R extends Resource> = Flat<
  { id: string } & CamelDeep<Partial<Omit<Only<R["fields"], Use>, "id">>> & Required<Free>
>;
/** The filters of a list. */
export type Filter<R extends Resource> = Flat<
  CamelDeep<{
    -readonly [
      K in keyof R["fields"] as R["fields"][K] extends { readonly filter: string } ? K : never
    ]?: z.output<R["fields"][K]["schema"]>;
  }> & {
    [K in keyof NonNullable<R["filterTypes"]> as K extends string ? Camel<K> : never]?: string;
  }
>;
