/** Creating an object exactly once: what was begun is found, or else one attempt is made. */
import { hasCode, type WriteResult } from "../../client";
import type { Values } from "../../contract";
import { engineError } from "../errors";
import { assertNameFree } from "../plan/names";
import { isFirst, notOffered, type Operation, type Served } from "../service/operation";
import {
  attempt,
  claim,
  keysOfCreate,
  registered,
  requestOf,
  type Attempt,
  type KeySource,
} from "./attempt";
import { ofCandidates } from "./candidates";
import { createdEarlier, ofFound } from "./claim";
import { namesakesOf, namingOf } from "./names";
import { isOfThisCall, replayed, unrepeatable } from "./replay";
import { search } from "./search";
import type { Created } from "./take";
import { refusalOfEarlier, type Verdict } from "./verdicts";

/** Random keys that one create tries, where the service keeps repeating its own failure. */
const RANDOM_MAX = 2;
/** Objects of one declaration that may be made and removed within the service's memory. */
const DERIVED_MAX = 50;

export async function createOnce(op: Operation<Served>, inputs: Values): Promise<Created> {
  const { kind, options, settings } = op;
  const { name } = inputs;
  if (op.resource.operations.create === undefined) throw notOffered(kind, "create");
  const { bytes, purpose } = requestOf(op, inputs);
  const claimed = await claim(op, purpose);
  // What was never sent is created only now, and then perhaps next to somebody else's. That is worth
  // a warning: a list that cannot be read must not keep the claimed entries from being followed.
  const isOpen = claimed.some(({ entry }) => entry.answer === undefined);
  // The same look, further down, fails the create.
  const before = isOpen ? await namesakesOf(op, name).catch(() => undefined) : undefined;
  let namesake = before?.newest;
  let created =
    claimed.length === 0 ? undefined : await createdEarlier(op, inputs, claimed, purpose.bodyHash);
  if (!created) {
    const keys = keysOfCreate(op, inputs);
    namesake = (await namesakesOf(op, name))?.newest;
    if (namesake) assertNameFree(namingOf(op, inputs), inputs, namesake);
    // A scope does not reach what has no identity; said once per kind and run.
    const isOutside = !keys && !options.unscoped && settings.scope !== undefined;
    if (isOutside && isFirst(op.said, `outside ${kind.name}`)) {
      op.warn("outside_scope", { kind: kind.name }, { subject: { kind: kind.name } });
    }
    const about = {
      operation: "create",
      bodyHash: purpose.bodyHash,
      name: typeof name === "string" ? name : undefined,
    } as const;
    created = keys
      ? await createInScope(op, inputs, { about, bytes, keys })
      : await createUnderRandomKey(op, inputs, { about, bytes });
  }
  const { id: made } = created.record;
  if (namesake && namesake.id !== made) {
    const subject = op.subject(namesake.id, namesake.fields["name"]);
    op.warn("made_with_same_name", { made, namesake: subject, isShown: op.isShown });
  }
  return created;
}

const asNotOffered = ({ kind }: Operation, error: unknown): unknown =>
  hasCode(error, "not_offered") ? notOffered(kind, "create", error.data) : error;

interface Sent {
  readonly about: Attempt<Created>["about"];
  readonly bytes: string;
}

function createUnderRandomKey(
  op: Operation<Served>,
  inputs: Values,
  { about, bytes }: Sent,
): Promise<Created> {
  const { kind } = op;
  return attempt(op, {
    about,
    bytes,
    linksMax: RANDOM_MAX,
    ask: async (entry) => {
      const { idempotencyKey } = entry;
      const options = { ...op.calls, idempotencyKey };
      const written = await op.core
        .createBytes(kind.resource, bytes, options)
        .catch((error: unknown) => {
          if (!hasCode(error, "replayed_failure")) throw asNotOffered(op, error);
        });
      if (written) {
        const { record, meta } = written;
        const found = { record, serviceTime: meta?.timestamp };
        return registered(op, entry, { is: "done", id: record.id, found });
      }
      const judge = async () => ofFound(op, inputs, entry, await search(op, entry));
      return judge().catch(refusalOfEarlier);
    },
    spent: () => engineError("not_created", { kind: kind.name, keys: RANDOM_MAX }),
  });
}

/** Creates of one first key run in turn: two at once would each wait for the other's answer. */
function createInScope(
  op: Operation<Served>,
  inputs: Values,
  { about, bytes, keys }: Sent & { readonly keys: KeySource },
): Promise<Created> {
  const { ledger, turns } = op;
  const first = keys();
  const work = async (): Promise<Created> => {
    const made = ledger.madeUnder(first);
    if (made !== undefined && ledger.maker(op.at(made)) !== undefined) {
      const { identity } = op.options;
      throw engineError("identity_shared", { subject: op.subject(made), identity });
    }
    return attempt(op, {
      about: { ...about, scoped: true },
      bytes,
      keys,
      linksMax: DERIVED_MAX,
      ask: async (entry) => {
        const judge = async (written: WriteResult): Promise<Verdict<Created>> => {
          const { record, meta } = written;
          return isOfThisCall(written, entry.serviceTime)
            ? { is: "done", id: record.id, found: { record, serviceTime: meta?.timestamp } }
            : replayed(op, inputs, record);
        };
        const options = { ...op.calls, idempotencyKey: entry.idempotencyKey };
        const verdict = await op.core
          .createBytes(op.kind.resource, bytes, options)
          .then(judge, (error: unknown) => {
            const why = unrepeatable(error);
            if (why === undefined) throw asNotOffered(op, error);
            return ofCandidates(op, inputs, { why, entry, judge });
          });
        return registered(op, entry, verdict, first);
      },
    });
  };
  const mine = (turns.get(first) ?? Promise.resolve()).then(work, work);
  turns.set(first, mine);
  return mine;
}
