/** Request bodies: first the limits, then JSON, then whether it is an object. */
import type { IncomingMessage } from "node:http";
import { isDeeper, isRecord, jsonOf } from "../../provider/contract";
import { invalid, ServiceError } from "./errors";

/** Assumption: Size and depth of a body. */
const BODY_BYTES_MAX = 1_048_576;
/** Assumption: Size and depth of a body. Deeper ones could overflow JSON.stringify. */
const DEPTH_MAX = 64;

/** The refusal of a body over the limit. */
export const tooLarge = (): ServiceError =>
  new ServiceError("payload_too_large", `the body is larger than ${BODY_BYTES_MAX} bytes`);

/** Reads a JSON object; with `optional`, an empty body is an empty object. */
export function parseBody(text: string, contentType: string | undefined, optional: boolean) {
  if (text.trim() === "") {
    if (optional) return {};
    throw invalid("body", "must be a JSON object but is empty");
  }
  if (!/^application\/(?:[\w.+-]+\+)?json\b/i.test(contentType ?? "")) {
    throw invalid("Content-Type", "must be application/json");
  }
  const value = jsonOf(text);
  if (value === undefined) throw invalid("body", "is not valid JSON");
  if (!isRecord(value)) throw invalid("body", "must be a JSON object");
  if (isDeeper(value, DEPTH_MAX))
    throw invalid("body", `is nested deeper than ${DEPTH_MAX} levels`);
  return value;
}

/** The text, or why there is none: it is over the limit, or the client is gone. */
export type ReadBody = { readonly text: string } | { readonly problem: "too-large" | "aborted" };

/** The body as text, up to the limit. */
export async function readBody(incoming: IncomingMessage): Promise<ReadBody> {
  const { "content-length": length, "transfer-encoding": encoding } = incoming.headers;
  if (length === undefined && encoding === undefined) return { text: "" };
  if (Number(length) > BODY_BYTES_MAX) return { problem: "too-large" };
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve) => {
    incoming.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > BODY_BYTES_MAX) {
        incoming.removeAllListeners("data");
        // The rest is read and discarded, so that the client gets to the answer.
        incoming.resume();
        resolve({ problem: "too-large" });
      } else chunks.push(chunk);
    });
    incoming.on("end", () => resolve({ text: Buffer.concat(chunks).toString("utf8") }));
    incoming.on("error", () => resolve({ problem: "aborted" }));
    incoming.on("close", () => resolve({ problem: "aborted" }));
  });
}
