/** What is kept besides objects, by name: the clock, the admin key, the mark of the seed. */
import * as z from "zod";
import type { ClockState, RealTime } from "../time/clock";
import type { Database } from "./database";

const CLOCK = "clock";
const SET_SETTING = `INSERT INTO settings (name, value) VALUES (?, ?)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

const savedClock = z.object({ nowMs: z.number(), rate: z.number(), wallMs: z.number() });

/** A stored setting; undefined where there is none of that name. */
export const setting = (database: Database, name: string): string | undefined =>
  database.one<{ value: string }>("SELECT value FROM settings WHERE name = ?", name)?.value;

/** Stores a setting. */
export const keepSetting = (database: Database, name: string, value: string): void =>
  void database.run(SET_SETTING, name, value);

/** Whether no emulator has had it yet. */
export const isEmpty = (database: Database): boolean => setting(database, CLOCK) === undefined;

/** Stores the clock, so that it continues from here in the next process. */
export function saveClock(database: Database, state: ClockState, real: RealTime): void {
  keepSetting(database, CLOCK, JSON.stringify({ ...state, wallMs: real.wallMs() }));
}

/** The clock as if it had kept running between processes; undefined in a new state. */
export function loadClock(database: Database, real: RealTime): ClockState | undefined {
  const text = setting(database, CLOCK);
  if (text === undefined) return undefined;
  const { nowMs, rate, wallMs } = savedClock.parse(JSON.parse(text));
  return { nowMs: nowMs + Math.max(0, real.wallMs() - wallMs) * rate, rate };
}
