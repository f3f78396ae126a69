/** Pulumi's engine, as far as the plugin talks to it: messages for the person. */
import { credentials } from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogRequest, LogSeverity } from "@pulumi/pulumi/proto/engine_pb";

export interface Message {
  readonly severity: "info" | "warning" | "error";
  readonly text: string;
  /** The resource it is about. */
  readonly urn?: string;
  /** Shown while it lasts, and not kept. */
  readonly passing?: boolean;
}

export interface Host {
  log(message: Message): void;
  /** Resolves when everything logged so far has arrived. */
  flushed(): Promise<void>;
  close(): void;
}

const severities = {
  info: LogSeverity.INFO,
  warning: LogSeverity.WARNING,
  error: LogSeverity.ERROR,
} as const;

/** @param address of the engine; without one (a debugger started us) messages go to `other` */
export function connectHost(address: string | undefined, other: (text: string) => void): Host {
  if (address === undefined || address === "") {
    return {
      log: ({ severity, text }) => other(`${severity}: ${text}`),
      flushed: () => Promise.resolve(),
      close: () => undefined,
    };
  }
  const client = new EngineClient(address, credentials.createInsecure());
  const pending = new Set<Promise<void>>();
  return {
    log: ({ severity, text, urn, passing }) => {
      const request = new LogRequest();
      request.setSeverity(severities[severity]);
      request.setMessage(text);
      request.setUrn(urn ?? "");
      request.setEphemeral(passing ?? false);
      const sent = new Promise<void>((resolve) => {
        // An engine that does not listen any more is no reason to fail.
        client.log(request, () => resolve());
      }).finally(() => pending.delete(sent));
      pending.add(sent);
    },
    flushed: async () => {
      await Promise.all(pending);
    },
    close: () => client.close(),
  };
}
