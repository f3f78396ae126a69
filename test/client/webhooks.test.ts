import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { startEmulator, type Emulator } from "../../emulator";
import { verifyWebhook, type WebhookError } from "../../provider/client/people/webhooks";

interface Received {
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

let emulator: Emulator;
let received: Received;
let secret: string;
const receiver = createServer();

beforeAll(async () => {
  emulator = await startEmulator({ provisionMs: 0 });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const { port } = receiver.address() as AddressInfo;
  const arrived = new Promise<Received>((resolve) => {
    receiver.on("request", (request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        response.end();
        resolve({ headers: request.headers, body });
      });
    });
  });
  ({ secret } = emulator.registerWebhook({ url: `http://127.0.0.1:${port}/` }));
  await fetch(`${emulator.baseUrl}/servers`, {
    method: "POST",
    headers: { authorization: `Bearer ${emulator.adminKey}`, "content-type": "application/json" },
    body: '{"name":"a"}',
  });
  received = await arrived;
});
afterAll(async () => {
  receiver.closeAllConnections();
  receiver.close();
  await emulator.close();
});

const codeOf = (run: () => unknown): string | undefined => {
  try {
    run();
    return undefined;
  } catch (error) {
    return (error as WebhookError).code;
  }
};

describe("a notification of the service", () => {
  it("is read when it is genuine", () => {
    const { event, id } = verifyWebhook({ ...received, secrets: secret });
    expect(event.event).toBe("server.created");
    expect(id).not.toBe("");
  });

  it("is read while its secret is being replaced", () => {
    const other = `whsec_${Buffer.alloc(32).toString("base64")}`;
    expect(verifyWebhook({ ...received, secrets: [other, secret] }).event.event).toBe(
      "server.created",
    );
  });

  it("is refused when anything about it is not right", () => {
    const wrong = `whsec_${Buffer.alloc(32, 1).toString("base64")}`;
    expect(codeOf(() => verifyWebhook({ ...received, secrets: wrong }))).toBe("bad_signature");
    expect(
      codeOf(() => verifyWebhook({ ...received, body: `${received.body} `, secrets: secret })),
    ).toBe("bad_signature");
    const later = Date.now() + 301_000;
    expect(codeOf(() => verifyWebhook({ ...received, secrets: secret, nowMs: later }))).toBe(
      "bad_timestamp",
    );
    const headers = { ...received.headers, "webhook-id": undefined };
    expect(codeOf(() => verifyWebhook({ ...received, headers, secrets: secret }))).toBe(
      "missing_header",
    );
  });
});
