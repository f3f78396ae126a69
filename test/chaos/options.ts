/** The command line of `npm run chaos`. */
import { parseArgs } from "node:util";
import { folder, UsageError, wholeNumber } from "../support/command-line";
import { faces } from "./faces/all";

/** What a person asks of a long run; handed to jest as JSON in `ERPHOST_CHAOS`. */
export interface ChaosOptions {
  /** Names of faces, or `all`; none: the default faces. */
  readonly faces: readonly string[];
  /** Parts of claims' names or groups; none: every claim. */
  readonly claims: readonly string[];
  readonly seed: number;
  readonly trials?: number;
  readonly size?: number;
  readonly details: boolean;
  /** Where `chaos.json` is written for docs/figures.md. */
  readonly json?: string;
}

export const DEFAULT_FACES: readonly string[] = ["engine", "pulumi-dynamic"];
export const ALL_FACES = "all";

const names = faces.map(({ name }) => name).join(", ");

export const HELP = `npm run chaos -- [OPTIONS]: tries claims on faces while runs are killed and calls fail.

  --face NAME    ${names}, or ${ALL_FACES}; may be repeated (default: ${DEFAULT_FACES.join(", ")})
  --claim TEXT   claims whose sentence or group contains the text; may be repeated (default: every claim)
  --trials N     how often each claim is tried (default: the claim's own number)
  --size N       objects per trial (default: 8 on the engine, 4 on other faces)
  --seed N       the same seed gives the same trials (default: 1)
  --details      prints a line for each trial as well
  --json DIR     writes DIR/chaos.json, with all that one must know to repeat the run;
                 docs/figures.md is generated from docs/figures

Prints a table and what was left out, and writes dist/chaos.json. The exit code is 1 if a claim
fails, if a face or claim that was named could not be tried, or if nothing was tried.
`;

/** @returns undefined for --help @throws UsageError if the call is wrong */
export function readOptions(args: readonly string[]): ChaosOptions | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: "boolean", short: "h", default: false },
      face: { type: "string", multiple: true, default: [] },
      claim: { type: "string", multiple: true, default: [] },
      trials: { type: "string" },
      size: { type: "string" },
      seed: { type: "string", default: "1" },
      details: { type: "boolean", default: false },
      json: { type: "string" },
    },
  });
  if (values.help) return undefined;
  const known = [ALL_FACES, ...faces.map(({ name }) => name)];
  const unknown = values.face.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new UsageError(`There is no face "${unknown}". Faces: ${names}, or ${ALL_FACES}.`);
  }
  if (values.claim.some((text) => text.trim() === "")) {
    throw new UsageError("--claim must be a part of a claim's sentence or of its group.");
  }
  return {
    faces: values.face,
    claims: values.claim,
    seed: wholeNumber("seed", values.seed, 0),
    ...(values.trials !== undefined && { trials: wholeNumber("trials", values.trials) }),
    ...(values.size !== undefined && { size: wholeNumber("size", values.size) }),
    details: values.details,
    ...(values.json !== undefined && { json: folder(values.json) }),
  };
}
