/** What `/_emulator` answers. */
import type { WireRecord } from "../store/records";

/** A new key. Its value is in this answer only. */
export type CreatedKey = WireRecord & { readonly id: string; readonly value: string };

/** One page of a list, and how many objects there are on all pages. */
export interface ObjectPage {
  readonly objects: readonly WireRecord[];
  readonly total: number;
}

/** How many requests are left in a window, which ends in real time. */
interface WindowLeft {
  readonly limit: number;
  readonly remaining: number;
  readonly reset: string;
}

/** Where a key stands in the window that has the fewest requests left, and in each. */
export interface KeyLimits extends WindowLeft {
  readonly key_id: string;
  readonly windows: readonly (WindowLeft & { readonly window_ms: number })[];
}

/** Time and rate of the emulator's clock. */
export interface ClockReading {
  readonly now: string;
  readonly rate: number;
}
