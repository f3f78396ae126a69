/** Literal HTTP against an emulator. Nothing here knows the contract's definitions or the client. */
import { afterEach } from "@jest/globals";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { startEmulator, type Emulator, type EmulatorOptions } from "../../emulator";
import type { RealTime } from "../../emulator/time/clock";

const running: Emulator[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((emulator) => emulator.close()));
});

/** Starts an emulator that ends with the test. */
export async function started(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = await startEmulator({ provisionMs: 0, ...options });
  running.push(emulator);
  return emulator;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  // Tests say what they expect of it; a wrong shape fails there.
  readonly body: any; // eslint-disable-line @typescript-eslint/no-explicit-any
}

export interface Asking {
  /** Bearer token; default: the admin key; null: no header. */
  readonly key?: string | null;
  readonly body?: unknown;
  /** The body as it goes out. */
  readonly raw?: string;
  readonly headers?: Record<string, string>;
}

const JSON_TYPE = { "content-type": "application/json" };

/** One request to the service; `call` is a method and a path below the base address. */
export async function ask(emulator: Emulator, call: string, asking: Asking = {}): Promise<Reply> {
  const [method = "GET", path = ""] = call.split(" ");
  const key = asking.key === undefined ? emulator.adminKey : asking.key;
  const body = asking.raw ?? (asking.body === undefined ? undefined : JSON.stringify(asking.body));
  const response = await fetch(emulator.baseUrl + path, {
    method,
    headers: {
      ...JSON_TYPE,
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...asking.headers,
    },
    ...(body !== undefined && { body }),
  });
  const text = await response.text();
  const json = (response.headers.get("content-type") ?? "").startsWith("application/json");
  return {
    status: response.status,
    headers: response.headers,
    body: json ? JSON.parse(text) : text,
  };
}

/** One request to `/_emulator`. */
export async function tell(emulator: Emulator, call: string, body?: unknown): Promise<Reply> {
  const [method = "GET", path = ""] = call.split(" ");
  const response = await fetch(`${emulator.url}/_emulator${path}`, {
    method,
    headers: JSON_TYPE,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** A key with these permissions and fields; its secret. */
export const keyWith = (
  emulator: Emulator,
  permissions: string[],
  fields: Record<string, unknown> = {},
): string => emulator.createKey({ name: "test", permissions, ...fields }).value;

/** A GET from one of this machine's own addresses. */
export function askFrom(
  localAddress: string,
  url: string,
  key: string,
): Promise<{ status: number; body: any; headers: Record<string, unknown> }> {
  // eslint-disable-line @typescript-eslint/no-explicit-any
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      url,
      {
        localAddress,
        agent: false,
        headers: { authorization: `Bearer ${key}`, "x-debug-auth": "true" },
      },
      (response) => {
        let text = "";
        response.on("data", (chunk: Buffer) => (text += chunk.toString()));
        response.on("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            body: JSON.parse(text),
            headers: response.headers,
          }),
        );
      },
    );
    request.on("error", reject);
    request.end();
  });
}

/** Bytes in, whatever comes back out, until the other side ends it. */
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

/** The ids of a list answer. */
export const idsOf = (reply: Reply): string[] =>
  reply.body.data.map(({ id }: { id: string }) => id);

/** Real time that goes on only when told to. */
export function stoppedTime(): { realTime: RealTime; pass: (ms: number) => void } {
  const startMs = Date.now();
  let passedMs = 0;
  const realTime = { wallMs: () => startMs + passedMs, monotonicMs: () => passedMs };
  return { realTime, pass: (ms) => void (passedMs += ms) };
}

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));

/** Asks until the answer fits, at most two seconds. */
export async function until<T>(get: () => T | Promise<T>, fits: (value: T) => boolean): Promise<T> {
  for (let turn = 0; turn < 200; turn += 1) {
    const value = await get();
    if (fits(value)) return value;
    await pause(10);
  }
  return get();
}

export const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
