/** What reads and writes share: the way to the service, and one known list per resource. */
import { InvalidInput, issueAt, resources } from "../../contract";
import type { Contract, OperationName, ResolvedResource, ResourceName } from "../../contract";
import { message, type Message } from "../../messages";
import type { Account, CallOptions } from "../api";
import type { Answer, Call, Waiter } from "../chain/call";
import { ABANDONED } from "../cancellation";
import { Chain } from "../chain/chain";
import type { Clock } from "../clock";
import { ErpHostError } from "../errors";
import { List } from "../lists/list";
import type { Injectables } from "../settings/system";
import type { Configuration } from "../settings/read";

export class Service {
  readonly contract: Contract;
  readonly account: Account;
  protected readonly clock: Clock;
  protected readonly chain: Chain;
  private readonly lists = new Map<ResourceName, List>();

  /** Makes no call. */
  constructor(
    configuration: Configuration,
    protected readonly injectables: Injectables,
  ) {
    this.contract = configuration.contract;
    this.account = configuration.account;
    this.clock = injectables.clock;
    this.chain = new Chain(configuration, injectables);
  }

  /** Uses another key from now on (self-rotation). */
  useKey(apiKey: string): void {
    this.chain.useKey(apiKey);
  }

  /** Lets requests under way finish and ends connections; other calls fail. Once is enough. */
  close(): Promise<void> {
    return this.chain.close();
  }

  /** The resource, where the service offers the operation. @throws ErpHostError `not_offered`. */
  protected offered(kind: ResourceName, operation: OperationName): ResolvedResource {
    const resource = this.contract.resources[kind];
    if (resource.operations[operation]) return resource;
    throw new ErpHostError({
      code: "not_offered",
      operation: `${operation} ${resource.path}`,
      why: message("operation_not_offered", { operation, plural: resources[kind].plural }),
    });
  }

  /** What is known of a kind's list, one per client; every kind has one. */
  protected listOf(kind: ResourceName): List {
    const known = this.lists.get(kind);
    if (known) return known;
    const list = new List({
      resource: this.contract.resources[kind],
      clock: this.clock,
      settleMs: this.contract.settleWindowMs,
      get: (path, waiter) => this.chain.send({ kind, does: "list", method: "GET", path }, waiter),
    });
    this.lists.set(kind, list);
    return list;
  }

  /** Runs with the caller's signal and time, and releases both at the end. */
  protected async within<T>(
    options: CallOptions | undefined,
    run: (waiter: Waiter) => Promise<T>,
  ): Promise<T> {
    const cancel = this.chain.cancellation(options);
    try {
      return await run({ cancel, onNotice: options?.onNotice });
    } catch (error) {
      // Other pages of the same list.
      cancel.cancel(ABANDONED);
      throw error;
    } finally {
      cancel.dispose();
    }
  }
}

/** @throws InvalidInput for what cannot be the last part of a path. */
export function assertId(id: string): void {
  if (id !== "" && id !== "." && id !== "..") return;
  throw new InvalidInput("id", [issueAt([], "not_an_id", {})]);
}

/** The path of one object. @throws InvalidInput for an id that cannot be one. */
export function itemPath(template: string, id: string): string {
  assertId(id);
  return template.replace("{id}", () => encodeURIComponent(id));
}

/** A success that nothing can be made of. */
export const invalidResponse = (call: Call, answer: Answer, why: Message): ErpHostError =>
  new ErpHostError({
    code: "invalid_response",
    operation: call.operation,
    objectId: call.objectId,
    status: answer.status,
    why,
    requestId: answer.meta?.request_id,
    attempts: call.attempt,
    ambiguous: call.method !== "GET",
  });

export const incompleteError = (call: Call, answer: Answer, missing: string): ErpHostError =>
  invalidResponse(call, answer, message("response_incomplete", { missing }));
