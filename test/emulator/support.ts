/** Literal HTTP against an emulator, without the contract's definitions and the client. */
import { beforeEach } from "@jest/globals";
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { startEmulator } from "../../emulator";
import type { Emulator, EmulatorOptions, JournalEntry, Mail } from "../../emulator";
import type { RealTime } from "../../emulator/time/clock";
import { ask } from "../support/ask";
import { atEnd } from "../support/folder";

/** Starts an emulator that is closed after the test. */
export async function newEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator({ provisionMs: 0, ...options });
  atEnd(() => emulator.close());
  return emulator;
}

/** Gives each test of a file an emulator of its own. */
export const eachWithEmulator = (give: (made: Emulator) => void) =>
  beforeEach(async () => give(await newEmulator()));

/** A record or the answer to a rotation. Unchecked: tests say what they expect. */
export interface Data {
  readonly [name: string]: unknown;
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly value: string;
  readonly key_id: string;
  readonly lineage_id: string;
  readonly old_key: { readonly id: string; readonly expires_at: string };
  readonly new_key: { readonly id: string; readonly value: string; readonly created_at: string };
}

export interface Body {
  readonly success: boolean;
  /** One record or a list, whichever the test requests. */
  readonly data: Data & readonly Data[] & { readonly 0: Data; readonly 1: Data };
  readonly meta: { readonly timestamp: string; readonly request_id: string };
  readonly pagination: Readonly<Record<string, unknown>>;
  readonly error: {
    readonly [name: string]: unknown;
    readonly code: string;
    readonly message: string;
    readonly details: { readonly field: string; readonly reason: string };
  };
}

export interface Reply<B = Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The text as JSON, if that is its content type. */
  readonly body: B;
}

/** Sends a request to the service, and reads the answer. */
export const send = async (...request: Parameters<typeof ask>): Promise<Reply> =>
  reply<Body>(await ask(...request));

async function reply<B>(response: Response): Promise<Reply<B>> {
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  // Unchecked: a test that expects something else fails.
  const body = (isJson ? JSON.parse(text) : undefined) as B;
  return { status: response.status, headers: response.headers, text, body };
}

/** Members of the answers of `/_emulator`, of all calls together. */
export interface ControlBody {
  readonly [name: string]: unknown;
  readonly id: string;
  readonly value: string;
  readonly secret: string;
  readonly now: string;
  readonly clock: { readonly nowMs: number };
  readonly objects: Readonly<Record<string, unknown>>;
  readonly requests: readonly JournalEntry[];
  readonly mails: readonly Mail[];
  readonly error?: { readonly message: string };
  readonly calls: readonly { call: string; body?: { properties: object } }[];
}

/** Sends a request to `/_emulator`. */
export async function control(emulator: Emulator, call: string, body?: unknown) {
  const place = { baseUrl: `${emulator.url}/_emulator` };
  return reply<ControlBody>(await ask(place, call, { key: null, body: JSON.stringify(body) }));
}

/** Creates a key with these permissions and fields; answers its secret. */
export const keyWith = (emulator: Emulator, permissions: string[], fields: object = {}): string =>
  emulator.createKey({ name: "test", permissions, ...fields }).value;

/** Sends a GET from a given local address. */
export async function sendFrom(localAddress: string, url: string, key: string) {
  const headers = { authorization: `Bearer ${key}`, "x-debug-auth": "true" };
  const request = httpRequest(url, { localAddress, agent: false, headers }).end();
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const body = JSON.parse(await text(response)) as Body;
  return { status: response.statusCode, body, headers: response.headers };
}

/** Sends bytes and answers what comes back until the other side closes the connection. */
export function rawExchange(port: number, text: string): Promise<{ text: string; error?: string }> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let answer = "";
    socket.on("data", (chunk) => (answer += chunk.toString()));
    socket.on("error", (error: NodeJS.ErrnoException) =>
      resolve({ text: answer, error: error.code ?? error.message }),
    );
    socket.on("close", () => resolve({ text: answer }));
    socket.write(text);
  });
}

/** The ids in the answer to a list request. */
export const idsOf = (reply: Reply): string[] => reply.body.data.map(({ id }) => id);

/** Real time that passes only when `pass` is called. */
export function manualTime(): { realTime: RealTime; pass: (ms: number) => void } {
  const startMs = Date.now();
  let passedMs = 0;
  const realTime = { wallMs: () => startMs + passedMs, monotonicMs: () => passedMs };
  return { realTime, pass: (ms) => void (passedMs += ms) };
}

export { isAlive, pause, until } from "../support/wait";
export const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
