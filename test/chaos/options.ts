/** The command line of `npm run chaos`, and what a run leaves behind. */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { chosen, folder, UsageError, wholeNumber } from "../support/command-line";
import type { Face } from "./faces/face";
import { pulumiDynamic, pulumiPlugin } from "./faces/pulumi";
import { terraformFace, tofuFace } from "./faces/terraform";
import { GROUPS } from "./trial";

/** What a person asks of a long run; handed to jest as JSON in `ERPHOST_CHAOS`. */
export interface ChaosOptions {
  /** Names of faces, or `all`; none: the default faces. */
  readonly faces: readonly string[];
  /** Parts of claims' names or groups; none: every claim. */
  readonly claims: readonly string[];
  /** Part of the names of a claim's cases; default: all cases. */
  readonly case?: string;
  readonly seed: number;
  readonly trials?: number;
  readonly size?: number;
  /** Where `chaos.json` is written for docs/figures.md. */
  readonly json?: string;
}

export const faces: readonly Face[] = [tofuFace, terraformFace, pulumiDynamic, pulumiPlugin];
export const DEFAULT_FACES: readonly string[] = ["tofu", "pulumi-dynamic"];
export const ALL_FACES = "all";

/** What the process that started a run makes figures of. */
export const REPORT = join(__dirname, "..", "..", "dist", "chaos.json");

/** What came of one claim on one face. */
export interface Cell {
  readonly claim: string;
  readonly group: string;
  readonly face: string;
  outcome: "holds" | "fails" | "not tried";
  /** What was seen, or why it was not tried. */
  figure: string;
  failures: readonly string[];
  seconds: number;
}

/** The line that tries one case of a claim on a face again. */
export function repeating(
  { seed, trials, size }: Pick<ChaosOptions, "seed" | "trials" | "size">,
  cell: { readonly face: string; readonly claim: string; readonly name: string },
): string {
  const { face, claim, name } = cell;
  const counts = [
    `--seed ${seed}`,
    ...(trials === undefined ? [] : [`--trials ${trials}`]),
    ...(size === undefined ? [] : [`--size ${size}`]),
  ];
  return `npm run chaos -- --face ${face} --claim "${claim}" ${counts.join(" ")} --case "${name}"`;
}

const names = faces.map(({ name }) => name).join(", ");

export const HELP = `npm run chaos -- [OPTIONS]: tries claims on faces while runs are killed and calls fail.

  --face NAME    ${names}, or ${ALL_FACES}; may be repeated (default: ${DEFAULT_FACES.join(", ")})
  --claim TEXT   claims whose sentence or group contains the text; may be repeated (default: every claim)
  --case TEXT    only the cases of the claims whose name contains the text; a case that fails is
                 printed with the line that tries it again
  --trials N     how often each claim is tried (default: the claim's own number)
  --size N       objects per trial (default: 4)
  --seed N       the same seed gives the same trials (default: 1)
  --json DIR     writes DIR/chaos.json, with all that one must know to repeat the run;
                 docs/figures has what was committed last

Groups of claims: ${GROUPS.join(", ")}. In "machines" a run is killed, and all that its machine
has is removed; another machine continues with the state.

Prints a table and what was left out, and writes dist/chaos.json. The exit code is 1 if a claim
fails, if a face or claim that was named could not be tried, or if nothing was tried.
`;

/** @throws UsageError if the call is wrong */
export function readOptions(args: readonly string[]): ChaosOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      face: { type: "string", multiple: true, default: [] },
      claim: { type: "string", multiple: true, default: [] },
      case: { type: "string" },
      trials: { type: "string" },
      size: { type: "string" },
      seed: { type: "string", default: "1" },
      json: { type: "string" },
    },
  });
  chosen("Face", values.face, [...faces, { name: ALL_FACES }]);
  if (values.claim.some((text) => text.trim() === "")) {
    throw new UsageError("--claim must be a part of a claim's sentence or of its group.");
  }
  return {
    faces: values.face,
    claims: values.claim,
    ...(values.case !== undefined && { case: values.case }),
    seed: wholeNumber("seed", values.seed, 0),
    ...(values.trials !== undefined && { trials: wholeNumber("trials", values.trials) }),
    ...(values.size !== undefined && { size: wholeNumber("size", values.size) }),
    ...(values.json !== undefined && { json: folder(values.json) }),
  };
}
