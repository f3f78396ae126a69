/** What a program's inputs change, path by path. */
import { changesOf, diff, EngineError, isRetried, plannedRights } from "../../../engine";
import type { Change } from "../../../engine";
import { pathText } from "../../../messages";
import { programPath, type Kind } from "../../../resources";
import { fromPulumi, heed, stateOf, tell } from "../../values";
import { DiffChanges, DiffKind } from "../messages.gen";
import type { DiffRequest, DiffResponse, PropertyDiff } from "../messages.gen";
import type { Session } from "../session";
import { decode } from "../values/property-values";

/**
 * In a refresh it only shows what somebody changed: that is neither planned nor refused.
 * @throws where the change is refused (protection, another account)
 */
export async function answerDiff(session: Session, request: DiffRequest): Promise<DiffResponse> {
  const call = session.resource(request.urn);
  const { kind } = call;
  const prior = stateOf(kind, request.id, decode(request.olds).values);
  const inputs = fromPulumi(kind, decode(request.news).values);
  if (session.refreshed.has(request.urn)) {
    return responseOf(kind, changesOf(kind, prior, inputs), false);
  }
  session.protects.note(call.urn, prior);
  const seen = await call.observe({ prior });
  const difference = diff(seen, prior, inputs);
  const { changes, rewrites, refused, notes } = difference;
  if (refused) throw new EngineError(refused);
  heed(call, plannedRights(seen, { prior, inputs, difference }));
  for (const { reason } of changes) if (reason) tell(call, reason);
  for (const note of notes) tell(call, note);
  // Pulumi forgets in a refresh that an object failed.
  return responseOf(kind, changes, rewrites || isRetried(seen, prior, inputs));
}

/** A state that is only rewritten or looked at again is an update without a difference: only then does Pulumi write it. */
function responseOf(kind: Kind, changes: readonly Change[], rewrites: boolean): DiffResponse {
  const heads = (of: readonly Change[]): string[] => [
    ...new Set(of.map((change) => String(shownPath(kind, change)[0]))),
  ];
  return {
    changes: rewrites || changes.length > 0 ? DiffChanges.diff_some : DiffChanges.diff_none,
    diffs: heads(changes),
    replaces: heads(changes.filter(({ replace }) => replace)),
    // The new object is created first: names need not be unique, and the service stays available.
    deleteBeforeReplace: false,
    hasDetailedDiff: true,
    detailedDiff: Object.fromEntries(
      changes.map((change): [string, PropertyDiff] => {
        const path = shownPath(kind, change);
        const end = path.findIndex((part) => String(part).endsWith("\\"));
        const does = end < 0 ? change.kind : "update";
        return [
          pathText(end < 0 ? path : path.slice(0, end), quoted),
          { kind: DiffKind[`${does}${change.replace ? "_replace" : ""}` as const] },
        ];
      }),
    ),
  };
}

/** Pulumi knows no escape but that of a quote: a key that ends in a backslash is shown by what holds it. */
const quoted = (key: string): string => `"${key.replaceAll('"', '\\"')}"`;

/** A change that only the engine decides shows at the input that led to it. */
function shownPath(kind: Kind, { path }: Change) {
  const [head] = path;
  return programPath(kind.name, head === "rotation_due" ? ["rotate_after"] : path);
}
