/** What faults make of lists, of what is stored, and of answers that the service never gave. */
import { type ListRequest, type ListResult, readPage } from "../store/list";
import type { Service } from "../service/service";
import { type Effect, effectOf } from "./effects";
import { errorCodes, isRecord } from "../../provider/contract";
import type { WireRecord } from "../store/records";
import { type Answer, errorAnswer, type Meta } from "../http/answer";

/** Orders that equal items are put into. */
const MIXES = 1_000_003;

interface DistortedPage {
  readonly result: ListResult;
  /** What the number of pages is computed from. */
  readonly perPage: number;
  /** What `pagination` shows instead. */
  readonly shown?: { readonly perPage: number };
}

/** A page as the faults distort it; undefined where none affects the list. */
export function distortedPage(
  service: Service,
  request: ListRequest,
  { page, perPage: requested }: { page: number; perPage: number },
  effects: readonly Effect[],
): DistortedPage | undefined {
  const shift = effectOf(effects, "shift-pages");
  const order = effectOf(effects, "ignore-order");
  const ties = effectOf(effects, "tie-shuffle");
  const lag = effectOf(effects, "list-lag");
  const clamp = effectOf(effects, "clamp-per-page");
  if (!shift && !order && !ties && !lag && !clamp) return undefined;

  const perPage = Math.min(requested, clamp?.max ?? requested);
  const offset = Math.max(0, (page - 1) * perPage + (page > 1 ? (shift?.by ?? 0) : 0));
  const distorted: ListRequest = {
    ...request,
    offset,
    limit: perPage,
    ...(order && { sort: request.createdAt, descending: order.order !== "asc" }),
  };
  // By a field that no record has, all items tie: the order is random.
  const isRandom = order?.order === "random";
  const arranged = isRandom ? { ...distorted, sort: "" } : distorted;
  const result = readPage(service.database, arranged, {
    before: lag && service.changes.before(request.kind, lag.ms),
    mix: ties || isRandom ? Math.floor(service.random() * MIXES) : undefined,
  });
  return { result, perPage, ...(clamp?.echo === false && { shown: { perPage: requested } }) };
}

/** What such a service adds where the client sends nothing. */
const ADDED: WireRecord = { region: "default", labels: {} };
/** Text in these fields is kept: ids, times and addresses have only one form. */
const KEPT = /(?:^|_)(?:id|at|period)$|^(?:status|permissions|ip_whitelist|notification_email)$/;

/** The record as a service stores it that changes what it receives; unchanged without the fault. */
export function normalised(record: WireRecord, effects: readonly Effect[]): WireRecord {
  if (!effectOf(effects, "normalise")) return record;
  const entries = Object.entries({ ...ADDED, ...record });
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

const HTML = `<html>
<head><title>502 Bad Gateway</title></head>
<body><center><h1>502 Bad Gateway</h1></center></body>
</html>
`;

/** The answer of a fault in front of the service; undefined where the service is to answer. */
export function gatewayAnswer(effects: readonly Effect[], meta: Meta): Answer | undefined {
  if (effectOf(effects, "html-502")) {
    return { status: 502, headers: { "Content-Type": "text/html" }, body: HTML };
  }
  if (effectOf(effects, "bare-429")) return { status: 429, headers: {}, body: "" };
  const fault = effectOf(effects, "status");
  return fault && statusAnswer(fault, meta);
}

function statusAnswer(fault: Extract<Effect, { type: "status" }>, meta: Meta): Answer {
  const { status, retry_after } = fault;
  const [code, known] = Object.entries(errorCodes).find(([name, each]) =>
    fault.code === undefined
      ? each.status === status && each.source === "documented"
      : name === fault.code,
  ) ?? [fault.code ?? "internal_error", undefined];
  const isTimed = retry_after !== undefined;
  const refusal = {
    ...{ code, status, form: known?.form ?? "a" },
    message: fault.message ?? `status ${status} from a fault of the emulator`,
    extra: isTimed ? { retry_after } : {},
    headers: isTimed ? { "Retry-After": String(retry_after) } : {},
  };
  return errorAnswer(refusal, meta, false);
}
