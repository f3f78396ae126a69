/** Schemas for all of `/_emulator`: the body of each call. */
import * as z from "zod";
import { DURATION_EXPECTED, DURATION_MAX_MS, dateBound, durationMs } from "../../provider/contract";
import { environments, eventNames, InvalidInput, keyClasses, parse } from "../../provider/contract";
import { parseApiKey } from "../../provider/contract";
import type { KeyClassName } from "../../provider/contract";
import { faultsSchema, means } from "../faults/effects";
import { KEY_LENGTH_MIN } from "../keys/secret";
import { isWebhookSecret, WEBHOOK_SECRET_EXPECTED } from "../webhooks/sign";

/** Reads input from outside; throws an InvalidInput that says what does not fit, and where. */
export function read<S extends z.ZodType>(subject: string, schema: S, value: unknown): z.output<S> {
  const result = parse(schema, value);
  if (result.success) return result.data;
  throw new InvalidInput(subject, result.issues);
}

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

/** `PUT /_emulator/clock`: a jump forward, by a duration or to a time, a new rate, or both. */
export const clockSchema = z
  .strictObject({
    advance: means(
      "How far to move the clock forward: a duration such as `90d`, or milliseconds.",
      durationSchema.optional(),
    ),
    now: means("A time or a date to move the clock to, not before its own.", dateBound.optional()),
    rate: means(
      "Emulated seconds per second; 0 stops the clock.",
      z.number().min(0).max(1_000_000).optional(),
    ),
  })
  .refine(({ advance, now, rate }) => [advance, now, rate].some((each) => each !== undefined), {
    error: "requires advance or now, rate or both",
  })
  .refine(({ advance, now }) => advance === undefined || now === undefined, {
    error: "takes advance or now, not both",
  });

/** What is said of a key value that the service could not have made. */
const KEY_EXPECTED =
  "must be an API key such as acme_test_0123456789abcdef: a prefix, live or test, and an identifier";

/** The value of a key that is set from outside. */
const keyValueSchema = z
  .string()
  .min(KEY_LENGTH_MIN)
  .max(256)
  .refine((value) => parseApiKey(value) !== undefined, { error: KEY_EXPECTED });

/** What is checked of the options of a start. */
export const optionsSchema = z.object({ adminKey: keyValueSchema.optional() });

const keyClassNames = Object.keys(keyClasses) as [KeyClassName, ...KeyClassName[]];

/** `POST /_emulator/keys`: the fields of a key by the contract, and these. */
export const newKeySchema = z.looseObject({
  environment: means(
    "`live` or `test`. Left out: as the value, or else as the first admin key.",
    z.enum(environments).optional(),
  ),
  key_class: means("Its rate limit, by default `--key-class`.", z.enum(keyClassNames).optional()),
  value: means("A fixed secret. Left out: a random one.", keyValueSchema.optional()),
  name: means("Label of the key.", z.string().min(1).default("key")),
  permissions: means("Scopes, wildcards or levels.", z.array(z.string()).min(1).default(["admin"])),
});

/** A key as the dashboard would create it. */
export type NewKeyInput = z.input<typeof newKeySchema>;

/**
 * `POST /_emulator/objects/{kind}`: one record or a list. `"odd": true` in one allows what the
 * service itself would never answer: missing fields, other types, references to nothing.
 */
export const newObjectsSchema = z.union(
  [z.record(z.string(), z.unknown()), z.array(z.record(z.string(), z.unknown())).max(OBJECTS_MAX)],
  { error: `must be one object or a list of at most ${OBJECTS_MAX}` },
);

/**
 * `PATCH /_emulator/objects/{kind}/{id}`: merged like a PATCH of the service; may set outputs but
 * the id; `"odd": true` as in POST.
 */
export const objectChangeSchema = z.record(z.string(), z.unknown());

/** `POST /_emulator/webhooks`. */
export const newWebhookSchema = z.strictObject({
  url: means("Where notifications go.", z.url({ protocol: /^https?$/ })),
  events: means("Which ones. Left out: every one.", z.array(z.enum(eventNames)).min(1).optional()),
  secret: means(
    "`whsec_` and base64 of at least 16 bytes. Left out: a random one.",
    z.string().refine(isWebhookSecret, { error: WEBHOOK_SECRET_EXPECTED }).optional(),
  ),
});

/** `POST /_emulator/webhooks/{id}/test`. */
export const testEventSchema = z.strictObject({
  event: means("Which event to send.", z.enum(eventNames).default("instance.deployed")),
});

/** `POST /_emulator/session`. */
export const sessionSchema = z.strictObject({
  key: means("An admin key. It is kept in memory, for as long as it is valid.", z.string().min(1)),
});

/** Query of `GET /_emulator/requests`: those after a `seq`. */
export const afterSchema = z.object({ after: z.coerce.number().int().min(0).default(0) });

/** Query of `GET /_emulator/objects/{kind}` for one page of a list. */
export const pageSchema = z.object({
  page: z.coerce.number().int().min(1).default(1),
  per_page: z.coerce.number().int().min(1).max(500),
  sort: z.string().min(1).default("created_at"),
  order: z.enum(["asc", "desc"]).default("desc"),
  /** What a value of the object contains, in upper or lower case. */
  text: z.string().default(""),
});

