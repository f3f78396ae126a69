/** The engine's errors as gRPC statuses that Pulumi understands. */
import { CallFailure, encodeMessage, status } from "../../grpc";
import { failureText, pluginVoice } from "../voice";
import { resourceInitFailed, statusDetails } from "./messages.gen";

/** Any error as one that gRPC sends on: its text alone. */
export const callFailure = (error: unknown): CallFailure =>
  error instanceof CallFailure
    ? error
    : new CallFailure(status.unknown, failureText(pluginVoice, error));

interface Failed {
  readonly id: string;
  readonly properties: Buffer;
  readonly inputs: Buffer;
}

/** Pulumi keeps the object and shows the reason. */
export function initFailed(failed: Failed, error: unknown): CallFailure {
  const reason = failureText(pluginVoice, error);
  const type = "type.googleapis.com/pulumirpc.ErrorResourceInitFailed";
  const value = encodeMessage(resourceInitFailed, { ...failed, reasons: [reason] });
  const details = encodeMessage(statusDetails, {
    code: status.unknown,
    message: reason,
    details: [{ type_url: type, value }],
  });
  return new CallFailure(status.unknown, reason, details);
}
