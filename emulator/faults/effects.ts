/** What a fault does, and when: the schema of `PUT /_emulator/faults`. */
import * as z from "zod";

/** A member with what it means, for pages and the reference. */
export const means = <S extends z.ZodType>(doc: string, schema: S): S => schema.describe(doc);

const ms = z.number().min(0).max(600_000);

/** An effect by its name, with its options, named as in the JSON. */
const effect = <N extends string, O extends z.ZodRawShape>(type: N, doc: string, options: O) =>
  z.strictObject({ type: means(doc, z.literal(type)) }).extend(options);

const effects = [
  effect("status", "Answers with an error without doing anything.", {
    status: means("The HTTP status.", z.int().min(400).max(599)),
    code: means("By default the contract's for that status.", z.string().min(1).optional()),
    message: means("The text of the error.", z.string().optional()),
    retry_after: means("Seconds, in the body and in `Retry-After`.", z.int().min(0).optional()),
  }),
  effect("delay", "Holds the request or, with `after`, its answer.", {
    ms: means("How long, in milliseconds.", ms.default(1_000)),
    when: means("Before the work, or after it.", z.enum(["before", "after"]).default("before")),
  }),
  effect("reset-before", "Resets the connection without doing anything.", {}),
  effect("reset-after", "Does the work, then resets the connection.", {}),
  effect("truncate", "Does the work, then sends part of the answer and closes the connection.", {
    bytes: means("Bytes of the body; by default half of it.", z.int().min(0).optional()),
  }),
  effect("html-502", "Answers like a gateway: 502 with HTML.", {}),
  effect("bare-429", "Answers 429 without body or headers.", {}),
  effect("shift-pages", "Shows pages from 2 on as if earlier items had been deleted.", {
    by: means("Items that are skipped; negative: repeated.", z.int().min(-100).max(100).default(1)),
  }),
  effect("ignore-order", "Orders lists by created_at, whatever the request asks for.", {
    order: means("How lists are ordered.", z.enum(["asc", "desc", "random"]).default("desc")),
  }),
  effect("tie-shuffle", "Puts items with equal sort values in random order.", {}),
  effect("list-lag", "Shows lists as they were `ms` real milliseconds ago.", {
    ms: means("How far behind, in milliseconds.", ms.default(2_000)),
  }),
  effect("clamp-per-page", "Limits the items per page.", {
    max: means("Items per page at most.", z.int().min(1).max(100).default(50)),
    echo: means("Whether `pagination` shows that size.", z.boolean().default(true)),
  }),
  effect(
    "normalise",
    "Normalises what it stores: trims and lower-cases text, sorts arrays, adds defaults.",
    {},
  ),
  effect("replay-500", "Answers 500 and replays that for the idempotency key.", {
    applied: means("Whether the work is done nevertheless.", z.boolean().default(false)),
  }),
  effect("provision", "How an object that is created, or changed, becomes ready.", {
    outcome: means("How it ends.", z.enum(["ready", "failed", "never"]).default("failed")),
    ms: means(
      "After how many milliseconds of the emulator's clock; by default `--provision-ms`.",
      z.number().min(0).optional(),
    ),
  }),
] as const;

const effectNames = effects.map(({ shape }) => shape.type.value);
const effectSchema = z.discriminatedUnion("type", effects, {
  error: `must be one of ${effectNames.join(", ")}`,
});

export type Effect = z.output<typeof effectSchema>;
export type EffectName = Effect["type"];

/** The name of an effect alone is that effect with its defaults. */
const anyEffect = z.preprocess(
  (value) => (typeof value === "string" ? { type: value } : value),
  effectSchema,
);

/** One fault: which requests it strikes, how often, and with what effect. */
export const faultSchema = z
  .strictObject({
    match: means(
      "`method`, `path` below the base address (a glob such as `/servers/*`, where `**` crosses segments, or a regular expression from `^`), and `query`. Left out: every request.",
      z
        .strictObject({
          method: z.string().optional(),
          path: z.string().optional(),
          query: z.record(z.string(), z.string()).optional(),
        })
        .default({}),
    ),
    skip: means("Matching requests that are spared first.", z.int().min(0).default(0)),
    times: means("Strikes only the first n.", z.int().min(1).optional()),
    every: means("Strikes only every n-th.", z.int().min(1).optional()),
    probability: means("Strikes each with this probability.", z.number().min(0).max(1).optional()),
    effect: anyEffect,
  })
  .refine(
    ({ times, every, probability }) =>
      [times, every, probability].filter((each) => each !== undefined).length <= 1,
    "accepts at most one of times, every and probability",
  );

/** `PUT /_emulator/faults`: all faults, replacing the previous ones. */
export const faultsSchema = z.array(faultSchema).max(100);

/** A fault as callers write it: with the defaults left out, the effect possibly just a name. */
export type FaultInput = Omit<z.input<typeof faultSchema>, "effect"> & {
  readonly effect: EffectName | z.input<typeof effectSchema>;
};
export type Fault = z.output<typeof faultSchema>;

export const effectOf = <N extends EffectName>(
  list: readonly Effect[],
  type: N,
): Extract<Effect, { type: N }> | undefined =>
  list.find((effect): effect is Extract<Effect, { type: N }> => effect.type === type);
