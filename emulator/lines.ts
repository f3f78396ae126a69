/** What `erphost emulator` prints: where it is, what it allows, and a line for each request. */
import type { LimitWindow } from "../provider/contract";
import { visible } from "../provider/messages";
import type { Emulator } from "./index";
import type { JournalEntry } from "./journal";
import type { Opened } from "./options";
import { keyLines } from "./twin/command";

/** `100/1m` */
export const limitText = ({ requests, windowMs }: LimitWindow): string => {
  const units = [
    ["h", 3_600_000],
    ["m", 60_000],
    ["s", 1_000],
    ["ms", 1],
  ] as const;
  const [unit, unitMs] = units.find(([, each]) => windowMs % each === 0) ?? ["ms", 1];
  return `${requests}/${windowMs / unitMs}${unit}`;
};

/** For people, and a line for their shell. */
export function startLines(
  { opened, url, baseUrl, adminKey, twinOf }: Emulator,
  limits: readonly LimitWindow[],
  { plan, keyClass }: { readonly plan: string; readonly keyClass: string },
): string[] {
  const what = twinOf
    ? `twin of ${twinOf.baseUrl} (${twinOf.environment})`
    : `plan ${plan}, key class ${keyClass}`;
  const asTwin = twinOf === undefined ? "" : ` ERPHOST_TWIN_OF=${quoted(twinOf.baseUrl)}`;
  return [
    `erphost emulator, ${what}`,
    `  state       ${stateText(opened)}`,
    `  limit       ${limitsText(limits)}`,
    `  dashboard   ${url}/  (open it in a browser)`,
    `  service     ${baseUrl}`,
    `  admin key   ${adminKey}`,
    ...keyLines(opened.twinKeys),
    `export ERPHOST_BASE_URL=${quoted(baseUrl)} ERPHOST_API_KEY=${quoted(adminKey)}${asTwin}`,
  ];
}

/** The same for programs. */
export const startJson = (
  { opened, url, baseUrl, adminKey, twinOf }: Emulator,
  limits: readonly LimitWindow[],
): string =>
  JSON.stringify({
    ...{ event: "started", dashboard: `${url}/`, base_url: baseUrl, admin_key: adminKey },
    limits: limits.map(({ requests, windowMs }) => ({ requests, window_ms: windowMs })),
    ...{ data: opened.dataFile ?? null, is_new: opened.isNew, objects: opened.objectCount },
    ...(opened.twinKeys.length > 0 && { keys: opened.twinKeys }),
    ...(twinOf && { twin_of: twinOf.baseUrl }),
  });

/** Prints a request that is over, without its bodies. */
export function printEntry(
  entry: JournalEntry,
  json: boolean,
  print: (line: string) => void,
): void {
  if (entry.ended_at === null) return;
  const { request_body: _, answer_body: __, ...short } = entry;
  print(json ? JSON.stringify({ event: "request", ...short }) : lineOf(entry));
}

/** `14:03:22 POST /servers → 201, 2 ms, key_1 (pipeline), idempotency 5f0c…, replayed` */
function lineOf(entry: JournalEntry): string {
  const { method, path, query, status, started_at, duration_ms, key_id, key_name } = entry;
  const call = `${method} ${path}${query === "" ? "" : `?${query}`}`;
  const key = key_name === null ? key_id : `${key_id} (${key_name})`;
  const idempotency = entry.idempotency_key;
  const parts = [
    `${started_at.slice(11, 19)} ${call} → ${status ?? "no answer"}`,
    `${Math.round(duration_ms ?? 0)} ms`,
    key,
    idempotency && `idempotency ${idempotency.slice(0, 16)}${idempotency.length > 16 ? "…" : ""}`,
    entry.replayed && "replayed",
    entry.faults.length > 0 && `faults ${entry.faults.join(" ")}`,
  ];
  return visible(parts.filter((part) => part !== null && part !== false).join(", "));
}

const limitsText = (limits: readonly LimitWindow[]): string =>
  limits.length === 0 ? "none" : `${limits.map(limitText).join(", ")} for each key`;

function stateText({ dataFile, isNew, objectCount, seed, adminKey }: Opened): string {
  const planted = seed === "planted" ? ", with the seed" : "";
  if (dataFile === undefined) return `in memory${planted}`;
  if (isNew) return `${dataFile}, new${planted}`;
  const key = adminKey === "kept" ? ", with its admin key" : "";
  return `${dataFile}, continued${key}; it holds ${objectCount} objects`;
}

/** As it can be pasted into a shell. */
const quoted = (text: string): string =>
  /^[\w.:/@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
