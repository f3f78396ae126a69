/** What a program's inputs change, path by path. */
import type { DiffRequest } from "@pulumi/pulumi/proto/provider_pb";
import { DiffResponse, PropertyDiff } from "@pulumi/pulumi/proto/provider_pb";
import { camel } from "../../contract";
import { EngineError, type Change } from "../../engine";
import type { Kind } from "../../resources";
import { fromPulumi, speak } from "../values";
import { pathText, pulumiPathOf } from "./paths";
import { decode } from "./property-values";
import type { Session } from "./session";
import { stateOf } from "./state";

const { Kind: DiffKind } = PropertyDiff;
const { DiffChanges } = DiffResponse;

const kindsOfChange = {
  add: [DiffKind.ADD, DiffKind.ADD_REPLACE],
  update: [DiffKind.UPDATE, DiffKind.UPDATE_REPLACE],
  delete: [DiffKind.DELETE, DiffKind.DELETE_REPLACE],
} as const;

/** @throws where the change is refused (protection, another account) */
export async function diff(session: Session, request: DiffRequest): Promise<DiffResponse> {
  const subject = session.subject(request.getUrn());
  const { kind, engine, urn } = subject;
  return session.told(subject, async () => {
    const prior = stateOf(kind, request.getId(), decode(request.getOlds()).values);
    const inputs = fromPulumi(kind, decode(request.getNews()).values);
    const found = await engine.diff(kind, prior, inputs, urn);
    if (found.refused)
      throw new EngineError("protected", found.refused.message, found.refused.path);
    for (const { reason } of found.changes) {
      if (reason !== undefined) {
        session.host.log({ severity: "info", text: `rotates: ${speak(kind, reason)}`, urn });
      }
    }
    for (const note of found.notes) {
      session.host.log({ severity: "info", text: speak(kind, note), urn });
    }
    return responseOf(kind, found.changes);
  });
}

function responseOf(kind: Kind, changes: readonly Change[]): DiffResponse {
  const response = new DiffResponse();
  response.setChanges(changes.length > 0 ? DiffChanges.DIFF_SOME : DiffChanges.DIFF_NONE);
  response.setHasdetaileddiff(true);
  // A new object is made before the old one goes: names need not be unique, and work goes on.
  response.setDeletebeforereplace(false);
  const heads = (of: readonly Change[]): string[] => [
    ...new Set(of.map((change) => String(shownPath(kind, change)[0]))),
  ];
  response.setDiffsList(heads(changes));
  response.setReplacesList(heads(changes.filter(({ replace }) => replace)));
  const detailed = response.getDetaileddiffMap();
  for (const change of changes) {
    const [plain, replacing] = kindsOfChange[change.kind];
    const entry = new PropertyDiff();
    entry.setKind(change.replace ? replacing : plain);
    entry.setInputdiff(false);
    detailed.set(pathText(shownPath(kind, change)), entry);
  }
  return response;
}

/** A change of what only the engine decides shows at the input that led to it. */
function shownPath(kind: Kind, { path }: Change) {
  const [head] = path;
  return head === "rotation_due" ? [camel("rotate_after")] : pulumiPathOf(kind, path);
}
