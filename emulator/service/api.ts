/** The way of one request through the service, from its faults to its journal entry. */
import { effectOf, type Effect } from "../faults/effects";
import type { Faults } from "../faults/faults";
import { gatewayAnswer } from "../faults/gateway";
import { errorAnswer, successAnswer, type Answer, type Meta } from "../http/answer";
import { ServiceError } from "../http/errors";
import type { Journal } from "../journal";
import { isoOf } from "../time/clock";
import { wait } from "../time/wait";
import { admit, idempotencyKeyOf, type ApiRequest, type Progress } from "./admission";
import { debugHeadersOf } from "./authenticate";
import { limitHeaders } from "./limits";
import { perform } from "./perform";
import { createRouter, operationsOf, type Router } from "./routes";
import type { Service } from "./service";

/** How the connection ends early: at once, or after so many bytes of the body (default: half). */
export type Cut = "reset" | { readonly bytes: number | undefined };

export interface ApiResult {
  /** Undefined: nothing was made, the connection is only cut. */
  readonly answer: Answer | undefined;
  readonly cut?: Cut | undefined;
}

export type Api = (request: ApiRequest) => Promise<ApiResult>;

const REQUEST_ID_BYTES = 9;

export function createApi(service: Service, faults: Faults, journal: Journal): Api {
  const router = createRouter(operationsOf(service.contract, service.settings.strict));
  return async (request) => {
    service.scheduler.wake();
    const effects = faults.strike(request);
    const progress: Progress = {
      effects,
      match: undefined,
      caller: undefined,
      standing: undefined,
    };
    const requestId = `req_${Buffer.from(service.randomBytes(REQUEST_ID_BYTES)).toString("hex")}`;
    const end = begin(service, journal, request, requestId, progress);
    return end(await answered(service, router, request, requestId, progress));
  };
}

async function answered(
  service: Service,
  router: Router,
  request: ApiRequest,
  requestId: string,
  progress: Progress,
): Promise<ApiResult> {
  const { effects } = progress;
  const meta = (): Meta => ({ timestamp: service.clock.iso(), request_id: requestId });
  const gateway = gatewayAnswer(effects, meta());
  if (gateway || effectOf(effects, "reset-before")) {
    // Such an answer comes from in front of the service, which is then not asked at all.
    await delay(effects, "before");
    return gateway ? { answer: gateway } : { answer: undefined, cut: "reset" };
  }
  let answer: Answer;
  let release: () => void = () => undefined;
  try {
    const admitted = admit(service, router, request, progress);
    release = admitted.release;
    if (await delay(effects, "before")) service.scheduler.wake();
    const outcome = perform(service, admitted, progress);
    if (outcome.status >= 500) {
      throw new ServiceError("internal_error", "the service failed", {}, outcome.headers);
    }
    answer = successAnswer(outcome, meta());
  } catch (error) {
    answer = errorAnswer(refusalOf(error), meta(), service.settings.genericAuthErrors);
  }
  service.scheduler.plan();
  await delay(effects, "after");
  release();
  const truncate = effectOf(effects, "truncate");
  return {
    answer: { ...answer, headers: { ...answer.headers, ...contextHeaders(request, progress) } },
    cut: effectOf(effects, "reset-after") ? "reset" : truncate && { bytes: truncate.bytes },
  };
}

/** Headers that every answer to a known key carries. */
function contextHeaders(request: ApiRequest, progress: Progress): Record<string, string> {
  const { caller, standing } = progress;
  const debug = caller !== undefined && request.header("x-debug-auth")?.toLowerCase() === "true";
  return {
    ...limitHeaders(standing),
    ...(debug && debugHeadersOf(caller, request.remoteAddress, standing)),
  };
}

/** Opens the journal entry; what it returns closes it. */
function begin(
  service: Service,
  journal: Journal,
  request: ApiRequest,
  requestId: string,
  progress: Progress,
): (result: ApiResult) => ApiResult {
  const { real } = service;
  const startedMs = real.monotonicMs();
  const entry = {
    request_id: requestId,
    method: request.method,
    path: request.path,
    query: request.query.toString(),
    started_at: isoOf(real.wallMs()),
    idempotency_key: idempotencyKeyOf(request) ?? null,
    faults: progress.effects.map(({ type }) => type),
  };
  const seq = journal.begin(entry, request.body);
  return (result) => {
    journal.note(seq, {
      operation: progress.match?.operation.name ?? null,
      key_id: progress.caller?.keyId ?? null,
      status: result.answer?.status ?? null,
      ended_at: isoOf(real.wallMs()),
      duration_ms: Math.round((real.monotonicMs() - startedMs) * 1_000) / 1_000,
      replayed: result.answer?.headers["Idempotent-Replayed"] === "true",
    });
    return result;
  };
}

// Whatever else is thrown is a fault of the emulator; its text helps whoever runs it.
const refusalOf = (error: unknown): ServiceError =>
  error instanceof ServiceError
    ? error
    : new ServiceError("internal_error", `the emulator failed: ${String(error)}`);

/** Whether it waited. */
async function delay(effects: readonly Effect[], when: "before" | "after"): Promise<boolean> {
  const waits = effects.filter((effect) => effect.type === "delay" && effect.when === when);
  for (const effect of waits) {
    if (effect.type !== "delay") continue;
    await wait(effect.ms);
  }
  return waits.length > 0;
}
