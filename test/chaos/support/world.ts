/** One emulator with a line to it, and what can be seen of both. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startEmulator, type Emulator, type EmulatorOptions } from "../../../emulator";
import { openLine, type Line } from "./line";

export interface World {
  readonly emulator: Emulator;
  readonly line: Line;
  /** Variables of a run, by the line. */
  readonly env: Readonly<Record<string, string>>;
  /** Waits, looking every millisecond; false where it did not come in time. */
  until(reached: () => boolean, timeoutMs?: number): Promise<boolean>;
  /** No faults, nothing held. */
  release(): void;
  /** The same, and waits until no request is under way. */
  calm(): Promise<void>;
  close(): Promise<void>;
}

const UNTIL_MAX_MS = 60_000;
const SETTLE_MS = 50;

export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => void setTimeout(resolve, ms));

export async function openWorld(options: EmulatorOptions = {}): Promise<World> {
  const emulator = await startEmulator({ provisionMs: 0, ...options });
  const line = await openLine(emulator.port);
  const until = async (reached: () => boolean, timeoutMs = UNTIL_MAX_MS): Promise<boolean> => {
    const endsAt = performance.now() + timeoutMs;
    while (!reached()) {
      if (performance.now() > endsAt) return false;
      await sleep(1);
    }
    return true;
  };
  const release = (): void => {
    emulator.setFaults([]);
    line.clear();
  };
  return {
    emulator,
    line,
    release,
    env: {
      ERPHOST_BASE_URL: `http://127.0.0.1:${line.port}/v1`,
      ERPHOST_API_KEY: emulator.adminKey,
    },
    until,
    calm: async () => {
      release();
      // What was on the wire still arrives.
      await sleep(SETTLE_MS);
      await until(() => emulator.journal().every(({ ended_at }) => ended_at !== null));
    },
    close: async () => {
      await line.close();
      await emulator.close();
    },
  };
}

/** Requests of a method on a path, as the journal has them. */
export const callsOf = (world: World, method: string, path = "/servers") =>
  world.emulator
    .journal()
    .filter((entry) => entry.method === method && entry.path.startsWith(path));

/** Creates that the service keeps an answer of. */
export const idempotencyRecordCount = (world: World): number =>
  (world.emulator.snapshot().tables["replays"] ?? []).filter(
    (row) => typeof row["unit"] === "string" && row["unit"].startsWith("POST /servers "),
  ).length;

/** One line per intent below a folder, as far as it matters here. */
export interface IntentSeen {
  readonly operation: string;
  readonly kind: string;
  readonly answer?: string;
  readonly handedAt?: number;
}

/** The intents on disk. Files may come and go while they are read. */
export function intentsIn(folder: string): IntentSeen[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".json"))
    .flatMap((entry) => {
      try {
        // The engine's own file; a test reads it only to look.
        return [JSON.parse(readFileSync(join(entry.parentPath, entry.name), "utf8")) as IntentSeen];
      } catch {
        return [];
      }
    });
}
