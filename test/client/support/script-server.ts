/** A small HTTP server that answers as a script says, one step per request, until the test is over. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { addressOf } from "../../support/folder";
import { META } from "./core";

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export type Step = (response: ServerResponse, request: IncomingMessage) => void;

/** The last step is repeated. */
export async function scriptServer(...steps: Step[]) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      received.push({ method, url, headers, body });
      steps[Math.min(received.length, steps.length) - 1]?.(response, request);
    });
  });
  return { baseUrl: `${await addressOf(server)}/v1`, received };
}

const sending =
  (status: number, type: string, body: string, headers: Record<string, string> = {}): Step =>
  (response) =>
    void response.writeHead(status, { "content-type": type, ...headers }).end(body);

export const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  sending(status, "application/json", JSON.stringify(body), headers);

export const success = (data: unknown, status = 200): Step =>
  json(status, { success: true, data, meta: META });

export const refusal = (status: number, code: string, more = {}, headers = {}): Step =>
  json(status, { success: false, error: { code, message: "m", ...more }, meta: META }, headers);

/** Half of a body that was announced whole. */
export const truncated: Step = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "500" });
  response.write('{"success":true,"data":{"id":"srv_');
  setTimeout(() => response.destroy(), 5);
};

/** Half of a body, sent as if it were all. */
export const cutJson = sending(200, "application/json", '{"success":true,"data":{"id":"srv_');

export const reset: Step = (_, request) => void request.socket.destroy();

export const html = (status: number) =>
  sending(status, "text/html", "<html>s3cr3t-of-the-proxy</html>");
