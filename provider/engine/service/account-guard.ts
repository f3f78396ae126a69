/** Which account a run works on, and that the service behind it is the one that it is meant for. */
import type { Account, Core } from "../../client";
import type { TwinOf } from "../../contract";
import { message, type Message } from "../../messages";
import { engineError, EngineError } from "../errors";
import { accountRefusal, movesOnly } from "../plan/account";
import type { Scope, State, StateAccount } from "../types";
import { guardedCore } from "./guarded-core";

/** What a run says of other places than its own. */
export interface Places {
  /** States that have this address are given the run's own; nothing in the service is changed. */
  readonly formerBaseUrl?: string | undefined;
  /** The service is a twin of the account at this address. */
  readonly twinOf?: string | undefined;
  /** Runs for that account have worked in the very place in which this run works. */
  readonly isAccountsPlace?: boolean | undefined;
}

/** What the guard asks of its surroundings. */
interface Parts extends Places {
  readonly core: Core;
  readonly warn: (message: Message) => void;
  /** What interrupted runs left unfinished at the former address. */
  readonly unfinished: () => Promise<{ readonly count: number; readonly folder: string }>;
}

/** How long a service may take to say who it is. */
const ANSWER_MAX_MS = 120_000;

/** @throws EngineError where the state is another account's */
export function assertAccount(scope: Scope, state: State): void {
  const refusal = accountRefusal(scope, state);
  if (refusal) throw new EngineError(refusal);
}

/** @throws EngineError in a run that moves states */
export function assertChanges(
  scope: Pick<Scope, "former" | "kind">,
  does: "create" | "change" | "delete",
): void {
  const refused = movesOnly(scope, scope.kind.name, does);
  if (refused) throw new EngineError(refused);
}

export class AccountGuard {
  private id: string | undefined;
  private asking: Promise<void> | undefined;

  constructor(private readonly parts: Parts) {}

  get former(): string | undefined {
    return this.parts.formerBaseUrl;
  }

  get isAccountsPlace(): boolean {
    return this.parts.isAccountsPlace === true;
  }

  /** What this run writes into states. */
  get ours(): StateAccount {
    const { core, twinOf } = this.parts;
    const { baseUrl, environment } = core.account;
    return {
      baseUrl,
      environment,
      ...(this.id !== undefined && { id: this.id }),
      ...(twinOf !== undefined && { twinOf }),
    };
  }

  /** What the service calls the account, where it says anything. */
  learn(id: string | undefined): void {
    this.id ??= id;
  }

  /**
   * The service behind everything that this run does. A run on a twin calls nothing that has not
   * said that it is the one; a run that moves states changes nothing.
   */
  guarded(): Core {
    const { core, twinOf, formerBaseUrl } = this.parts;
    if (twinOf === undefined && formerBaseUrl === undefined) return core;
    const refusal = (kind: string) => movesOnly({ former: formerBaseUrl }, kind, "change");
    return guardedCore(core, () => this.confirm(), refusal);
  }

  /** Makes sure, once, that this run may do what it is configured for; nothing in an ordinary run. */
  confirm(): Promise<void> {
    const { twinOf, formerBaseUrl } = this.parts;
    if (twinOf === undefined && formerBaseUrl === undefined) return Promise.resolve();
    this.asking ??= this.ask().catch((error: unknown) => {
      this.asking = undefined;
      throw error;
    });
    return this.asking;
  }

  private async ask(): Promise<void> {
    const { core, twinOf, formerBaseUrl: from, warn, unfinished } = this.parts;
    const { accountId, twinOf: says } = await core.authTest({ timeoutMs: ANSWER_MAX_MS });
    this.learn(accountId);
    if (twinOf !== undefined) {
      assertTwin(core.account, twinOf, says);
      warn(message("twin_run", { twinOf, baseUrl: core.account.baseUrl }));
    }
    if (from === undefined) return;
    const { count, folder } = await unfinished();
    if (count > 0) throw engineError("unfinished_before_move", { from, count, folder });
  }
}

function assertTwin(ours: Account, twinOf: string, says: TwinOf | undefined): void {
  const { baseUrl, environment } = ours;
  if (says?.baseUrl === twinOf && says.environment === environment) return;
  throw engineError("not_a_twin", { baseUrl, twinOf: { baseUrl: twinOf, environment }, says });
}
