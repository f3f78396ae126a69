/** What `/_emulator` offers a program. It shows nothing of what is behind it. */
import type { z } from "zod";
import type { FaultInput } from "../faults/effects";
import type { FaultState } from "../faults/faults";
import type { CallCount, Follower, JournalEntry } from "../journal";
import type { Mail } from "../keys/mails";
import type { WireRecord } from "../store/records";
import type { Delivery, Endpoint, NewEndpoint } from "../webhooks/outbox";
import type { clockSchema, NewKeyInput, Snapshot, testEventSchema } from "./schema";

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

/** All of `/_emulator`. */
export interface Control {
  health(): Record<string, unknown>;
  journal(): JournalEntry[];
  /** Calls a function when a request arrives, and when it is over. Returns what ends that. */
  follow(follower: Follower): () => void;
  /** How often each call was made, in the journal. */
  calls(after?: number): CallCount[];
  clearJournal(): void;
  clock(): ClockReading;
  setClock(change: z.input<typeof clockSchema>): ClockReading;
  faults(): FaultState[];
  /** Counts start at 0, except, where they are kept, those of the same faults. */
  setFaults(faults: readonly FaultInput[], keepsCounts?: boolean): FaultState[];
  /** Where keys stand in their rate-limit windows. */
  limits(): KeyLimits[];
  keys(): WireRecord[];
  createKey(input?: NewKeyInput): CreatedKey;
  /** Replaces a key by a new one, whose value is in this answer only. */
  rotateKey(id: string): CreatedKey;
  webhooks(): Endpoint[];
  registerWebhook(input: NewEndpoint): Endpoint & { readonly secret: string };
  removeWebhook(id: string): void;
  /** Sends an event about objects that do not exist. */
  testWebhook(id: string, input?: z.input<typeof testEventSchema>): void;
  /** Lets an endpoint that answered 410 receive events again. */
  enableWebhook(id: string): void;
  /** For 24 hours the previous secret signs as well. */
  rotateWebhookSecret(id: string): { readonly secret: string };
  deliveries(): Delivery[];
  redeliver(seq: number): void;
  /** Mails about rotations by the service, with the new secrets. */
  mails(): Mail[];
  snapshot(): Snapshot;
  restore(snapshot: unknown): void;
  reset(): void;
  counts(): Record<string, number>;
  objects(kind: string): WireRecord[];
  /** One page of a kind, sorted by a field, of objects that contain a text. */
  page(kind: string, query: Readonly<Record<string, unknown>>): ObjectPage;
  object(kind: string, id: string): WireRecord;
  createObjects(kind: string, records: WireRecord | readonly WireRecord[]): WireRecord[];
  changeObject(kind: string, id: string, patch: WireRecord): WireRecord;
  removeObject(kind: string, id: string): void;
}
