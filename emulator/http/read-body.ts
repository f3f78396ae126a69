/** Reads a request's body up to the limit. */
import type { IncomingMessage } from "node:http";
import { BODY_BYTES_MAX } from "./body";

/** The text; `too-large` as soon as the limit is passed; `aborted` where the client has gone. */
export async function readBody(
  incoming: IncomingMessage,
): Promise<string | "too-large" | "aborted"> {
  const { "content-length": length, "transfer-encoding": encoding } = incoming.headers;
  if (length === undefined && encoding === undefined) return "";
  if (Number(length) > BODY_BYTES_MAX) return "too-large";
  const chunks: Buffer[] = [];
  let size = 0;
  return new Promise((resolve) => {
    incoming.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size > BODY_BYTES_MAX) {
        incoming.removeAllListeners("data");
        // Read on and dropped, so that the client gets to the answer.
        incoming.resume();
        resolve("too-large");
      } else chunks.push(chunk);
    });
    incoming.on("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
    incoming.on("error", () => resolve("aborted"));
    incoming.on("close", () => resolve("aborted"));
  });
}
