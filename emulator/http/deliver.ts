/** Writes an answer to the connection, complete or cut short. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ApiResult, Cut } from "../service/api";

/** Straight to Node.js, because a framework would not send an answer that is cut short. */
export function deliver(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  result: ApiResult,
): void {
  const { answer, cut } = result;
  if (!answer || cut === "reset") {
    incoming.socket.resetAndDestroy();
    return;
  }
  const { status, headers, body } = answer;
  outgoing.writeHead(status, { ...headers, "Content-Length": Buffer.byteLength(body) });
  if (cut) truncate(outgoing, Buffer.from(body), cut);
  // As text, which Node.js sends together with the headers, in one piece.
  else outgoing.end(body);
}

function truncate(outgoing: ServerResponse, body: Buffer, cut: Exclude<Cut, "reset">): void {
  const end = Math.min(cut.bytes ?? Math.floor(body.length / 2), body.length);
  outgoing.flushHeaders();
  const destroy = () => outgoing.socket?.destroy();
  if (end === 0) setImmediate(destroy);
  else outgoing.write(body.subarray(0, end), destroy);
}
