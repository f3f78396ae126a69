/** What all calls to one provider process share. */
import { resolveContract, type Contract } from "../../contract";
import { engineError, isRepeated, openEngine, openPlanner, reasonOf } from "../../engine";
import { sharedFault, EngineError } from "../../engine";
import type { Engine, OperationOptions, Planning, Surroundings } from "../../engine";
import { assertOwnKey, type ReadConfig } from "../config";
import { message, type Message, type MessageCode } from "../../messages";
import { failure, ProviderError, refusals } from "../diagnostics";
import { textOf } from "../voice";
import type { Log } from "../host/log";
import { resourceTypes, type ResourceModel } from "../schema/model";
import type { Diagnostic } from "../wire/messages.gen";
import { CallFailure, status } from "../../grpc";

type Given = ReadConfig["given"];

/** What went as the program asked, and left nothing to do. */
const SUCCESSES: ReadonlySet<string> = new Set<MessageCode>(["backup_taken"]);

export class Session {
  private opened: Engine | undefined;
  /** Decides which account this process works for, as long as somebody is connected. */
  private first: Engine | undefined;
  /** Plans while the configuration waits for values that are not known yet. */
  private waiting: Planning | undefined;
  private unknown: readonly string[] = [];
  private unreadReported = false;
  /** Faults that this run has reported in full. */
  private readonly explained = new Set<string>();
  /**
   * Whether one configuration serves several plans. That of a test's file does, and is the only one
   * whose block the engines do not validate before.
   */
  replans = true;
  private stopping = new AbortController();
  /** The engine's warnings about itself, for the next response. */
  private readonly pending: Message[] = [];
  private quotaReported = false;

  constructor(
    private readonly surroundings: Surroundings,
    readonly log: Log,
  ) {}

  /** @throws InvalidInput where the configuration is wrong */
  async configure(given: Given): Promise<void> {
    const { apiKey } = given;
    if (typeof apiKey === "string") this.log.mask(apiKey);
    // The environment completes the block.
    assertOwnKey(given, this.surroundings.env["ERPHOST_BASE_URL"]);
    const engine = openEngine({
      given,
      surroundings: this.surroundings,
      warn: (message) => {
        this.log("warn", textOf(message));
        this.pending.push(message);
      },
      logCall: (line) => this.log("debug", line),
    });
    // All blocks of a program that attaches to a debugger's provider share it.
    if (!(this.first ??= engine).opensAs(engine)) {
      await engine.close();
      throw engineError("configured_before", { first: this.first.account, now: engine.account });
    }
    // Each run that attaches configures it again. What the one before noted for it, such as what its
    // plan saw, is on disk by then.
    await this.close();
    this.stopping = new AbortController();
    this.waiting = undefined;
    this.explained.clear();
    this.opened = engine;
  }

  release(): void {
    this.first = undefined;
  }

  /**
   * Waits for values that are not known yet: everything can be planned, and nothing read.
   * @throws InvalidInput where the contract profile is wrong
   */
  async postpone(given: Given, unknown: readonly string[]): Promise<void> {
    await this.close();
    this.opened = undefined;
    this.unknown = unknown;
    this.unreadReported = false;
    this.waiting = openPlanner({ given, surroundings: this.surroundings });
  }

  /** Undefined where objects can be read; else why they cannot yet, said once per run. */
  unread(): readonly Message[] | undefined {
    if (!this.waiting) return undefined;
    if (this.unreadReported) return [];
    this.unreadReported = true;
    return [message("not_refreshed", { settings: this.unknown })];
  }

  /** What plans. @throws ProviderError where the provider is not configured */
  get planning(): Planning {
    return this.waiting ?? this.needEngine();
  }

  get engine(): Engine | undefined {
    return this.opened;
  }

  /** @throws ProviderError where the provider is not configured */
  needEngine(): Engine {
    if (this.opened) return this.opened;
    throw new ProviderError(
      this.waiting
        ? message("provider_unknown", { settings: this.unknown })
        : message("provider_not_configured", {}),
    );
  }

  /** The contract for checks without an engine, which do not know the profile. */
  get plainContract(): Contract {
    return resolveContract();
  }

  model(typeName: string): ResourceModel {
    const model = resourceTypes().get(typeName);
    if (model) return model;
    throw new CallFailure(status.invalidArgument, `there is no resource type ${typeName}`);
  }

  context(identity: string | undefined, timeoutMs?: number): OperationOptions {
    return {
      ...(identity !== undefined && { identity }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      stop: this.stopping.signal,
      onNotice: (event) => {
        const notice = event.data;
        this.log(event.kind === "progress" ? "debug" : "info", textOf(notice));
        if (event.kind === "rate-limit") this.reportQuota(notice);
      },
    };
  }

  /** Options of operations that only read: an interruption ends them at once and loses nothing. */
  reading(identity?: string): OperationOptions {
    return { ...this.context(identity), signal: this.stopping.signal };
  }

  /** The engines show nothing during a call, so a slow run explains itself afterwards, once. */
  private reportQuota(notice: Message): void {
    if (this.quotaReported) return;
    this.quotaReported = true;
    this.pending.push(message("quota_waited", { notice }));
  }

  takeWarnings(): Message[] {
    return this.pending.splice(0);
  }

  /** Of what an operation reports, all but its successes: these are lines of the log. */
  worthWarning(reported: readonly Message[]): Message[] {
    const successes = reported.filter(({ code }) => SUCCESSES.has(code));
    for (const each of successes) this.log("info", textOf(each));
    return reported.filter(({ code }) => !SUCCESSES.has(code));
  }

  /** Whether an earlier error of this run has explained this one, which is noted otherwise. */
  isExplained(error: unknown): boolean {
    const fault = sharedFault(error);
    if (fault === undefined) return false;
    if (this.explained.has(fault)) return true;
    this.explained.add(fault);
    return false;
  }

  /** A plan's refusal, unless an earlier error of this run has explained it: that one ends the run. */
  unexplained(refused: Message | undefined): Message | undefined {
    return refused && this.isExplained(new EngineError(refused)) ? undefined : refused;
  }

  /** Tells a failure in full, or in a sentence where an earlier error of this run explains it. */
  tell(...parts: Parameters<typeof failure>): Diagnostic[] {
    const [, , error] = parts;
    const why = reasonOf(error);
    if (!this.isExplained(error) || typeof why === "string") return failure(...parts);
    const before = refusals([], [message("failed_as_before", { why })]);
    // Where the client has shortened it, its text says so already.
    return isRepeated(error) ? before.map((each) => ({ ...each, detail: textOf(why) })) : before;
  }

  /** Ends waits; requests that have begun are finished. */
  stop(): void {
    this.stopping.abort(new Error("the run was interrupted"));
  }

  /** Ends the engine. The host writes its last state only after the provider has ended. */
  async close(): Promise<void> {
    await this.opened?.close({ storesLater: true });
  }
}
