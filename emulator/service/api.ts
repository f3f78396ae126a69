/** The path of a request through the service, from its faults to its journal entry. */
import { TWIN_HEADER, twinText } from "../../provider/contract";
import { effectOf, type Effect } from "../faults/effects";
import type { Faults } from "../faults/faults";
import { gatewayAnswer } from "../faults/distortions";
import { errorAnswer, successAnswer } from "../http/answer";
import type { Answer, Meta, Outcome } from "../http/answer";
import { ServiceError, serviceErrorOf } from "../http/errors";
import type { Journal } from "../journal";
import { isoOf, wait } from "../time/clock";
import { Admission, idempotencyKeyOf, type Admitted, type ApiRequest } from "./admission";
import { debugHeadersOf } from "./authenticate";
import { runs, type Call } from "./collection";
import { limitHeaders, shownOf, type Standing } from "./limits";
import { operationsOf, Router } from "./routes";
import type { Service } from "./service";

/** How the connection ends early: at once, or after some bytes of the body (default: half). */
export type Cut = "reset" | { readonly bytes: number | undefined };

export interface ApiResult {
  /** Undefined: there is no answer, the connection is only cut. */
  readonly answer: Answer | undefined;
  readonly cut?: Cut | undefined;
}

const REQUEST_ID_BYTES = 9;

export class Api {
  private readonly router: Router;

  constructor(
    private readonly service: Service,
    private readonly faults: Faults,
    private readonly journal: Journal,
  ) {
    this.router = new Router(operationsOf(service.contract, service.settings.strict));
  }

  /** One request; never throws for what the client does. */
  async handle(request: ApiRequest): Promise<ApiResult> {
    const { service } = this;
    try {
      service.scheduler.catchUp();
    } catch (error) {
      // It is tried again later; what this request asks for may still succeed.
      service.scheduler.failed(error);
    }
    const effects = this.faults.strike(request);
    const admission = new Admission(service, this.router, request, effects);
    const requestId = `req_${Buffer.from(service.randomBytes(REQUEST_ID_BYTES)).toString("hex")}`;
    const finishEntry = this.beginEntry(admission, requestId);
    const result = await this.answer(admission, requestId);
    finishEntry(result);
    return result;
  }

  private async answer(admission: Admission, requestId: string): Promise<ApiResult> {
    const { effects } = admission;
    const meta = (): Meta => ({ timestamp: this.service.clock.iso(), request_id: requestId });
    const gateway = gatewayAnswer(effects, meta());
    if (gateway || effectOf(effects, "reset-before")) {
      // The service itself never sees such a request.
      await delay(effects, "before");
      return gateway ? { answer: gateway } : { answer: undefined, cut: "reset" };
    }
    const answer = await this.serve(admission, meta);
    this.service.scheduler.plan();
    await delay(effects, "after");
    admission.release();
    const truncate = effectOf(effects, "truncate");
    return {
      answer: { ...answer, headers: { ...answer.headers, ...this.headers(admission) } },
      cut: effectOf(effects, "reset-after") ? "reset" : truncate && { bytes: truncate.bytes },
    };
  }

  private headers(admission: Admission): Record<string, string> {
    const { twinOf } = this.service.identity;
    // A twin says on every answer whose it is.
    return { ...contextHeaders(admission), ...(twinOf && { [TWIN_HEADER]: twinText(twinOf) }) };
  }

  private async serve(admission: Admission, meta: () => Meta): Promise<Answer> {
    const { service } = this;
    try {
      const admitted = admission.admit();
      if (await delay(admission.effects, "before")) service.scheduler.catchUp();
      const outcome = perform(service, admitted, admission.standing);
      if (outcome.status >= 500) {
        throw new ServiceError("internal_error", "the service failed", {}, outcome.headers);
      }
      return successAnswer(outcome, meta());
    } catch (error) {
      return errorAnswer(serviceErrorOf(error), meta(), service.settings.genericAuthErrors);
    }
  }

  /** Opens the journal entry; the function that it returns completes it. */
  private beginEntry(admission: Admission, requestId: string): (result: ApiResult) => void {
    const { request, effects } = admission;
    const { real } = this.service;
    const startedMs = real.monotonicMs();
    const entry = {
      request_id: requestId,
      method: request.method,
      path: request.path,
      query: request.query.toString(),
      started_at: isoOf(real.wallMs()),
      idempotency_key: idempotencyKeyOf(request) ?? null,
      faults: effects.map(({ type }) => type),
    };
    const seq = this.journal.begin(entry, request.body);
    return ({ answer }) => {
      const change = {
        operation: admission.match?.operation.name ?? null,
        key_id: admission.caller?.keyId ?? null,
        key_name: admission.caller?.name ?? null,
        ended_at: isoOf(real.wallMs()),
        duration_ms: Math.round((real.monotonicMs() - startedMs) * 1_000) / 1_000,
      };
      this.journal.end(seq, change, answer);
    };
  }
}

/** Headers that every answer to a known key carries. */
function contextHeaders({ request, caller, standing }: Admission): Record<string, string> {
  const debug = caller !== undefined && request.header("x-debug-auth")?.toLowerCase() === "true";
  return {
    ...limitHeaders(standing),
    ...(debug && debugHeadersOf(caller, request.remoteAddress, standing)),
  };
}

/** Waits as the faults demand; false where they demand nothing. */
async function delay(effects: readonly Effect[], when: "before" | "after"): Promise<boolean> {
  const waits = effects.flatMap((effect) =>
    effect.type === "delay" && effect.when === when ? [effect.ms] : [],
  );
  for (const ms of waits) await wait(ms);
  return waits.length > 0;
}

/** An outcome of status 500 and above is an error that is kept for the idempotency key. */
function perform(
  service: Service,
  { call, unit }: Admitted,
  standing: Standing | undefined,
): Outcome {
  const nowMs = service.clock.nowMs();
  const dated: Call = { ...call, nowMs };
  const { action } = call.match.operation;
  if (action === "auth_test") return authTest(service, dated, standing);
  // One statement sees one state.
  if (action === "list" || action === "get") return runs[action](service, dated);
  const { replays, database } = service;
  return database.transaction(() => {
    const run = () => failing(dated, () => runs[action](service, dated));
    if (unit === undefined) return run();
    const attempt = { unit, caller: call.caller, body: call.body, nowMs };
    const known = replays.find(attempt);
    if (known) return known;
    const outcome = run();
    replays.keep(attempt, outcome);
    return outcome;
  });
}

// A thrown refusal would undo the transaction, and with it the record of the failure.
function failing(call: Call, run: () => Outcome): Outcome {
  const fault = effectOf(call.effects, "replay-500");
  if (!fault) return run();
  if (fault.applied) run();
  return { status: 500, data: "null" };
}

/**
 * `GET /auth/test` (contract, part 4).
 * Assumption: Keys without limits.
 * Assumption: Name of the account.
 */
function authTest(
  { identity: { accountId } }: Service,
  { caller }: Call,
  standing: Standing | undefined,
): Outcome {
  const answer = {
    authenticated: true,
    key_id: caller.keyId,
    permissions: caller.permissions,
    ...(accountId !== undefined && { account_id: accountId }),
    ...(standing && { rate_limit: shownOf(standing) }),
  };
  return { status: 200, data: JSON.stringify(answer) };
}
