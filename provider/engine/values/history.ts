/** What a state says of its object's past, which no record of the service shows. */
import type { Kind } from "../../resources";
import type { EngineOptions, State } from "../types";

/** The status of an object that the service no longer keeps, and that the state does. */
export const EXPIRED = "expired";

/** The id that lists show now: a rotated key is patched, rotated and deleted under this one. */
export const currentId = ({ id, values }: State): string => {
  const current = values["current_key_id"];
  return typeof current === "string" ? current : id;
};

interface Past {
  readonly kind: Kind;
  readonly run: { readonly options: Pick<EngineOptions, "scope"> };
}

/**
 * Carries on what the state before said. Where a scope is set, it counts how often the guarded field
 * was seen to change: a backup before one change is none before the next, though both look alike.
 */
export function withHistory({ kind, run }: Past, prior: State, now: State): State {
  const { resumed, generation } = prior.private;
  const guard = run.options.scope === undefined ? undefined : kind.reading.backupBefore?.field;
  const hasChanged = guard !== undefined && prior.values[guard] !== now.values[guard];
  const count = hasChanged ? (generation ?? 0) + 1 : generation;
  const kept = {
    ...(resumed !== undefined && { resumed }),
    ...(count !== undefined && { generation: count }),
  };
  return { ...now, private: { ...now.private, ...kept } };
}
