/** Which account a run works on, and that the service behind it is the one that it is meant for. */
import { hasCode, isAuthenticationError, isErpHostError, isUnreachable } from "../../client";
import type { CallOptions, Core, FetchPage } from "../../client";
import { message, type Message } from "../../messages";
import { engineError, EngineError } from "../errors";
import { movesOnly } from "../plan/account";
import type { StateAccount } from "../types";

/** What a run says of other places than its own. */
export interface Places {
  /** States that have this address are given the run's own; nothing in the service is changed. */
  readonly formerBaseUrl?: string | undefined;
  /** The service is a twin of the account at this address. */
  readonly twinOf?: string | undefined;
  /** Runs for that account have worked in the very place in which this run works. */
  readonly isAccountsPlace?: boolean | undefined;
}

interface GuardParts extends Places {
  readonly core: Core;
  readonly warn: (message: Message) => void;
  /** What interrupted runs left unfinished at a former address. */
  readonly unfinished: (at: string) => Promise<{ readonly count: number; readonly folder: string }>;
}

/** How long a service may take to say who it is. */
const ANSWER_MAX_MS = 120_000;
/** The same where a person waits for it, and a slow service does not stop a run. */
const PREFLIGHT_MAX_MS = 2_500;

export class AccountGuard {
  private id: string | undefined;
  private asking: Promise<void> | undefined;

  constructor(private readonly parts: GuardParts) {}

  /** What this run writes into states. */
  get ours(): StateAccount {
    const { core, twinOf } = this.parts;
    const { baseUrl, environment } = core.account;
    const id = this.id === undefined ? {} : { id: this.id };
    return { baseUrl, environment, ...id, ...(twinOf !== undefined && { twinOf }) };
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
    return guardedCore(core, async (written) => {
      await this.confirm();
      if (written === undefined || formerBaseUrl === undefined) return;
      throw new EngineError(movesOnly(formerBaseUrl, written, "change"));
    });
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
      const { baseUrl, environment } = core.account;
      if (says?.baseUrl !== twinOf || says.environment !== environment) {
        throw engineError("not_a_twin", {
          baseUrl,
          twinOf: { baseUrl: twinOf, environment },
          says,
        });
      }
      warn(message("twin_run", { twinOf, baseUrl }));
    }
    if (from === undefined) return;
    const { count, folder } = await unfinished(from);
    if (count > 0) throw engineError("unfinished_before_move", { from, count, folder });
  }
}

/**
 * The same client, whose every call waits.
 * @param before rejects where the service is not the one that the run is meant for, or where nothing of
 * a kind that the call would write may be written
 */
export function guardedCore(core: Core, before: (written?: string) => Promise<void>): Core {
  const pages =
    (fetchPage: FetchPage): FetchPage =>
    (...page) =>
      before().then(() => fetchPage(...page));
  return {
    contract: core.contract,
    account: core.account,
    create: (kind, ...given) => before(kind).then(() => core.create(kind, ...given)),
    createBytes: (kind, ...given) => before(kind).then(() => core.createBytes(kind, ...given)),
    update: (kind, ...given) => before(kind).then(() => core.update(kind, ...given)),
    remove: (kind, ...given) => before(kind).then(() => core.remove(kind, ...given)),
    rotate: (...given) => before("api_key").then(() => core.rotate(...given)),
    authTest: (...given) => before().then(() => core.authTest(...given)),
    snapshot: (...given) => before().then(() => core.snapshot(...given)),
    read: (...given) => before().then(() => core.read(...given)),
    list: (...given) => before().then(() => core.list(...given)),
    pages: (...given) => pages(core.pages(...given)),
    newest: (...given) => pages(core.newest(...given)),
    useKey: (apiKey) => core.useKey(apiKey),
    close: () => core.close(),
  };
}

/** Who the key is; undefined where the service is silent. @throws where every call would fail */
export async function preflight(
  core: Core,
  options: CallOptions = {},
): Promise<Awaited<ReturnType<Core["authTest"]>> | undefined> {
  try {
    return await core.authTest({ ...options, timeoutMs: PREFLIGHT_MAX_MS });
  } catch (error) {
    if (isOfEveryCall(error)) throw error;
    return undefined;
  }
}

/** All that the client remembers for the calls that follow: what is not reported here is not in full anywhere. */
const isOfEveryCall = (error: unknown): boolean =>
  isErpHostError(error) &&
  (isUnreachable(error) ||
    error.why.code === "wait_too_long" ||
    isAuthenticationError(error) ||
    hasCode(error, "ip_not_allowed", "redirected", "invalid_response", "not_offered"));
