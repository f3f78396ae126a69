/**
 * The infrastructure-as-code reading of the contract: what a program may declare of a resource
 * beyond the service's own fields, and how its life goes. What can be derived is derived.
 */
import * as z from "zod";
import { optional, output, pascal, period } from "../contract";
import type { Field, Fields, Resource, ResourceName } from "../contract";

/** Where a field's value goes and comes from. */
export type Origin = "service" | "option" | "engine";
export type KindField = Field & { readonly origin: Origin };

/** What a file in `readings/` says about a kind; everything has a default. */
export interface Reading {
  /** Name of the kind; a contract resource's name, or a kind of its own. */
  readonly name: string;
  /** For a kind that is not a resource of the contract. */
  readonly doc?: string;
  /** Declared by the program, never sent to the service. */
  readonly options?: Fields;
  /** Decided by the engine. */
  readonly outputs?: Fields;
  /** Options whose change forces replacement. */
  readonly replaceOn?: readonly string[];
  /** An object that the service no longer has: created again, or kept in state as expired. */
  readonly whenGone?: "create" | "expire";
  /** Rotates a key that is created here, with its line, or one that already exists. */
  readonly rotates?: "own-key" | "existing-key";
  /** A backup is taken before this field changes, where the option asks for it. */
  readonly backupBefore?: { readonly field: string; readonly option: string };
  /** Whether `deletion_protection` is offered; default: where the kind has states and a delete. */
  readonly protectable?: boolean;
}

/** A kind of object that programs declare. */
export interface Kind {
  readonly name: string;
  /** `ApiKey`. */
  readonly title: string;
  readonly doc: string;
  /** The contract resource behind it, if any. */
  readonly resource: ResourceName | undefined;
  /** All fields but `id`, by name: the service's, the options, the engine's outputs. */
  readonly fields: Readonly<Record<string, KindField>>;
  /** Those of them that a program may set. */
  readonly inputs: readonly (readonly [name: string, field: KindField])[];
  /** Exactly one of these must be given; undefined: no such choice. */
  readonly exactlyOne: readonly string[] | undefined;
  readonly reading: Reading;
}

const freeMap = z.record(z.string(), z.unknown());

/** Options that many kinds share, for readings. */
export const triggers = (what: string) =>
  optional("assumed", z.record(z.string(), z.string()), `Changing any value here ${what}.`, {
    example: { release: "2026-01" },
  });
export const rotateAfter = optional(
  "assumed",
  period,
  "Rotates the key when this many days have passed since its last rotation, by the service's clock as of the last refresh.",
  { example: "90d" },
);
export const recipient = optional(
  "assumed",
  z.string().regex(/^age1[02-9ac-hj-np-z]{58}$/, "must be an age public key, age1…"),
  "Age public key that new secrets are encrypted to. Only `encrypted_value` is then kept, and no state holds the plain secret. Changing it rotates the key.",
  { example: "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p" },
);
export const allowSelfRotation = optional(
  "assumed",
  z.boolean(),
  "Allows rotating the key this run authenticates with; the run switches to the new key.",
);

/** What every rotating kind shows. */
export const rotationOutputs = {
  current_key_id: output("assumed", z.string(), "Id of the key in use.", { always: true }),
  value: output(
    "documented",
    z.string(),
    "The secret. Absent if there is a recipient, and after an import.",
    { secret: true },
  ),
  encrypted_value: output(
    "assumed",
    z.string(),
    "The secret, encrypted to the recipient, in ASCII-armored age format.",
  ),
  rotated_at: output(
    "assumed",
    z.string(),
    "When the current key was created, by the service's clock.",
    { always: true },
  ),
  rotation_due: output(
    "assumed",
    z.boolean(),
    "Whether `rotate_after` had passed when the state was last read; the next update then rotates the key.",
    { always: true },
  ),
  previous_key_expires_at: output("assumed", z.string(), "When the previous key stops working."),
} as const satisfies Fields;

export function kindOf(resource: Resource | undefined, reading: Reading): Kind {
  const name = reading.name;
  const states = resource?.states;
  const protectable =
    reading.protectable ?? (states !== undefined && resource?.operations.delete !== undefined);
  const common: Fields = {
    ...(resource && {
      properties: optional(
        "assumed",
        freeMap,
        "Further fields of the service, sent unchanged under their own names. Only the keys set here are compared. A key that is left out again stays as it is in the service, and is no longer managed; set it to null to clear it.",
        { example: { region: "eu-central" } },
      ),
      secret_properties: optional("assumed", freeMap, "Like `properties`, for secret values.", {
        secret: true,
      }),
    }),
    ...(states && {
      wait: optional(
        "assumed",
        z.boolean(),
        "Whether to wait until the object is ready; default true. An update waits only for an object that was ready before. A wait that times out is a warning, and the run succeeds.",
      ),
      ready_states: optional(
        "assumed",
        z.array(z.string().min(1)).min(1),
        `States that count as ready; default ${states.ready.join(", ")}.`,
        { unordered: true },
      ),
    }),
    ...(protectable && {
      deletion_protection: optional(
        "assumed",
        z.boolean(),
        "Whether deleting and replacing the object is refused; default false. It is kept in the state alone: the service does not know of it, and other people and other states are not stopped.",
      ),
    }),
  };
  const options = { ...common, ...reading.options };
  const engine = reading.outputs ?? {};
  const service = Object.fromEntries(
    Object.entries(resource?.fields ?? {}).filter(
      ([field]) => field !== "id" && !(field in engine),
    ),
  );
  const clash = Object.keys(options).find((option) => option in service);
  if (clash !== undefined)
    throw new Error(`${name}: the option ${clash} hides a field of the service`);
  const fields = {
    ...mark(service, "service"),
    ...mark(options, "option"),
    ...mark(engine, "engine"),
  };
  return {
    name,
    title: pascal(name),
    doc: resource?.doc ?? reading.doc ?? "",
    // Kinds of the contract are made from the table that ResourceName is derived from.
    resource: resource?.name as ResourceName | undefined,
    fields,
    inputs: Object.entries(fields).filter(([, { use }]) => use !== "output"),
    exactlyOne: resource?.exactlyOne,
    reading,
  };
}

const mark = (fields: Fields, origin: Origin): Record<string, KindField> =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, { ...field, origin }]));
