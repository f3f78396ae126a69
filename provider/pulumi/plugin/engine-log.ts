/** The engine's log, over Pulumi's own client. */
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

const severities = {
  info: LogSeverity.INFO,
  warning: LogSeverity.WARNING,
  error: LogSeverity.ERROR,
} as const;

export interface EngineLog {
  /** Resolves when it has arrived, or when nobody listens any more. */
  send(message: Message): Promise<void>;
  close(): void;
}

export function openEngineLog(address: string): EngineLog {
  const client = new EngineClient(address, credentials.createInsecure());
  return {
    send: ({ severity, text, urn, passing }) => {
      const request = new LogRequest();
      request.setSeverity(severities[severity]);
      request.setMessage(text);
      request.setUrn(urn ?? "");
      request.setEphemeral(passing ?? false);
      return new Promise((resolve) => client.log(request, () => resolve()));
    },
    close: () => client.close(),
  };
}
