/** What the long run leaves in its report, of which the process that started it makes figures. */
import { join } from "node:path";

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
  details: readonly string[];
  seconds: number;
}
