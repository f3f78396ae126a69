/** The fault `normalise`: a service that stores other values than it receives. */
import { isRecord } from "../../provider/contract";
import type { WireRecord } from "../store/records";
import { effectOf, type Effect } from "./effects";

/** What such a service adds where the client sends nothing. */
const DEFAULTS: WireRecord = { region: "default", labels: {} };
/** Text in these fields is kept: ids, times and addresses have only one form. */
const KEPT = /(?:^|_)(?:id|at|period)$|^(?:status|permissions|ip_whitelist|notification_email)$/;

/** The record as such a service would store it; unchanged without the fault. */
export function normalised(record: WireRecord, effects: readonly Effect[]): WireRecord {
  if (!effectOf(effects, "normalise")) return record;
  const entries = Object.entries({ ...DEFAULTS, ...record });
  return Object.fromEntries(
    entries.map(([name, value]) => [name, KEPT.test(name) ? value : plain(value)]),
  );
}

function plain(value: unknown): unknown {
  if (typeof value === "string") return value.trim().toLowerCase() || value;
  if (Array.isArray(value)) {
    return value.map(plain).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  }
  if (isRecord(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
  }
  return value;
}
