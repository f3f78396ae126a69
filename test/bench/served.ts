/**
 * An emulator in a separate process: `served [OPTIONS AS JSON]`. Prints its address and its key, and
 * exits when its standard input ends.
 */
import { startEmulator, type EmulatorOptions } from "../../emulator";

/** What it prints, as one line of JSON. */
export interface Served {
  readonly url: string;
  readonly apiKey: string;
}

// Written by `serving`.
const options = JSON.parse(process.argv[2] ?? "{}") as EmulatorOptions;

process.stdin.on("end", () => process.exit(0));
process.stdin.resume();
void startEmulator({ provisionMs: 0, ...options }).then(({ url, adminKey }) => {
  const served: Served = { url, apiKey: adminKey };
  process.stdout.write(`${JSON.stringify(served)}\n`);
});
