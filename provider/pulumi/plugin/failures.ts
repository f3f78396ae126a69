/** The engine's errors as gRPC statuses that Pulumi understands. */
import { EngineError, PartialFailure } from "../../engine";
import { CallFailure, encodeMessage, status } from "../../grpc";
import type { Kind } from "../../resources";
import { speak } from "../values";
import { resourceInitFailed, statusDetails } from "./messages";
import { textOf } from "./voice";

/** Any error as one that gRPC sends on: its text alone. */
export const callFailure = (error: unknown): CallFailure =>
  error instanceof CallFailure
    ? error
    : new CallFailure(status.unknown, error instanceof Error ? error.message : String(error));

/** A failure in the words of a Pulumi program. */
export function textOfError(kind: Kind, error: unknown): string {
  if (error instanceof EngineError || error instanceof PartialFailure) {
    return textOf(kind, error.reason);
  }
  return speak(kind, error instanceof Error ? error.message : String(error));
}

/** The object exists and is not as it should be: Pulumi keeps it, and shows the reason. */
export function initFailed(
  id: string,
  properties: Buffer,
  inputs: Buffer,
  reason: string,
): CallFailure {
  const failed = encodeMessage(resourceInitFailed, { id, properties, inputs, reasons: [reason] });
  const type = "type.googleapis.com/pulumirpc.ErrorResourceInitFailed";
  const details = encodeMessage(statusDetails, {
    code: status.unknown,
    message: reason,
    details: [{ type_url: type, value: failed }],
  });
  return new CallFailure(status.unknown, reason, details);
}
