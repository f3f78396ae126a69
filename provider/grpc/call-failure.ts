/** How gRPC says that a call failed, on both sides of it. */

/** Status codes of gRPC. */
export const status = {
  ok: 0,
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  notFound: 5,
  resourceExhausted: 8,
  failedPrecondition: 9,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
} as const;

/** A call that failed as a call. Anything a person can fix is a diagnostic instead. */
export class CallFailure extends Error {
  override readonly name = "CallFailure";
  constructor(
    readonly status: number,
    message: string,
    /** What the peer can read besides the message: an encoded `google.rpc.Status`. */
    readonly details?: Buffer,
  ) {
    super(message);
  }
}

/** A longer text is cut, because not every peer reads headers of any length. */
const TEXT_LENGTH_MAX = 8_000;

/** Headers, or trailers, that report the failure. */
export const failureHeaders = (failure: CallFailure): Record<string, string> => ({
  "grpc-status": String(failure.status),
  "grpc-message": headerText(failure.message),
  ...(failure.details && { "grpc-status-details-bin": failure.details.toString("base64") }),
});

/** The protocol leaves printable ASCII as it is; half of a surrogate pair cannot be encoded. */
const headerText = (text: string): string =>
  text
    .slice(0, TEXT_LENGTH_MAX)
    .toWellFormed()
    .replace(/[^ -$&-~]+/g, encodeURIComponent);

/** The text of a peer's `grpc-message`; one that is not encoded correctly is left as it is. */
export function textOfHeader(header: string): string {
  try {
    return decodeURIComponent(header);
  } catch {
    return header;
  }
}
