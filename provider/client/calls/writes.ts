/** Calls that change something. What they did is remembered, as lists may lag behind. */
import { encodeBody, fieldsMerged, hasMask, IDEMPOTENCY_KEY_LENGTH_MAX } from "../../contract";
import { InvalidInput, isRecord, issueAt, rotationAnswered, stated } from "../../contract";
import type { ResolvedResource, ResourceName, Values } from "../../contract";
import type { CallOptions, Rotated, WriteOptions, WriteResult } from "../api";
import type { Request } from "../chain/chain";
import type { Waiter } from "../chain/call";
import { ErpHostError, hasCode } from "../errors";
import { secretsOfBody } from "../redact";
import { recordOf, namesSetBy } from "./answered-record";
import { Reads } from "./reads";
import { incompleteError, itemPath } from "./service";

interface Write {
  readonly kind: ResourceName;
  /** Undefined for a create. */
  readonly id: string | undefined;
  readonly body: Values;
  readonly request: Request;
  /** Whether its idempotency key was made for this call. */
  readonly isOnlyOwn?: boolean;
}

/** Of what a PUT replaces: one list serves several in a row, with this process's own writes over it. */
const PUT_MAX_AGE_MS = 1_000;

/** What the engine asks of the client, in contract names; `ErpHost` wraps the same for people. */
export type Core = Pick<ClientCore, keyof ClientCore>;

/** The client as the engine uses it: reads and writes over one way to the service. */
export class ClientCore extends Reads {
  /** `body` under wire names, as `encodeBody` gives it: here and in `update`. */
  create(kind: ResourceName, body: Values, options: WriteOptions = {}): Promise<WriteResult> {
    return this.createBytes(kind, JSON.stringify(body), options);
  }

  /** The exact bytes again, for an intent of a process that died. */
  createBytes(kind: ResourceName, bytes: string, options: WriteOptions): Promise<WriteResult> {
    const resource = this.offered(kind, "create");
    const body = bodyOf(bytes);
    return this.within(options, (waiter) => {
      const request: Request = {
        kind,
        does: "create",
        method: "POST",
        path: resource.path,
        body: bytes,
        idempotencyKey: this.keyOf(options),
        secrets: lazySecrets(resource, body),
      };
      const isOnlyOwn = options.idempotencyKey === undefined;
      return this.write({ kind, id: undefined, body, request, isOnlyOwn }, waiter);
    });
  }

  update(
    kind: ResourceName,
    id: string,
    body: Values,
    options?: WriteOptions,
  ): Promise<WriteResult> {
    const resource = this.offered(kind, "update");
    const path = itemPath(resource.itemPath, id);
    return this.within(options, async (waiter) => {
      const whole =
        resource.updateMethod === "PUT" ? await this.whole(kind, id, body, waiter) : body;
      const request: Request = {
        kind,
        does: "update",
        method: resource.updateMethod,
        path,
        objectId: id,
        body: JSON.stringify(whole),
        secrets: lazySecrets(resource, whole),
      };
      return this.write({ kind, id, body: { ...body, ...whole }, request }, waiter);
    });
  }

  /** All that a client sets of an object, with these changes: a PUT clears what it does not hold. */
  private async whole(
    kind: ResourceName,
    id: string,
    changes: Values,
    waiter: Waiter,
  ): Promise<Values> {
    const resource = this.contract.resources[kind];
    const reading = await this.readOne(
      { kind, id, askedAt: this.clock.monotonicMs() },
      { maxAgeMs: PUT_MAX_AGE_MS },
      waiter,
    );
    if (reading.state === "gone") return changes; // The service says so.
    const { fields, properties } = reading.record;
    const set = Object.entries(fields).filter(
      ([name]) => resource.definition.fields[name]?.use !== "output",
    );
    const merged = fieldsMerged(encodeBody(resource, Object.fromEntries(set), properties), changes);
    const hidden = Object.keys(merged).find((name) => hasMask(merged[name]));
    if (hidden === undefined) return merged;
    throw stated(kind, [hidden], "holds a secret that the service hides: a PUT would overwrite it");
  }

