/** What a fault does, and when: the schema of `PUT /_emulator/faults`. */
import { z } from "zod";

const ms = z.number().min(0).max(600_000);

/** Each effect with its options; members are under the names that the JSON has. */
const effects = [
  z.strictObject({
    type: z.literal("status").describe("Answers an error without doing anything."),
    status: z.int().min(400).max(599),
    /** Default: the contract's code of that status, else `internal_error`. */
    code: z.string().min(1).optional(),
    message: z.string().optional(),
    /** Seconds, in `error.retry_after` and the header. */
    retry_after: z.int().min(0).optional(),
  }),
  z.strictObject({
    type: z.literal("delay").describe("Holds the request or, `after`, its answer."),
    ms: ms.default(1_000),
    when: z.enum(["before", "after"]).default("before"),
  }),
  z.strictObject({
    type: z.literal("reset-before").describe("Cuts the connection without doing anything."),
  }),
  z.strictObject({
    type: z.literal("reset-after").describe("Does the work and cuts the connection."),
  }),
  z.strictObject({
    type: z.literal("truncate").describe("Does the work and cuts the answer short."),
    /** Bytes of the body that are sent; default: half of it. */
    bytes: z.int().min(0).optional(),
  }),
  z.strictObject({
    type: z.literal("html-502").describe("Answers as a gateway would: 502 with HTML."),
  }),
  z.strictObject({
    type: z.literal("bare-429").describe("Answers 429 without body and headers."),
  }),
  z.strictObject({
    type: z.literal("shift-pages").describe("Shows pages from 2 on as if items before had gone."),
    /** Items that are skipped; negative: shown again. */
    by: z.int().min(-100).max(100).default(1),
  }),
  z.strictObject({
    type: z.literal("ignore-order").describe("Orders lists by created_at, whatever was asked."),
    order: z.enum(["asc", "desc", "random"]).default("desc"),
  }),
  z.strictObject({
    type: z.literal("tie-shuffle").describe("Items with equal sort values in a random order."),
  }),
  z.strictObject({
    type: z.literal("list-lag").describe("Lists as they were so many real milliseconds ago."),
    ms: ms.default(2_000),
  }),
  z.strictObject({
    type: z.literal("clamp-per-page").describe("Fewer items per page than asked."),
    max: z.int().min(1).max(100).default(50),
    /** Whether `pagination` says so; false: it repeats what was asked. */
    echo: z.boolean().default(true),
  }),
  z.strictObject({
    type: z
      .literal("normalise")
      .describe(
        "Stores other values: text trimmed and lower-cased, arrays sorted, defaults added.",
      ),
  }),
  z.strictObject({
    type: z.literal("replay-500").describe("Answers 500 and keeps it for the idempotency key."),
    /** Whether the work is done all the same. */
    applied: z.boolean().default(false),
  }),
  z.strictObject({
    type: z.literal("provision").describe("How a created object becomes ready."),
    outcome: z.enum(["ready", "failed", "never"]).default("failed"),
    /** By the emulator's clock; default: as `--provision-ms` says. */
    ms: z.number().min(0).optional(),
  }),
] as const;

const effectSchema = z.discriminatedUnion("type", effects);

/** An effect with its options filled in. */
export type Effect = z.output<typeof effectSchema>;
export type EffectName = Effect["type"];

/** An effect's name alone takes its defaults. */
const anyEffect = z.preprocess(
  (value) => (typeof value === "string" ? { type: value } : value),
  effectSchema,
);

export const faultSchema = z
  .strictObject({
    match: z
      .strictObject({
        method: z.string().optional(),
        /**
         * Below the base address: a glob (`/servers/*`, `**` crosses segments) or, from `^`, a
         * regular expression.
         */
        path: z.string().optional(),
        /** Query parameters that must have these values. */
        query: z.record(z.string(), z.string()).optional(),
      })
      .default({}),
    /** Matching requests that are left alone first. */
    skip: z.int().min(0).default(0),
    /** Only the first so many. */
    times: z.int().min(1).optional(),
    /** Only every so manieth. */
    every: z.int().min(1).optional(),
    /** Each with this chance. */
    probability: z.number().min(0).max(1).optional(),
    effect: anyEffect,
  })
  .refine(
    ({ times, every, probability }) =>
      [times, every, probability].filter((each) => each !== undefined).length <= 1,
    "give one of times, every and probability at most",
  );

export const faultsSchema = z.array(faultSchema).max(100);

/** What a caller may give. The effect's own members are checked by the schema. */
export type FaultInput = Omit<z.input<typeof faultSchema>, "effect"> & {
  readonly effect: EffectName | z.input<typeof effectSchema>;
};
export type Fault = z.output<typeof faultSchema>;

/** The first effect of a type among those of a request. */
export const effectOf = <N extends EffectName>(
  list: readonly Effect[],
  type: N,
): Extract<Effect, { type: N }> | undefined =>
  list.find((effect): effect is Extract<Effect, { type: N }> => effect.type === type);
