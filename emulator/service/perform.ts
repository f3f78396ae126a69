/** Does what a request asks for: once per idempotency key, in one transaction with its replay. */
import { effectOf } from "../faults/effects";
import type { Outcome } from "../http/answer";
import { isoOf } from "../time/clock";
import type { Admitted } from "./admission";
import { runs, type Call } from "./collection";
import type { Standing } from "./limits";
import type { Service } from "./service";

/** An outcome of status 500 and above is an error that is kept for the idempotency key. */
export function perform(
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
    ...(standing && {
      rate_limit: {
        limit: standing.limit,
        remaining: standing.remaining,
        reset: isoOf(standing.resetMs),
      },
    }),
  };
  return { status: 200, data: JSON.stringify(answer) };
}