  /** `absent` where it did not have the object, or did not say that it deleted it: lists can tell. */
  remove(kind: ResourceName, id: string, options?: CallOptions): Promise<"deleted" | "absent"> {
    const path = itemPath(this.offered(kind, "delete").itemPath, id);
    const request: Request = { kind, does: "delete", method: "DELETE", path, objectId: id };
    return this.within(options, (waiter) => this.delete(kind, request, waiter));
  }

  rotate(id: string, options?: WriteOptions): Promise<Rotated> {
    const request: Request = {
      kind: "api_key",
      does: "rotate",
      method: "POST",
      path: itemPath(this.contract.rotatePath, id),
      objectId: id,
      body: "{}",
      idempotencyKey: this.keyOf(options),
    };
    return this.within(options, async (waiter) => {
      const call = this.chain.callOf(request, waiter);
      const answer = await this.chain.sendCall(call);
      const { timestamp = "" } = answer.meta ?? {};
      const at = timestamp === "" ? new Date(this.clock.wallMs()).toISOString() : timestamp;
      const parsed = rotationAnswered(at).safeParse(answer.data);
      if (!parsed.success) throw incompleteError(call, answer, "old_key and new_key");
      this.listOf("api_key").distrust();
      return { rotation: parsed.data, replayed: answer.replayed };
    });
  }

  /** Sends a write and remembers what it did; an unknown outcome makes what is known old. */
  private async write(write: Write, waiter: Waiter): Promise<WriteResult> {
    const { kind, id, body, request, isOnlyOwn } = write;
    const { contract, chain } = this;
    const list = this.listOf(kind);
    const call = chain.callOf(request, waiter);
    try {
      const answer = await chain.sendCall(call);
      const resource = contract.resources[kind];
      const before = id === undefined ? undefined : list.writes.get(id)?.record;
      const record = recordOf(resource, call, answer, { body, before });
      const { meta, replayed } = answer;
      // A replay shows what was, not what is, unless nobody but this call had its key.
      if (!replayed || isOnlyOwn) {
        const names = namesSetBy(resource, body);
        list.wrote(record.id, { record, names, serviceTime: meta?.timestamp });
      }
      return { record, meta, replayed, leftOpen: call.leftOpen };
    } catch (error) {
      if (error instanceof ErpHostError && error.ambiguous) list.distrust();
      throw error;
    }
  }

  private async delete(
    kind: ResourceName,
    request: Request & { readonly objectId?: string },
    waiter: Waiter,
  ): Promise<"deleted" | "absent"> {
    const list = this.listOf(kind);
    try {
      const { succeeded, status, meta } = await this.chain.send(request, waiter);
      // Assumption: Statuses of success.
      if (succeeded || status === 202 || status === 204) {
        const write = { record: undefined, names: [], serviceTime: meta?.timestamp };
        list.wrote(request.objectId ?? "", write);
        return "deleted";
      }
      list.distrust();
    } catch (error) {
      if (error instanceof ErpHostError && error.ambiguous) list.distrust();
      if (!hasCode(error, "not_found")) throw error;
    }
    // It may be a fault, even after an attempt whose answer was lost; only lists can tell.
    return "absent";
  }

  /** @throws InvalidInput for what no header can hold. */
  private keyOf(options: WriteOptions | undefined): string {
    const key = options?.idempotencyKey ?? this.injectables.uuid();
    if (key.length <= IDEMPOTENCY_KEY_LENGTH_MAX && /^[\x21-\x7e]+$/.test(key)) return key;
    const expected = `must be 1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} visible ASCII characters`;
    throw new InvalidInput("idempotencyKey", [issueAt([], "wrong_form", { expected })]);
  }
}

const lazySecrets = (resource: ResolvedResource, body: Values) => () =>
  secretsOfBody(resource, body);

/** The fields in bytes that an earlier process wrote. */
function bodyOf(bytes: string): Values {
  const body: unknown = JSON.parse(bytes);
  if (isRecord(body)) return body;
  throw new InvalidInput("body", [issueAt([], "wrong_type", { type: "object" })]);
}
