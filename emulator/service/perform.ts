/** Does what a request asks: once per idempotency key, effect and record in one transaction. */
import { effectOf } from "../faults/effects";
import type { Outcome } from "../http/answer";
import { isoOf } from "../time/clock";
import type { Admitted, Progress } from "./admission";
import { runs, type Call } from "./collection";
import type { Service } from "./service";

/** A status of 500 and above is an error that was kept for the key; its data is nothing. */
export function perform(service: Service, { call, unit }: Admitted, progress: Progress): Outcome {
  const nowMs = service.clock.nowMs();
  const dated: Call = { ...call, nowMs };
  const { action } = call.match.operation;
  if (action === "auth_test") return authTest(dated, progress);
  const { replays, database } = service;
  return database.transaction(() => {
    const known =
      unit === undefined ? undefined : replays.find(unit, call.caller, call.body, nowMs);
    if (known) return known;
    const outcome = failing(dated, () => runs[action](service, dated));
    if (unit !== undefined) replays.keep(unit, call.caller, call.body, outcome, nowMs);
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

/** `GET /auth/test` (contract, part 4). Assumption: a key without limits has no `rate_limit`. */
function authTest({ caller }: Call, { standing }: Progress): Outcome {
  const answer = {
    authenticated: true,
    key_id: caller.keyId,
    permissions: caller.permissions,
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
