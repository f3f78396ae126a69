/**
 * An emulator in a separate process: `served [OPTIONS AS JSON]`. Prints its address and its key, and
 * exits when its standard input ends.
 */
import { startEmulator, type EmulatorOptions } from "../../emulator";
import { reachableMib } from "../support/memory";

/** What it prints, as one line of JSON. */
export interface Served {
  readonly url: string;
  readonly apiKey: string;
}

// Written by `serving`.
const options = JSON.parse(process.argv[2] ?? "{}") as EmulatorOptions;

// A line asks for what is still reachable, in MiB.
process.stdin.on("data", () => process.stdout.write(`${reachableMib()}\n`));
process.stdin.on("end", () => process.exit(0));
void startEmulator({ provisionMs: 0, ...options }).then(({ url, adminKey }) => {
  const served: Served = { url, apiKey: adminKey };
  process.stdout.write(`${JSON.stringify(served)}\n`);
});
