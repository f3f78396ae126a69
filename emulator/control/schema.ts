/** One schema for all of `/_emulator`: what each of its calls takes. */
import { z } from "zod";
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

/** A text such as `90d`, or milliseconds. */
const durationSchema = z.union([
  z.number().min(0).max(DURATION_MAX_MS),
  z.string().transform((text, context) => {
    const ms = durationMs(text);
    if (ms !== undefined) return ms;
    context.addIssue({ code: "custom", message: DURATION_EXPECTED });
    return z.NEVER;
  }),
]);

/** `PUT /_emulator/clock`: a jump forward, another rate, or both. */
export const clockSchema = z
  .strictObject({
    advance: durationSchema.optional(),
    /** Emulated seconds per real second; 0 stands still. */
    rate: z.number().min(0).max(1_000_000).optional(),
  })
  .refine(({ advance, rate }) => advance !== undefined || rate !== undefined, {
    error: "give advance, rate or both",
  });

const keyClassNames = Object.keys(keyClasses) as [KeyClassName, ...KeyClassName[]];

/** `POST /_emulator/keys`: the contract's fields of a key, and these. */
export const newKeySchema = z.looseObject({
  environment: z.enum(environments).default("test"),
  key_class: z.enum(keyClassNames).optional(),
  /** A fixed secret; default: a random one. */
  value: z.string().min(16).max(256).regex(/^\S+$/).optional(),
  name: z.string().min(1).default("key"),
  permissions: z.array(z.string()).min(1).default(["admin"]),
});

/** `POST /_emulator/objects/{kind}`: one record or a list. What a kind requires is not checked. */
export const newObjectsSchema = z.union([
  z.record(z.string(), z.unknown()),
  z.array(z.record(z.string(), z.unknown())).max(100_000),
]);

/** `PATCH /_emulator/objects/{kind}/{id}`: merged like a PATCH of the service, outputs included. */
export const objectChangeSchema = z.record(z.string(), z.unknown());

/** `POST /_emulator/webhooks`. */
export const newWebhookSchema = z.strictObject({
  url: z.url({ protocol: /^https?$/ }),
  /** Default: every event. */
  events: z.array(z.enum(eventNames)).min(1).optional(),
  /** `whsec_` and base64 of 24 to 64 bytes; default: a random one. */
  secret: z
    .string()
    .regex(/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/)
    .optional(),
});

/** `--seed FILE`: objects by kind, in this order, and keys. */
export const seedSchema = z.strictObject({
  objects: z.record(z.string(), z.array(z.record(z.string(), z.unknown()))).default({}),
  keys: z.array(newKeySchema).default([]),
});
export type Seed = z.input<typeof seedSchema>;

const cell = z.union([z.string(), z.number(), z.null(), z.strictObject({ base64: z.string() })]);

/** `PUT /_emulator/snapshot`: what GET answered. */
export const snapshotSchema = z.strictObject({
  version: z.literal(1),
  clock: z.strictObject({ nowMs: z.number(), rate: z.number() }),
  tables: z.record(z.string(), z.array(z.record(z.string(), cell))),
});
export type Snapshot = z.output<typeof snapshotSchema>;

/** Every call below `/_emulator`, with the schema of its body. */
export const controlCalls = {
  "GET /health": { doc: "Whether it runs, and how it was started." },
  "GET /requests": { doc: "The journal. Query: after (a seq), limit." },
  "DELETE /requests": { doc: "Empties the journal." },
  "POST /reset": { doc: "State as after the start; the admin key stays." },
  "GET /clock": { doc: "Time and rate." },
  "PUT /clock": { doc: "Jumps forward or changes the rate.", body: clockSchema },
  "GET /faults": { doc: "Faults, and how often they struck." },
  "PUT /faults": { doc: "Puts these faults in place of the old ones.", body: faultsSchema },
  "DELETE /faults": { doc: "No faults." },
  "GET /limits": { doc: "Where keys stand in their rate windows." },
  "GET /keys": { doc: "Keys, without their secrets." },
  "POST /keys": { doc: "Creates a key as the dashboard would.", body: newKeySchema },
  "GET /webhooks": { doc: "Endpoints, without their secrets." },
  "POST /webhooks": { doc: "Registers an endpoint.", body: newWebhookSchema },
  "DELETE /webhooks/{id}": { doc: "Removes an endpoint." },
  "GET /webhooks/deliveries": { doc: "Messages and their attempts." },
  "GET /snapshot": { doc: "The whole state but journal, faults and webhooks." },
  "PUT /snapshot": { doc: "Restores such a state.", body: snapshotSchema },
  "GET /objects": { doc: "How many there are of each kind." },
  "GET /objects/{kind}": { doc: "All of a kind. Query: limit, the newest." },
  "POST /objects/{kind}": { doc: "Creates out of band, one or a list.", body: newObjectsSchema },
  "PATCH /objects/{kind}/{id}": { doc: "Changes out of band.", body: objectChangeSchema },
  "DELETE /objects/{kind}/{id}": { doc: "Removes out of band, whatever needs it." },
} as const satisfies Record<string, { doc: string; body?: z.ZodType }>;
