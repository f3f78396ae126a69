/** What one plugin process shares: the engine, once configured, and what has been begun. */
import { openEngine, type OperationOptions, type Engine, type OpenOptions } from "../../engine";
import { CallFailure, status } from "../../grpc";
import type { Kind } from "../../resources";
import { sentence, type Message } from "../../messages";
import { textOfError } from "./failures";
import type { Host } from "./host";
import { kindOfToken, parseUrn } from "./values/tokens";
import { textOf, voice } from "./voice";

/** One operation on one resource. */
export interface Subject {
  readonly urn: string;
  readonly kind: Kind;
  readonly engine: Engine;
}

export class Session {
  /** What resources name this provider by. */
  reference: string | undefined;
  private made: Engine | undefined;
  private running = 0;
  private idle: (() => void)[] = [];
  private readonly stopping = new AbortController();
  /** What this process created, by URN. */
  private readonly created = new Map<string, string>();

  constructor(
    readonly host: Host,
    private readonly surroundings: OpenOptions["surroundings"],
  ) {}

  /** Opens the engine with what the stack configures; the environment fills in the rest. */
  configure(given: OpenOptions["given"]): void {
    this.made = openEngine({
      given,
      surroundings: this.surroundings,
      warn: (warning) => this.host.log({ severity: "warning", text: sentence(voice, warning) }),
    });
  }

  /** Refuses what `configure` would refuse, and keeps nothing. */
  async tryConfigure(given: OpenOptions["given"]): Promise<void> {
    await openEngine({ given, surroundings: this.surroundings, warn: () => undefined }).close();
  }

  get engine(): Engine {
    if (this.made) return this.made;
    throw new CallFailure(status.failedPrecondition, "The provider has not been configured yet.");
  }

  /** The kind of a URN's type. */
  subject(urn: string): Subject {
    const { type } = parseUrn(urn);
    const kind = kindOfToken(type);
    if (kind) return { urn, kind, engine: this.engine };
    throw new CallFailure(
      status.notFound,
      `This version of the provider has no resource type ${type}.`,
    );
  }

  /** A create was answered with this id. */
  answered({ urn }: Subject, id: string): void {
    this.created.set(urn, id);
  }

  /**
   * Pulumi deletes what it replaced once the new object is in its state, and tells of that in no
   * other way where `--replace` made it ask for neither a diff nor a read.
   */
  async replaced({ urn, kind, engine }: Subject, old: string): Promise<void> {
    const id = this.created.get(urn);
    if (id !== undefined && id !== old) await engine.noteStored(kind, id);
  }

  /** Where a message, a timeout and the end of the run come from. `timeoutS`: 0 is none. */
  context({ urn, kind }: Subject, timeoutS = 0): OperationOptions {
    return {
      identity: urn,
      stop: this.stopping.signal,
      ...(timeoutS > 0 && { timeoutMs: timeoutS * 1000 }),
      onNotice: (notice) =>
        this.host.log({
          severity: "info",
          text: textOf(kind, notice.message),
          urn,
          passing: notice.kind !== "odd-record",
        }),
    };
  }

  /** For what only reads: a cancelled run gives it up at once. */
  get giveUp(): { readonly signal: AbortSignal } {
    return { signal: this.stopping.signal };
  }

  warn({ urn, kind }: Subject, warnings: readonly Message[]): void {
    for (const warning of warnings) {
      this.host.log({ severity: "warning", text: textOf(kind, warning), urn });
    }
  }

  /** Work that changes something: refused once the run is cancelled, else finished. */
  async work<T>(subject: Subject, does: () => Promise<T>): Promise<T> {
    this.refuseCancelled();
    this.running += 1;
    try {
      return await this.told(subject, does);
    } finally {
      this.running -= 1;
      if (this.running === 0) for (const resolve of this.idle.splice(0)) resolve();
    }
  }

  refuseCancelled(): void {
    if (!this.stopping.signal.aborted) return;
    throw new CallFailure(status.cancelled, "The run was cancelled before this was begun.");
  }

  /** Errors in the words of a Pulumi program, and messages before answers. */
  async told<T>({ kind }: Subject, does: () => Promise<T>): Promise<T> {
    try {
      return await does();
    } catch (error) {
      if (error instanceof CallFailure) throw error;
      throw new CallFailure(status.unknown, textOfError(kind, error));
    } finally {
      await this.host.flushed();
    }
  }

  /** Nothing more is begun; waits end as their timeouts would; resolves when all work is done. */
  async stop(): Promise<void> {
    this.stopping.abort();
    if (this.running > 0) await new Promise<void>((resolve) => this.idle.push(resolve));
  }

  /** The run is over. What is still at work is finished, and its intents stay for the next run. */
  async end(): Promise<void> {
    const interrupted = this.running > 0;
    await this.stop();
    if (!interrupted) await this.made?.close();
    this.host.close();
  }
}
