/** A claim is a value; a trial tries it on one face and fails by jest's `expect`. */
import type { EmulatorOptions } from "../../emulator";
import type { Ability, Face } from "./faces/face";
import { Chance } from "../support/chance";
import { Scene } from "./support/scene";

export const GROUPS = [
  ...["faults", "kills", "machines", "modes"],
  ...["account", "rotation", "secrets", "guides"],
] as const;

/** One row of the matrix of claims and faces. */
export interface Claim {
  /** A whole sentence: what holds. */
  readonly name: string;
  readonly group: (typeof GROUPS)[number];
  readonly needs?: readonly Ability[];
  /** Why the claim is tried once, on OpenTofu's face. */
  readonly onTofuOnly?: string;
  /** Returns what was seen, in a few words. */
  run(trial: Trial): Promise<string>;
}

export interface TrialOptions {
  readonly seed: number;
  /** How often a claim is tried; default: the claim's own number. */
  readonly trials?: number | undefined;
  /** Objects per trial; default: 4. */
  readonly size?: number | undefined;
  /** Part of the names of the cases that are tried; default: all. */
  readonly case?: string | undefined;
  readonly onProgress?: (text: string) => void;
  /** Called with the name of a case that failed. */
  readonly onFailure?: (name: string) => void;
}

const SIZE = 4;
const FAILURES_MAX = 20;

export class Trial {
  readonly chance: Chance;
  readonly size: number;
  /** The person asked for the shortest form of a claim. */
  readonly isShort: boolean;

  constructor(
    readonly face: Face,
    private readonly options: TrialOptions,
  ) {
    // A generator for each claim: the same seed gives the same trials, whatever else is tried.
    this.chance = new Chance(options.seed);
    this.size = options.size ?? SIZE;
    this.isShort = options.trials === 1;
  }

  /** How often: as the person said, or else this claim's own number. */
  count(own: number): number {
    return this.options.trials ?? own;
  }

  /** All cases, or those marked as brief in the short form. */
  brief<T extends { readonly brief?: boolean }>(cases: readonly T[]): readonly T[] {
    return this.isShort ? cases.filter(({ brief }) => brief) : cases;
  }

  progress(text: string): void {
    this.options.onProgress?.(text);
  }

  scene<T>(options: EmulatorOptions, play: (scene: Scene) => Promise<T>): Promise<T> {
    return Scene.play(this.face, options, play);
  }

  /** Tries each case in a scene of its own, as `each` does. */
  inScenes<T extends { readonly name: string }>(
    all: readonly T[],
    play: (scene: Scene, one: T) => Promise<unknown>,
    optionsOf: (one: T) => EmulatorOptions = () => ({}),
  ): Promise<number> {
    return this.each(all, (one) => this.scene(optionsOf(one), (scene) => play(scene, one)));
  }

  /**
   * Tries each case that was asked for. A failure does not hide those that follow.
   * @returns how many there were
   * @throws AggregateError with the failures, by the names of their cases; Error if there is no case
   */
  async each<T extends { readonly name: string }>(
    all: readonly T[],
    play: (one: T) => Promise<unknown>,
  ): Promise<number> {
    const { case: part = "" } = this.options;
    const cases = all.filter(({ name }) => name.includes(part));
    if (cases.length === 0) throw new Error("there is no case to try");
    const failures: Error[] = [];
    for (const [index, one] of cases.entries()) {
      this.progress(`${index + 1} of ${cases.length}: ${one.name}`);
      try {
        await play(one);
      } catch (error) {
        failures.push(new Error(one.name, { cause: error }));
        this.progress(`✗ ${one.name}`);
        this.options.onFailure?.(one.name);
      }
      if (failures.length === FAILURES_MAX) break;
    }
    if (failures.length === 0) return cases.length;
    throw new AggregateError(failures, `${failures.length} of ${cases.length} cases failed`);
  }
}

/** Why a claim cannot be tried on a face; undefined: it can. */
export const obstacle = (claim: Claim, face: Face): string | undefined =>
  face.missing() ??
  claim.needs?.map((ability) => face.cannot[ability]).find((why) => why !== undefined) ??
  (face.name === "tofu" ? undefined : claim.onTofuOnly);

/** What speaks against a claim: the text of each failure. */
export function failureTexts(error: unknown): readonly string[] {
  if (error instanceof AggregateError) return error.errors.flatMap(failureTexts);
  if (!(error instanceof Error)) return [String(error)];
  if (error.cause === undefined) return [error.message];
  return failureTexts(error.cause).map((text) => `${error.message}: ${text}`);
}
