/** Schemas for all of `/_emulator`: the body of each call. */
import * as z from "zod";
import {
  DURATION_EXPECTED,
  DURATION_MAX_MS,
  durationMs,
  environments,
  eventNames,
  keyClasses,
  type KeyClassName,
} from "../../provider/contract";
import { faultsSchema } from "../faults/effects";

/** Objects that one call creates at most. */
const OBJECTS_MAX = 100_000;

/** A duration such as `90d`, or milliseconds. */
const durationSchema = z
  .union([z.number().min(0).max(DURATION_MAX_MS), z.string()], { error: DURATION_EXPECTED })
  .transform((value, context) => {
    const ms = typeof value === "string" ? durationMs(value) : value;
    if (ms !== undefined) return ms;
    context.addIssue({ code: "custom", message: DURATION_EXPECTED });
    return z.NEVER;
  });

/** `PUT /_emulator/clock`: a jump forward, a new rate, or both. */
export const clockSchema = z
  .strictObject({
    advance: durationSchema.optional(),
    /** Emulated seconds per real second; 0 stops the clock. */
    rate: z.number().min(0).max(1_000_000).optional(),
  })
  .refine(({ advance, rate }) => advance !== undefined || rate !== undefined, {
    error: "requires advance, rate or both",
  });

const keyClassNames = Object.keys(keyClasses) as [KeyClassName, ...KeyClassName[]];

/** `POST /_emulator/keys`: the fields of a key by the contract, and these. */
export const newKeySchema = z.looseObject({
  environment: z.enum(environments).default("test"),
  key_class: z.enum(keyClassNames).optional(),
  /** A fixed secret; default: a random one. */
  value: z.string().min(16).max(256).regex(/^\S+$/, "must not contain spaces").optional(),
  name: z.string().min(1).default("key"),
  permissions: z.array(z.string()).min(1).default(["admin"]),
});

/** `POST /_emulator/objects/{kind}`: one record or a list. Required fields may be missing. */
export const newObjectsSchema = z.union(
  [z.record(z.string(), z.unknown()), z.array(z.record(z.string(), z.unknown())).max(OBJECTS_MAX)],
  { error: `must be one object or a list of at most ${OBJECTS_MAX}` },
);

/** `PATCH /_emulator/objects/{kind}/{id}`: merged like a PATCH of the service; may set outputs. */
export const objectChangeSchema = z.record(z.string(), z.unknown());

/** `POST /_emulator/webhooks`. */
export const newWebhookSchema = z.strictObject({
  url: z.url({ protocol: /^https?$/ }),
  /** Default: every event. */
  events: z.array(z.enum(eventNames)).min(1).optional(),
  /** `whsec_` and base64 of 24 to 64 bytes; default: a random one. */
  secret: z
    .string()
    .regex(
      /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/,
      "must be whsec_ followed by 24 to 64 bytes in base64",
    )
    .optional(),
});

/** `--seed FILE`: objects by kind, in this order, and keys. */
export const seedSchema = z.strictObject({
  objects: z.record(z.string(), z.array(z.record(z.string(), z.unknown()))).default({}),
  keys: z.array(newKeySchema).default([]),
});
/** Contents of a seed file. */
export type Seed = z.input<typeof seedSchema>;

const cell = z.union([z.string(), z.number(), z.null(), z.strictObject({ base64: z.string() })]);

/** `PUT /_emulator/snapshot`: an answer of GET. */
export const snapshotSchema = z.strictObject({
  version: z.literal(1),
  clock: z.strictObject({ nowMs: z.number(), rate: z.number() }),
  tables: z.record(z.string(), z.array(z.record(z.string(), cell))),
});
/** A snapshot as GET answers it. */
export type Snapshot = z.output<typeof snapshotSchema>;

/** Every call below `/_emulator`, with the schema of its body. */
export const controlCalls = {
  "GET /health": { doc: "Shows that the emulator runs, and its settings." },
  "GET /requests": { doc: "Lists requests, oldest first. Query: after (a seq), limit." },
  "DELETE /requests": { doc: "Clears the list of requests." },
  "POST /reset": { doc: "Restores the initial state; the admin key is kept." },
  "GET /clock": { doc: "Shows the time and rate of the clock." },
  "PUT /clock": { doc: "Moves the clock forward or changes its rate.", body: clockSchema },
  "GET /faults": { doc: "Lists faults, and how often they struck." },
  "PUT /faults": { doc: "Replaces all faults.", body: faultsSchema },
  "DELETE /faults": { doc: "Removes all faults." },
  "GET /limits": { doc: "Shows the rate limits of keys and what remains of them." },
  "GET /keys": { doc: "Lists keys, without their secrets." },
  "POST /keys": { doc: "Creates a key as the dashboard would.", body: newKeySchema },
  "GET /webhooks": { doc: "Lists endpoints, without their secrets." },
  "POST /webhooks": { doc: "Registers an endpoint.", body: newWebhookSchema },
  "DELETE /webhooks/{id}": { doc: "Removes an endpoint." },
  "GET /webhooks/deliveries": { doc: "Lists messages and their attempts. Query: limit." },
  "GET /snapshot": { doc: "Shows the whole state except requests, faults and webhooks." },
  "PUT /snapshot": { doc: "Restores a state that GET showed.", body: snapshotSchema },
  "GET /objects": { doc: "Counts the objects of each kind." },
  "GET /objects/{kind}": { doc: "Lists the objects of a kind. Query: limit (the newest)." },
  "POST /objects/{kind}": {
    doc: "Creates one object or a list, out of band.",
    body: newObjectsSchema,
  },
  "PATCH /objects/{kind}/{id}": { doc: "Changes an object out of band.", body: objectChangeSchema },
  "DELETE /objects/{kind}/{id}": {
    doc: "Removes an object out of band, even if others refer to it.",
  },
} as const satisfies Record<string, { doc: string; body?: z.ZodType }>;
