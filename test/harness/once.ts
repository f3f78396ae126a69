/** What is made from the sources before tests use it, and stays as it is while they run. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Where what is made for a run of the tests is kept. */
const MADE = join(__dirname, "../../node_modules/.cache/made");

const madeHere = new Set<string>();

/**
 * Makes something in the first test file that needs it, and not again in the same run of jest,
 * whichever process its files are in. Elsewhere, such as in a benchmark, once per process.
 * @param result what there is afterwards
 * @param make leaves alone what is up to date, and can bear a second process that does the same
 */
export function oncePerRun(name: string, result: string, make: () => void): void {
  const id = process.env["ERPHOST_TEST_RUN"];
  // A copy of the checkout, which a test changes, may share this folder and has made nothing yet.
  const run = id === undefined ? undefined : `${id} ${__dirname}`;
  const stamp = join(MADE, name);
  const isMade =
    madeHere.has(name) ||
    (run !== undefined && existsSync(stamp) && readFileSync(stamp, "utf8") === run);
  if (isMade && existsSync(result)) return;
  make();
  madeHere.add(name);
  if (run === undefined) return;
  mkdirSync(MADE, { recursive: true });
  writeFileSync(stamp, run);
}
