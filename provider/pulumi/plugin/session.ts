import { engineError, openEngine } from "../../engine";
import type { OperationOptions, Engine, OpenOptions, Seen, Shown } from "../../engine";
import { CallFailure, status } from "../../grpc";
import { sentence, shellWord, type Message, type Voice } from "../../messages";
import type { Kind } from "../../resources";
import { AFTER_PULUMI, Protected } from "../engines";
import { pluginVoice } from "../voice";
import type { Host } from "./host";
import { kindOfToken, parseUrn } from "./values/tokens";

export class Session {
  /** How resources name this provider. */
  reference: string | undefined;
  /** How messages name the settings that this provider has. */
  voice = pluginVoice;
  private opened: Engine | undefined;
  private preflight: Promise<void> = Promise.resolve();
  private running = 0;
  private idle: (() => void)[] = [];
  private readonly stopping = new AbortController();
  /** What the program gives for this run alone, which no state keeps. */
  givenForRun: OpenOptions["given"] = {};
  /** URNs that were read and not checked since: Pulumi refreshes them, and plans nothing yet. */
  readonly refreshed = new Set<string>();
  readonly protects = new Protected();
  /** Ids of the objects that this process created, by URN. */
  readonly created = new Map<string, string>();
  /** What was said once. */
  readonly said = new Set<string>();

  constructor(
    readonly host: Host,
    readonly surroundings: OpenOptions["surroundings"],
  ) {}

  /**
   * Opens the engine with the stack's settings; the environment fills in the rest. A process stays
   * with the address and the key that it was first given: the key of the environment must not follow
   * a later caller to an address of their own.
   */
  configure(given: OpenOptions["given"]): void {
    const engine = openEngine({
      given,
      surroundings: this.surroundings,
      warn: (warning) =>
        this.host.log({ severity: "warning", text: sentence(pluginVoice, warning) }),
      logCall: (line) => this.host.log({ severity: "debug", text: line }),
    });
    if (this.opened?.opensAs(engine) === false) {
      throw engineError("configured_before", { first: this.opened.account, now: engine.account });
    }
    this.opened = engine;
  }

  /** Makes one call whose failure is that of every operation. */
  beginPreflight(): void {
    this.preflight = this.engine.preflight({ signal: this.signal });
    this.preflight.catch(() => undefined); // The first operation receives it.
  }

  /** @throws what no operation could succeed with, to the first who asks: the client repeats it */
  usable(): Promise<void> {
    const first = this.preflight;
    this.preflight = first.catch(() => undefined); // Whoever asked first receives it.
    return first;
  }

  /** Throws what `configure` would throw, and keeps nothing. */
  async tryConfigure(given: OpenOptions["given"]): Promise<void> {
    await openEngine({ given, surroundings: this.surroundings, warn: () => undefined }).close();
  }

  get engine(): Engine {
    if (this.opened) return this.opened;
    throw new CallFailure(status.failedPrecondition, "The provider has not been configured yet.");
  }

  resource(urn: string): ResourceCall {
    const { type } = parseUrn(urn);
    const kind = kindOfToken(type);
    if (kind) return new ResourceCall(this, urn, kind);
    throw new CallFailure(
      status.notFound,
      `This version of the provider has no resource type ${type}.`,
    );
  }

  /** Aborted once the run is cancelled. */
  get signal(): AbortSignal {
    return this.stopping.signal;
  }

  refuseCancelled(): void {
    if (!this.stopping.signal.aborted) return;
    throw new CallFailure(status.cancelled, "The run was cancelled before this operation began.");
  }

  /** Runs what changes something: refused once the run is cancelled, otherwise finished. */
  async work<T>(run: () => Promise<T>): Promise<T> {
    this.refuseCancelled();
    this.running += 1;
    try {
      return await run();
    } finally {
      this.running -= 1;
      if (this.running === 0) for (const resolve of this.idle.splice(0)) resolve();
    }
  }

  /** Begins nothing more; waits end as at their timeouts. Resolves when all work is done. */
  async stop(): Promise<void> {
    this.stopping.abort();
    if (this.running > 0) await new Promise<void>((resolve) => this.idle.push(resolve));
  }

  /** Ends the run. Work under way is finished, and its intents stay for the next run. */
  async end(): Promise<void> {
    const interrupted = this.running > 0;
    await this.stop();
    if (!interrupted) await this.opened?.close(AFTER_PULUMI);
    await this.host.flushed();
    this.host.close();
  }
}

/** One call on one resource: what the engine needs for it, and what is reported about it. */
export class ResourceCall {
  constructor(
    readonly session: Session,
    readonly urn: string,
    readonly kind: Kind,
  ) {}

  get engine(): Engine {
    return this.session.engine;
  }

  get said(): Set<string> {
    return this.session.said;
  }

  /** @param timeoutS seconds; 0: the engine's own limit */
  options(timeoutS: number): OperationOptions {
    return {
      identity: this.urn,
      stop: this.session.signal,
      ...(timeoutS > 0 && { timeoutMs: timeoutS * 1000 }),
      onNotice: ({ kind, data }) => this.log("info", data, kind !== "odd-record"),
    };
  }

  /** Shows the engine what Pulumi shows of this resource. */
  observe<N extends boolean = false>(shown: Omit<Shown<N>, "identity">): Promise<Seen<NoInfer<N>>> {
    return this.engine.observe(this.kind, { ...shown, identity: this.urn }, this.options(0));
  }

  /** Commands in what is said name the resource as the program does. */
  private get voice(): Voice {
    const { name } = parseUrn(this.urn);
    const importCommand = (kind: string, id: string): string =>
      pluginVoice.importCommand(kind, id).replace(" NAME ", () => ` ${shellWord(name)} `);
    return { ...this.session.voice, importCommand };
  }

  /** @param passing shown while it lasts, and not kept */
  log(severity: "info" | "warning", message: Message | string, passing = false): void {
    const text = typeof message === "string" ? message : sentence(this.voice, message);
    this.session.host.log({ severity, text, urn: this.urn, passing });
  }

  /**
   * Pulumi deletes the object that it replaced once the new one is in its state. With `--replace` it
   * asks for neither a diff nor a read, so this is the only sign that the new one is stored.
   */
  async noteReplaced(): Promise<void> {
    const id = this.session.created.get(this.urn);
    if (id !== undefined) await this.engine.noteStored(this.kind, id);
  }
}
