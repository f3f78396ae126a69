/** What the long runs measure: figures with every sample, and what they say. */
import * as z from "zod";

const figureSchema = z.strictObject({
  name: z.string().min(1),
  unit: z.string().min(1),
  /** One per round; lower is better unless the aim says otherwise. */
  samples: z.array(z.number()).min(1),
  reference: z
    .strictObject({
      name: z.string().min(1),
      /** As many as ours, measured in turns with them; or one, if computed. */
      samples: z.array(z.number().positive()).min(1),
      how: z.enum(["in turns", "computed"]),
    })
    .optional(),
  /** What is promised of the ratio to the reference, or of the value where there is no reference. */
  aim: z.strictObject({ atMost: z.number().optional(), atLeast: z.number().optional() }).optional(),
});

export type Figure = Readonly<z.infer<typeof figureSchema>>;

/** What one must know of a run to repeat it. */
const circumstances = {
  /** Such as `client`. */
  name: z.string().min(1),
  about: z.string().min(1),
  command: z.string().min(1),
  commit: z.string().min(1),
  /** Whether the checkout had changes that the commit does not have. */
  changed: z.boolean(),
  measuredAt: z.iso.datetime(),
  machine: z.strictObject({
    processor: z.string(),
    cores: z.int().positive(),
    memoryGib: z.number().positive(),
    system: z.string(),
    node: z.string(),
    /** How many processes wanted to run, on average of a minute, before and after. */
    load: z.tuple([z.number(), z.number()]),
  }),
  /** Versions of the programs that took part. */
  programs: z.record(z.string(), z.string()),
};

export const reportSchema = z.strictObject({
  ...circumstances,
  figures: z.array(figureSchema).min(1),
});
export type Report = Readonly<z.infer<typeof reportSchema>>;

export const trialsSchema = z.strictObject({
  ...circumstances,
  claims: z
    .array(
      z.strictObject({
        claim: z.string().min(1),
        face: z.string().min(1),
        outcome: z.enum(["holds", "fails"]),
        /** What was seen, in a few words. */
        seen: z.string(),
      }),
    )
    .min(1),
});

const installationSchema = z.strictObject({
  face: z.string().min(1),
  /** Of the system, of what it was installed with, and of the project. */
  platform: z.string(),
  /** What a person types. */
  command: z.string(),
  /** How long the installation took. */
  seconds: z.number().optional(),
  /** What it weighs, with everything that it brings. */
  megabytes: z.number().optional(),
  outcome: z.enum(["works", "fails"]),
  /** What was seen to work, or why it fails. */
  seen: z.string(),
});

/** What somebody installed, and how it went. */
export type Installation = Readonly<z.infer<typeof installationSchema>>;

export const installationsSchema = z.strictObject({
  ...circumstances,
  installations: z.array(installationSchema).min(1),
});
export type Circumstances = Omit<Report, "figures">;

/** The middle one, or the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low, high] = [sorted[middle - 1 + (sorted.length % 2)], sorted[middle]];
  if (low === undefined || high === undefined) throw new Error("nothing was measured");
  return (low + high) / 2;
}

/** Ours to the reference, for each pair of measurements. */
export function ratios({ name, samples: ours, reference }: Figure): readonly number[] | undefined {
  if (!reference) return undefined;
  const { how, samples: theirs } = reference;
  if (how === "in turns" && theirs.length !== ours.length) {
    throw new Error(`${name}: ${ours.length} measurements against ${theirs.length}`);
  }
  return ours.map((value, round) => value / (theirs[how === "computed" ? 0 : round] ?? NaN));
}

/** Whether a figure is what it should be; undefined where nothing is promised. */
export function isKept(figure: Figure): boolean | undefined {
  const { aim } = figure;
  if (!aim) return undefined;
  const value = median(ratios(figure) ?? figure.samples);
  return value <= (aim.atMost ?? Infinity) && value >= (aim.atLeast ?? -Infinity);
}

const plain = (value: number): string =>
  Math.abs(value) >= 100 || Number.isInteger(value)
    ? value.toLocaleString("en", { maximumFractionDigits: 0 })
    : String(Number(value.toPrecision(3)));

/** The median, and in brackets the lowest and the highest where they differ. */
function spread(values: readonly number[], unit = ""): string {
  const [low, high] = [Math.min(...values), Math.max(...values)].map(plain);
  const middle = `${plain(median(values))}${unit === "" ? "" : ` ${unit}`}`;
  return low === high ? middle : `${middle} (${low}–${high})`;
}

const aimText = (figure: Figure): string => {
  const { atMost, atLeast } = figure.aim ?? {};
  const unit = figure.reference ? "" : ` ${figure.unit}`;
  const texts = [
    ...(atMost === undefined ? [] : [`at most ${plain(atMost)}${unit}`]),
    ...(atLeast === undefined ? [] : [`at least ${plain(atLeast)}${unit}`]),
  ];
  return [...texts, ...(isKept(figure) === false ? ["missed"] : [])].join(", ");
};

export const FIGURE_COLUMNS = ["figure", "erphost", "compared with", "ratio", "aim"] as const;

/** The cells of a figure, in the order of the columns. */
export function cellsOf(figure: Figure): readonly string[] {
  const { name, unit, samples: ours, reference } = figure;
  const theirs = reference
    ? `${spread(reference.samples, unit)}, ${reference.how === "computed" ? "computed: " : ""}${reference.name}`
    : "";
  const pairs = ratios(figure);
  return [name, spread(ours, unit), theirs, pairs ? spread(pairs) : "", aimText(figure)];
}
