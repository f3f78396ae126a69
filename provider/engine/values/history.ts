/** What a state says of its object's past, which no record of the service shows. */
import type { Operation } from "../operation";
import type { State } from "../types";

/**
 * Carries on what the state before said. Where a scope is set, it counts how often the guarded field
 * was seen to change: a backup before one change is none before the next, though both look alike.
 */
export function remembered({ kind, machine }: Operation, prior: State, now: State): State {
  const { resumed, generation } = prior.private;
  const guard = machine.options.scope === undefined ? undefined : kind.reading.backupBefore?.field;
  const hasChanged = guard !== undefined && prior.values[guard] !== now.values[guard];
  const count = hasChanged ? (generation ?? 0) + 1 : generation;
  const kept = {
    ...(resumed !== undefined && { resumed }),
    ...(count !== undefined && { generation: count }),
  };
  return { ...now, private: { ...now.private, ...kept } };
}
