/** What a soak consists of. */
import type { Figure } from "../support/figures";

export interface PartOptions {
  /** How long the load lasts. */
  readonly minutes: number;
  /** One in that many scenarios, or functions, is tried. */
  readonly sample: number;
  readonly say: (text: string) => void;
}

/** What a part found. */
export interface PartResult {
  readonly figures: readonly Figure[];
  /** What was not as it must be, besides figures that miss their aim. */
  readonly failures: readonly string[];
}

/** One part of a soak: a value of `--only`. A part that tries nothing throws. */
export interface Part {
  readonly name: string;
  readonly about: string;
  /** The option that it takes. */
  readonly takes?: "minutes" | "sample";
  run(options: PartOptions): Promise<PartResult>;
}
