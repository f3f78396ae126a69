/** What is kept besides objects: the clock, and the key that encrypts webhook secrets. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import * as z from "zod";
import type { RandomBytes } from "../random";
import type { ClockState, RealTime } from "../time/clock";
import type { Database } from "./database";

const CLOCK = "clock";
/** SQL that stores a setting; its parameters are name and value. */
export const SET_SETTING = `INSERT INTO settings (name, value) VALUES (?, ?)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
const FILE_KEY_BYTES = 32;

const savedClock = z.object({ nowMs: z.number(), rate: z.number(), wallMs: z.number() });

/** Stores the clock, so that it continues from here in the next process. */
export function saveClock(database: Database, state: ClockState, real: RealTime): void {
  database.run(SET_SETTING, CLOCK, JSON.stringify({ ...state, wallMs: real.wallMs() }));
}

/** The clock as if it had kept running between processes; undefined in a new state. */
export function loadClock(database: Database, real: RealTime): ClockState | undefined {
  const row = database.one<{ value: string }>("SELECT value FROM settings WHERE name = ?", CLOCK);
  if (!row) return undefined;
  const { nowMs, rate, wallMs } = savedClock.parse(JSON.parse(row.value));
  return { nowMs: nowMs + Math.max(0, real.wallMs() - wallMs) * rate, rate };
}

/** The key in `FILE.key`, which only the owner can read, created if missing; random for memory. */
export function fileKey(dataFile: string | undefined, bytes: RandomBytes): Uint8Array {
  if (dataFile === undefined) return bytes(FILE_KEY_BYTES);
  const path = `${dataFile}.key`;
  if (existsSync(path)) return readFileSync(path);
  const key = bytes(FILE_KEY_BYTES);
  writeFileSync(path, key, { mode: 0o600 });
  return key;
}
