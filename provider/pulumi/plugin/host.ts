/** Pulumi's engine, as far as the plugin talks to it: messages for the person. */
import { GrpcClient, type RemoteMethod } from "../../grpc";
import { empty, logRequest, LogSeverity, type LogRequest } from "./messages.gen";

export interface LogMessage {
  readonly severity: keyof typeof LogSeverity;
  readonly text: string;
  /** The resource it is about. */
  readonly urn?: string;
  /** Shown while it lasts, and not kept. */
  readonly passing?: boolean;
}

export interface Host {
  log(message: LogMessage): void;
  /** Resolves when everything logged so far has arrived, or when nobody listens any more. */
  flushed(): Promise<void>;
  close(): void;
}

/** @param address host:port of the engine; without one, as under a debugger, `write` is used */
export const connectHost = (address: string | undefined, write: (text: string) => void): Host =>
  address === undefined || address === ""
    ? {
        log: ({ severity, text }) => write(`${severity}: ${text}`),
        flushed: () => Promise.resolve(),
        close: () => undefined,
      }
    : new EngineLog(address);

export const engineLog: RemoteMethod<LogRequest, object> = {
  path: "/pulumirpc.Engine/Log",
  request: logRequest,
  answer: empty,
};

/** An engine that takes longer is suspended or gone, and no run waits for it. */
const LOG_TIMEOUT_MS = 30_000;

class EngineLog implements Host {
  private readonly client: GrpcClient;
  private readonly pending = new Set<Promise<unknown>>();

  constructor(address: string) {
    this.client = new GrpcClient(address);
  }

  log({ severity, text, urn, passing }: LogMessage): void {
    const request = {
      severity: LogSeverity[severity],
      message: text,
      urn: urn ?? "",
      ephemeral: passing ?? false,
    };
    const sent = this.client
      .call(engineLog, request, AbortSignal.timeout(LOG_TIMEOUT_MS))
      .catch(() => undefined) // Nobody listens any more.
      .finally(() => this.pending.delete(sent));
    this.pending.add(sent);
  }

  async flushed(): Promise<void> {
    await Promise.all(this.pending);
  }

  close(): void {
    void this.flushed().finally(() => this.client.close());
  }
}
