/** Creating an object exactly once: what was begun is found, or else one attempt is made. */
import { hasCode } from "../../client";
import type { ServiceRecord, Values } from "../../contract";
import { message } from "../../messages";
import { engineError } from "../errors";
import {
  assertOffered,
  isFirst,
  notOffered,
  type Operation,
  type Run,
  type Served,
} from "../service/operation";
import { attempt } from "./attempt";
import { ofCandidates } from "./candidates";
import { claim, createdEarlier, ofFound } from "./claim";
import { keysOfCreate, requestOf, type CreateRequest, type KeySource } from "./keys";
import { assertNamesakeAllowed, subjectOfNamesake, namesakeOf } from "./names";
import { isOfThisCall, replayed, send, unrepeatable } from "./replay";
import { search } from "./search";
import { found, registered, type Created } from "./take";
import { refusalOfEarlier } from "./verdicts";

/** Random keys that one create tries, where the service keeps repeating its own failure. */
const RANDOM_MAX = 2;
/** Objects of one declaration that may be made and removed within the service's memory. */
const DERIVED_MAX = 50;

/** Creates the object, or finds the one that an interrupted run created for the same purpose. */
export async function createOnce(op: Operation, inputs: Values): Promise<Created> {
  assertOffered(op, "create");
  const request = requestOf(op, inputs);
  const { purpose } = request;
  const claimed = await claim(op, purpose);
  // What was never sent is created only now, and then perhaps next to somebody else's. That is worth
  // a warning: a list that cannot be read must not keep the claimed entries from being followed.
  const isOpen = claimed.some(({ entry }) => entry.answer === undefined);
  // The same look, further down, fails the create.
  const before = isOpen ? await namesakeOf(op, inputs).catch(() => undefined) : undefined;
  const earlier = await createdEarlier(op, inputs, claimed, purpose.bodyHash);
  if (earlier) return reported(op, earlier, before);
  const keys = keysOfCreate(op, inputs);
  const namesake = await namesakeOf(op, inputs);
  if (namesake) assertNamesakeAllowed(op, inputs, namesake);
  if (!keys) reportOutside(op);
  const created = keys
    ? await createInScope(op, inputs, { ...request, keys })
    : await createUnderRandomKey(op, inputs, request);
  return reported(op, created, namesake);
}

/** What the service answers to a create that it does not offer, with the remedy. */
const asNotOffered = ({ kind }: Operation, error: unknown): unknown =>
  hasCode(error, "not_offered") ? notOffered(kind, "create", error.data) : error;

function reported(op: Operation, created: Created, namesake: ServiceRecord | undefined): Created {
  const { id: made } = created.record;
  if (namesake && namesake.id !== made) {
    const parts = { made, namesake: subjectOfNamesake(op, namesake), isShown: op.isShown };
    op.warn("made_with_same_name", parts);
  }
  return created;
}

/** A scope does not reach what has no identity; said once per kind and run. */
function reportOutside({ kind, run, options, warnings }: Operation): void {
  if (options.unscoped || run.options.scope === undefined) return;
  if (!isFirst(run.said, `outside ${kind.name}`)) return;
  warnings.push(message("outside_scope", { kind: kind.name }, { subject: { kind: kind.name } }));
}

/** What the entries of a create say. */
const aboutOf = ({ purpose }: CreateRequest, { name }: Values) => ({
  operation: "create" as const,
  bodyHash: purpose.bodyHash,
  ...(typeof name === "string" && { name }),
});

/** A create under a random key, which nobody else knows. */
function createUnderRandomKey(
  op: Operation<Served>,
  inputs: Values,
  request: CreateRequest,
): Promise<Created> {
  const { bytes } = request;
  return attempt(op, {
    about: aboutOf(request, inputs),
    bytes,
    keys: () => op.run.uuid(),
    linksMax: RANDOM_MAX,
    ask: async (entry) => {
      const written = await send(op, bytes, entry.idempotencyKey).catch((error: unknown) => {
        if (!hasCode(error, "replayed_failure")) throw asNotOffered(op, error);
      });
      if (!written) {
        const judge = async () => ofFound(op, inputs, entry, await search(op, entry));
        return judge().catch(refusalOfEarlier);
      }
      const { record, meta } = written;
      return registered(op, entry, found("done", { record, serviceTime: meta?.timestamp }));
    },
    spent: () => engineError("not_created", { kind: op.kind.name, keys: RANDOM_MAX }),
  });
}

/** Under derived keys: one after another, until one leads to an object that is ours. */
function createInScope(
  op: Operation<Served>,
  inputs: Values,
  request: CreateRequest & { readonly keys: KeySource },
): Promise<Created> {
  const { ledger, turns } = op.run;
  const { bytes, keys } = request;
  const first = keys();
  return inTurn(turns, first, () => {
    const made = ledger.madeUnder(first);
    if (made !== undefined && ledger.maker(op.at(made)) !== undefined) {
      const { identity } = op.options;
      throw engineError("identity_shared", { subject: op.subject(made), identity });
    }
    return attempt(op, {
      about: { ...aboutOf(request, inputs), scoped: true },
      bytes,
      keys,
      linksMax: DERIVED_MAX,
      ask: async (entry) => {
        const judge: Parameters<typeof ofCandidates>[2]["judge"] = async (written) => {
          const { record, meta } = written;
          return isOfThisCall(written, entry.serviceTime)
            ? found("done", { record, serviceTime: meta?.timestamp })
            : replayed(op, inputs, record);
        };
        const verdict = await send(op, bytes, entry.idempotencyKey).then(
          judge,
          (error: unknown) => {
            const why = unrepeatable(error);
            if (why === undefined) throw asNotOffered(op, error);
            return ofCandidates(op, inputs, { why, entry, judge });
          },
        );
        return registered(op, entry, verdict, first);
      },
    });
  });
}

/** Runs creates of one first key in turn: two at once would each wait for the other's answer. */
async function inTurn<T>(turns: Run["turns"], key: string, work: () => Promise<T>): Promise<T> {
  const before = turns.get(key) ?? Promise.resolve();
  const mine = before.then(work, work);
  turns.set(key, mine);
  return mine;
}
