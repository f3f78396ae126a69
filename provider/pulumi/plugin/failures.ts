/** The engine's errors as gRPC statuses that Pulumi understands. */
import { Metadata, status, type ServiceError } from "@grpc/grpc-js";
import { Any } from "google-protobuf/google/protobuf/any_pb";
import type { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { EngineError } from "../../engine";
import type { Kind } from "../../resources";
import { pulumiPath, speak } from "../values";

/** Any error as one that gRPC sends on: its text alone. */
export const statusOf = (error: unknown): ServiceError =>
  isStatus(error)
    ? error
    : make(status.UNKNOWN, error instanceof Error ? error.message : String(error));

export function make(code: status, message: string, metadata = new Metadata()): ServiceError {
  return Object.assign(new Error(message), { code, details: message, metadata });
}

const isStatus = (error: unknown): error is ServiceError =>
  error instanceof Error && "code" in error && "metadata" in error;

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
  properties: Struct,
  inputs: Struct | undefined,
  reason: string,
): ServiceError {
  const failed = new ErrorResourceInitFailed();
  failed.setId(id);
  failed.setProperties(properties);
  failed.setInputs(inputs);
  failed.setReasonsList([reason]);
  const detail = new Any();
  detail.pack(failed.serializeBinary(), "pulumirpc.ErrorResourceInitFailed");
  const answer = new Status();
  answer.setCode(status.UNKNOWN);
  answer.setMessage(reason);
  answer.addDetails(detail);
  const metadata = new Metadata();
  // Where gRPC's other implementations put an error's details; grpc-js has no name for it.
  metadata.add("grpc-status-details-bin", Buffer.from(answer.serializeBinary()));
  return make(status.UNKNOWN, reason, metadata);
}
