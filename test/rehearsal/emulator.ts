/** The emulator of the installed package, started as the documentation says. */
import { stopProgram, untilReady } from "../harness/servers";
import type { Stranger } from "./stranger";

/** The line that is meant to be pasted into a shell. */
const ADDRESS = /^export ERPHOST_BASE_URL=(\S+) ERPHOST_API_KEY=(\S+)/m;

/** An emulator that runs. */
export interface PackedEmulator {
  /** For whoever calls it: `ERPHOST_BASE_URL` and `ERPHOST_API_KEY`. */
  readonly env: Readonly<Record<string, string>>;
  /** @throws Error if a server or an instance is left */
  expectEmpty(): Promise<void>;
  stop(): Promise<void>;
}

/** @param stranger whose project has the package */
export async function startPackedEmulator(stranger: Stranger): Promise<PackedEmulator> {
  const words = ["erphost", "emulator", "--port", "0", "--provision-ms", "50"];
  const running = stranger.start("npx", ...words);
  await untilReady("npx erphost emulator", running, async () => ADDRESS.test(running.output()));
  const [, baseUrl = "", key = ""] = ADDRESS.exec(running.output()) ?? [];
  const list = async (kind: string): Promise<readonly unknown[]> => {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${baseUrl}/${kind}`, { headers });
    // The emulator's own answer, which its tests hold against the contract.
    const { data } = (await response.json()) as { data: readonly unknown[] };
    return data;
  };
  return {
    env: { ERPHOST_BASE_URL: baseUrl, ERPHOST_API_KEY: key },
    expectEmpty: async () => {
      for (const kind of ["servers", "instances"]) {
        const left = await list(kind);
        if (left.length > 0) throw new Error(`after the destroy, ${left.length} ${kind} are left`);
      }
    },
    stop: () => stopProgram(running),
  };
}
