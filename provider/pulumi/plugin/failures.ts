/** The engine's errors as gRPC statuses that Pulumi understands. */
import { EngineError } from "../../engine";
import { CallFailure, encodeMessage, status } from "../../grpc";
import type { Kind } from "../../resources";
import { pulumiPath, speak } from "../values";
import { resourceInitFailed, statusDetails } from "./messages";

/** Any error as one that gRPC sends on: its text alone. */
export const callFailure = (error: unknown): CallFailure =>
  error instanceof CallFailure
    ? error
    : new CallFailure(status.unknown, error instanceof Error ? error.message : String(error));

/** The sentence in the words of a Pulumi program, with the property it is about. */
export function sentence(kind: Kind, error: unknown): string {
  const text = speak(kind, error instanceof Error ? error.message : String(error));
  const path = error instanceof EngineError ? error.path : undefined;
  const place = path && path.length > 0 ? pulumiPath(kind, path) : "";
  return place === "" || text.startsWith(place) ? text : `${place}: ${text}`;
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
