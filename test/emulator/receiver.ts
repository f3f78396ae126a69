/** An endpoint that receives webhooks, and what the emulator says of its deliveries. */
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { Emulator } from "../../emulator";
import { addressOf } from "../support/folder";
import { newEmulator, until } from "./support";

/** A message as it came. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly raw: string;
  readonly body: { event: string; timestamp: string; data: Record<string, unknown> };
}

/** What an endpoint answers to a message. */
export type Answer = readonly [status: number, headers?: Record<string, string>];

/** Takes messages and gives these answers in turn, the last one for good; by default 204. */
export async function receiver(...answers: Answer[]) {
  const got: Received[] = [];
  const server = createServer((request, response) => {
    let raw = "";
    request.on("data", (chunk: Buffer) => (raw += chunk.toString()));
    request.on("end", () => {
      const [status, headers] = answers[Math.min(got.length, answers.length - 1)] ?? [204];
      got.push({ headers: request.headers, raw, body: JSON.parse(raw) as Received["body"] });
      response.writeHead(status, headers).end();
    });
  });
  return {
    url: `${await addressOf(server)}/hook`,
    got,
    /** Waits until that many messages have come. */
    messages: (count: number) => until(() => got.length >= count),
  };
}

/** An emulator with an endpoint that gives these answers in turn, the last one for good. */
export async function endpointOf(...answers: Answer[]) {
  const { url, got, messages } = await receiver(...answers);
  const emulator = await newEmulator();
  const endpoint = emulator.registerWebhook({ url });
  const state = async (expected: string) => {
    await until(() => emulator.deliveries().at(-1)?.state === expected);
    return emulator.deliveries();
  };
  return { emulator, endpoint, got, messages, state };
}

/** Waits until the first delivery has made that many attempts. */
export async function attempted(emulator: Emulator, count: number) {
  await until(() => emulator.deliveries()[0]?.attempts === count);
  return emulator.deliveries();
}

/** Waits until the emulator has disabled its first endpoint. */
export const disabled = (emulator: Emulator) => until(() => emulator.webhooks()[0]?.disabled);
