/** What a program's inputs change, path by path. */
import { camel } from "../../../contract";
import { EngineError, type Change } from "../../../engine";
import type { Kind } from "../../../resources";
import { stateOf } from "../../private-state";
import { fromPulumi } from "../../values";
import { diffKinds, differs, type DiffRequest, type DiffResponse } from "../messages";
import { pathText, pulumiPathOf } from "../values/paths";
import { decode } from "../values/property-values";
import type { Session } from "../session";
import { textOf } from "../voice";

/** @throws where the change is refused (protection, another account) */
export async function diff(session: Session, request: DiffRequest): Promise<DiffResponse> {
  const subject = session.subject(request.urn);
  const { kind, engine, urn } = subject;
  return session.told(subject, async () => {
    const prior = stateOf(kind, request.id, decode(request.olds).values);
    const inputs = fromPulumi(kind, decode(request.news).values);
    const found = await engine.diff(kind, prior, inputs, urn);
    if (found.refused) throw new EngineError(found.refused);
    const reasons = found.changes.flatMap(({ reason }) => reason ?? []);
    for (const message of [...reasons, ...found.notes]) {
      session.host.log({ severity: "info", text: textOf(kind, message), urn });
    }
    return responseOf(kind, found.changes);
  });
}

function responseOf(kind: Kind, changes: readonly Change[]): DiffResponse {
  const heads = (of: readonly Change[]): string[] => [
    ...new Set(of.map((change) => String(shownPath(kind, change)[0]))),
  ];
  return {
    changes: changes.length > 0 ? differs.some : differs.none,
    diffs: heads(changes),
    replaces: heads(changes.filter(({ replace }) => replace)),
    // A new object is made before the old one goes: names need not be unique, and work goes on.
    deleteBeforeReplace: false,
    hasDetailedDiff: true,
    detailedDiff: Object.fromEntries(
      changes.map((change) => [
        pathText(shownPath(kind, change)),
        { kind: diffKinds[change.kind][change.replace ? 1 : 0] },
      ]),
    ),
  };
}

/** A change of what only the engine decides shows at the input that led to it. */
function shownPath(kind: Kind, { path }: Change) {
  const [head] = path;
  return head === "rotation_due" ? [camel("rotate_after")] : pulumiPathOf(kind, path);
}
