/** Reads the body of a request up to the limit. */
import type { IncomingMessage } from "node:http";
import { BODY_BYTES_MAX } from "./body";

/** The text, or why there is none: it is over the limit, or the client is gone. */
export type ReadBody = { readonly text: string } | { readonly problem: "too-large" | "aborted" };

/** The body as text. */
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
