/**
 * One attempt: an entry in the journal, then the request, then the verdict on both. Derived keys
 * are the same on every machine, and the service replays its answer to one for a day: a run
 * elsewhere can ask what an interrupted run was answered.
 */
import { createHash, createHmac } from "node:crypto";
import { canonicalJson, encodeBody, type Values } from "../../contract";
import { engineError } from "../errors";
import type { Intent, IntentEntry, Purpose } from "../journal/entry";
import { seal } from "../journal/ours";
import type { Kind } from "../../resources";
import { isServed, type Caller, type Parts, type Voice } from "../service/operation";
import { fixedOf, sentFields } from "../values/inputs";
import { discard } from "./take";
import { refusal, refusalOfEarlier, VERDICTS, type Verdict } from "./verdicts";

const PAUSE_MS = 250;

/** What keys of creates are derived from. */
export type Keyed = Parts<"account" | "kind" | "options" | "settings">;

/** What makes the request of a create. */
export type Asking = Pick<Caller, "kind" | "resource"> & Parts<"key" | "options">;

/** What settles an entry. */
type Settler = Caller<Kind> & Voice & Parts<"journal" | "options">;

/** What writes entries, and sends their requests. */
export type Sender = Settler & Parts<"clock" | "key" | "random" | "time" | "uuid">;

export interface Attempt<F> {
  /** What its entries say, besides what all of an operation say. */
  readonly about: Pick<IntentEntry, "operation" | "bodyHash"> & Partial<IntentEntry>;
  /** The exact bytes of a create; the entry has them sealed. */
  readonly bytes?: string;
  /** Default random ones, which ignore what the last one led to. */
  readonly keys?: KeySource | undefined;
  /** Keys that are tried, one after the other. */
  readonly linksMax: number;
  /** Sends the request under the entry's key, and judges what comes of it. */
  readonly ask: (entry: IntentEntry) => Promise<Verdict<F>>;
}

/** Whatever may leave something behind in the service is sent here, and nowhere else. */
export async function attempt<F>(
  op: Sender,
  { about, bytes, keys, linksMax, ask }: Attempt<F>,
): Promise<F> {
  const { core, calls, journal, key, time, uuid } = op;
  const { identity, derived } = op.options;
  const { name: kind } = op.kind;
  // A delete is known by its target, and may be sent again at any time.
  const isDelete = about.operation === "delete";
  let previous: string | undefined;
  for (let link = 0; link < linksMax; link += 1) {
    const idempotencyKey = keys?.(previous) ?? uuid();
    let entry: IntentEntry = {
      version: 1,
      id: uuid(),
      account: core.account,
      kind,
      idempotencyKey,
      time: op.clock.wallMs(),
      ...about,
    };
    if (!isDelete) {
      const serviceTime = time.now() ?? (await time.ask(calls));
      const body =
        bytes && seal(bytes, { apiKey: key.secret, nonce: op.random(12), intent: entry });
      entry = { ...entry, identity, derived, serviceTime, body };
    }
    const intent = await journal.begin(entry, !isDelete);
    const verdict = await decide(op, intent, ask(entry), refusal);
    if ("found" in verdict) return verdict.found;
    previous = "previous" in verdict ? verdict.previous : idempotencyKey;
  }
  if (keys) throw engineError("generations_used_up", { kind, count: linksMax });
  throw engineError("not_created", { kind, keys: linksMax });
}

/** Dead processes' entries of this purpose, oldest first. Reports its first wait for a live one. */
export function claim(op: Voice & Parts<"journal" | "pause">, purpose: Purpose): Promise<Intent[]> {
  let reported = false;
  return op.journal.claim(purpose, () => {
    if (!reported) op.progress("waiting_for_run", {});
    reported = true;
    return op.pause(PAUSE_MS);
  });
}

/** Follows what was begun, oldest first, until one leads to something; the others are left. */
export async function followed<F>(
  op: Settler,
  begun: readonly Intent[],
  judge: (entry: Intent) => Promise<Verdict<F>>,
): Promise<F | undefined> {
  const left = new Set(begun);
  try {
    for (const intent of begun) {
      left.delete(intent);
      const verdict = await decide(op, intent, judge(intent), refusalOfEarlier);
      if ("found" in verdict) return verdict.found;
    }
    return undefined;
  } finally {
    for (const intent of left) await op.journal.abandon(intent);
  }
}

/** @throws the error of a verdict that refuses, or that a person decides */
export async function decide<F>(
  op: Settler,
  intent: Intent | undefined,
  judged: Promise<Verdict<F>>,
  refused: typeof refusal,
): Promise<Exclude<Verdict<F>, { error: unknown }>> {
  const { journal } = op;
  let verdict: Verdict<F>;
  try {
    verdict = await judged;
    // Before its entry goes: what cannot be removed now is found again.
    if (verdict.is === "unwanted" && isServed(op)) await discard(op, verdict.id);
  } catch (error) {
    verdict = refused(error);
  }
  if (intent) {
    const { entry: fate } = VERDICTS[verdict.is];
    if (fate === "kept" && "id" in verdict) await journal.recordAnswer(intent, verdict.id);
    if (fate === "dropped") await journal.drop(intent);
    if (fate === "left") await journal.abandon(intent);
    if (fate === "aside") journal.setAside(op.options.identity, intent);
  }
  if ("error" in verdict) throw verdict.error;
  return verdict;
}

/** Changes when keys are derived in another way: the keys of both ways never meet. */
const VERSION = 1;

/** The key that follows the one that led to `previous`; the first one without it. */
export type KeySource = (previous?: string) => string;

const keyFrom = (parts: readonly unknown[]): string =>
  `erphost-${createHash("sha256").update(canonicalJson(parts)).digest("base64url")}`;

/**
 * Keys of a create; undefined without a scope, or where nothing says which declaration it is for: what
 * the host calls it, otherwise its name, which is unique where a scope is set.
 */
export function keysOfCreate(op: Keyed, inputs: Values): KeySource | undefined {
  const { account, kind, options } = op;
  const { scope } = op.settings;
  if (scope === undefined || op.options.unscoped) return undefined;
  const { name } = inputs;
  const hasIdentity = options.identity !== undefined;
  if (!hasIdentity && typeof name !== "string") return undefined;
  const identity = hasIdentity ? ["identity", options.identity] : ["name", name];
  return (previous = "") =>
    keyFrom([
      ...["create", VERSION, scope, account.baseUrl, account.environment, kind.name],
      ...[identity, options.occasion ?? null, fixedOf(kind, inputs), previous],
    ]);
}

/** Keys of the rotation of a key, which happens once in its life: the account and its id are enough. */
export const keysOfRotation =
  ({ account }: Parts<"account">, keyId: string): KeySource =>
  (previous = "") =>
    keyFrom(["rotate", VERSION, account.baseUrl, account.environment, keyId, previous]);

export function requestOf(op: Asking, inputs: Values) {
  const { identity } = op.options;
  const sent = sentFields(op.kind, inputs);
  const fields = encodeBody(op.resource, sent.fields, sent.properties);
  const bytes = JSON.stringify(fields);
  // Keyed, since a plain hash would let one guess a secret. Hosts that give no identity find entries
  // by it even after a change of the key: there it is plain where no secret properties are given.
  const plain = identity === undefined && inputs["secret_properties"] === undefined;
  const hash = plain ? createHash("sha256") : createHmac("sha256", op.key.secret);
  const bodyHash = hash.update(bytes).digest("base64url");
  const purpose = { operation: "create", kind: op.kind.name, identity, bodyHash } as const;
  return { bytes, purpose };
}