/** `--seed FILE`: objects by kind, in this order, and keys. */
export const seedSchema = z.strictObject({
  objects: z.record(z.string(), z.array(z.record(z.string(), z.unknown()))).default({}),
  keys: z.array(newKeySchema).default([]),
});
/** Contents of a seed file. */
export type Seed = z.input<typeof seedSchema>;

const cell = z.union([z.string(), z.number(), z.null(), z.strictObject({ base64: z.string() })]);
const row = z.record(z.string(), cell);

/** `PUT /_emulator/snapshot`: an answer of GET. */
export const snapshotSchema = z.strictObject({
  version: means("Version of the form, as GET answered it.", z.literal(1)),
  clock: means("Its time and rate.", z.strictObject({ nowMs: z.number(), rate: z.number() })),
  settings: means(
    "Which account it is a twin of, if any, and the first admin key.",
    z.partialRecord(z.enum(["twin_of", "admin_key_id"]), z.string()).default({}),
  ),
  tables: means("Everything that is stored.", z.record(z.string(), z.array(row))),
});
/** A snapshot as GET answers it. */
export type Snapshot = z.output<typeof snapshotSchema>;

/** Every call below `/_emulator`, with the schema of its body. */
export const controlCalls = {
  "GET /health": { doc: "Shows that the emulator runs, and its settings." },
  "GET /forms": { doc: "Describes kinds of objects, keys, webhooks and faults as JSON Schemas." },
  "GET /events": {
    doc: "Streams server-sent events that name what has changed; at most 50 streams.",
  },
  "POST /session": { doc: "Signs a page in with an admin key, by a cookie.", body: sessionSchema },
  "DELETE /session": { doc: "Signs a page out." },
  "GET /requests": {
    doc: "Lists requests, oldest first. Query: after (a seq), limit, text, bodies (false).",
  },
  "GET /requests/{seq}": { doc: "Shows one request." },
  "GET /requests/counts": {
    doc: "Counts requests by method and path, with their statuses. Query: after (a seq).",
  },
  "DELETE /requests": { doc: "Clears the list of requests." },
  "POST /reset": { doc: "Restores the initial state; the admin key is kept." },
  "GET /clock": { doc: "Shows the time and rate of the clock." },
  "PUT /clock": {
    doc: "Moves the clock forward, by a duration or to a time, or changes its rate.",
    body: clockSchema,
  },
  "GET /faults": { doc: "Lists faults, and how often they struck." },
  "PUT /faults": {
    doc: "Replaces all faults. Query: counts (kept: the same faults count on, else from 0).",
    body: faultsSchema,
  },
  "DELETE /faults": { doc: "Removes all faults." },
  "GET /limits": { doc: "Shows the rate limits of keys and what remains of them." },
  "GET /keys": { doc: "Lists keys, without their secrets." },
  "POST /keys": { doc: "Creates a key as the dashboard would.", body: newKeySchema },
  "POST /keys/{id}/rotate": { doc: "Rotates a key as the dashboard would." },
  "GET /webhooks": { doc: "Lists endpoints, without their secrets." },
  "POST /webhooks": { doc: "Registers an endpoint.", body: newWebhookSchema },
  "DELETE /webhooks/{id}": { doc: "Removes an endpoint." },
  "POST /webhooks/{id}/test": {
    doc: "Sends an event about objects that do not exist.",
    body: testEventSchema,
  },
  "POST /webhooks/{id}/enable": { doc: "Lets an endpoint that answered 410 receive events again." },
  "POST /webhooks/{id}/rotate-secret": {
    doc: "Gives an endpoint a new secret; for 24 hours the old one signs as well.",
  },
  "GET /webhooks/deliveries": { doc: "Lists messages and their attempts. Query: limit." },
  "POST /webhooks/deliveries/{seq}/redeliver": { doc: "Sends a message again, with the same id." },
  "GET /mails": { doc: "Lists mails about automatic rotations, with the new secrets." },
  "GET /snapshot": { doc: "Shows the whole state except requests, faults, webhooks and mails." },
  "PUT /snapshot": { doc: "Restores a state that GET showed.", body: snapshotSchema },
  "GET /objects": { doc: "Counts the objects of each kind." },
  "GET /objects/{kind}": {
    doc: "Lists the objects of a kind. Query: limit (the newest), or page, per_page, sort, order, text.",
  },
  "GET /objects/{kind}/{id}": { doc: "Shows one object." },
  "POST /objects/{kind}": {
    doc: 'Creates one object or a list, out of band. "odd": true in one allows any fields.',
    body: newObjectsSchema,
  },
  "PATCH /objects/{kind}/{id}": {
    doc: 'Changes an object out of band. "odd": true allows any fields but another id.',
    body: objectChangeSchema,
  },
  "DELETE /objects/{kind}/{id}": {
    doc: "Removes an object out of band, even if others refer to it.",
  },
} as const satisfies Record<string, { doc: string; body?: z.ZodType }>;
