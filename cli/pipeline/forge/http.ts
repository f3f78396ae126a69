/** Calls to a forge's interface: JSON, a few attempts, and errors that repeat nothing of a body. */
import * as z from "zod";
import { proxyVariable, readProxy } from "../../../provider/client/settings/proxy";
import { isRecord, jsonOf } from "../../../provider/contract";
import { message } from "../../../provider/messages";
import { textOf } from "../../voice";
import type { World } from "../../world";
import { ForgeError } from "./forge";

export interface Caller {
  readonly name: string;
  /** `https://api.github.com`, without a slash at its end. */
  readonly api: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly world: Pick<World, "after" | "env" | "stopped" | "nowMs">;
  /** Before the second attempt, in milliseconds; doubled for each after it. Default: 500. */
  readonly firstWaitMs?: number;
  /** Ends calls and waits at once. Default: nothing does, so that an interrupted apply is recorded. */
  readonly ended?: AbortSignal;
}

export interface Request {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Below the API. */
  readonly path: string;
  readonly body?: unknown;
  /** Whether the call may be made twice. Default: all but POST. */
  readonly isRepeatable?: boolean;
}

/** A comment or an issue: an editor in a browser ends its lines as Windows does. */
export const written = z.string().transform((text) => text.replace(/\r\n/g, "\n"));

const ATTEMPTS_MAX = 5;
const TIMEOUT_MS = 30_000;
/** The longest that a forge may ask to wait between two attempts. */
const WAIT_MAX_MS = 60_000;
const FIRST_WAIT_MS = 500;
const LOOKS_MAX = 3;
const LOOK_AGAIN_MS = 1_000;
/** A saved plan is a few megabytes. */
const BYTES_MAX = 64 * 1024 ** 2;

/** The parsed answer; undefined where it is empty. @throws ForgeError */
export async function callJson(caller: Caller, request: Request): Promise<unknown> {
  const text = new TextDecoder().decode(await callBytes(caller, request));
  if (text.trim() === "") return undefined;
  const json = jsonOf(text);
  if (json !== undefined) return json;
  throw new ForgeError(`${whatOf(caller, request)} answered with no JSON.`, undefined);
}

/** The bytes of the answer. @throws ForgeError after at most five attempts */
export async function callBytes(caller: Caller, request: Request): Promise<Uint8Array> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await attemptOnce(caller, request);
    } catch (error) {
      if (!(error instanceof ForgeError) || error.retryAfterMs === undefined) throw error;
      const { firstWaitMs = FIRST_WAIT_MS } = caller;
      const waitMs = Math.max(error.retryAfterMs, firstWaitMs * 2 ** (attempt - 1));
      const isLast = attempt >= ATTEMPTS_MAX || caller.world.stopped.aborted;
      if (isLast || waitMs > WAIT_MAX_MS) throw error;
      await waited(caller, waitMs);
    }
  }
}

const waited = ({ world, ended }: Caller, ms: number): Promise<void> =>
  new Promise((resolve) => {
    const cancel = world.after(ms, resolve);
    const end = (): void => {
      cancel();
      resolve();
    };
    ended?.addEventListener("abort", end, { once: true });
  });

/** Writes what is found first. A write whose answer was lost is looked for before the next one. */
export async function retryingWrites(world: Pick<World, "after">, once: () => Promise<void>) {
  for (let look = 1; ; look += 1) {
    try {
      return await once();
    } catch (error) {
      const isUncertain =
        error instanceof ForgeError && (error.status === undefined || error.status >= 500);
      if (!isUncertain || look >= LOOKS_MAX) throw error;
      await new Promise<void>((resolve) => world.after(LOOK_AGAIN_MS, resolve));
    }
  }
}

async function attemptOnce(caller: Caller, request: Request): Promise<Uint8Array> {
  const { method, body, isRepeatable = method !== "POST" } = request;
  const { ended, world } = caller;
  const what = whatOf(caller, request);
  let response: Response;
  let bytes: Uint8Array;
  try {
    response = await fetched(`${caller.api}${request.path}`, world, {
      method,
      redirect: "manual",
      signal: AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), ...(ended ? [ended] : [])]),
      headers: {
        ...caller.headers,
        "user-agent": "erphost",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    // A write is not done elsewhere: what answers there may be a page to sign in.
    if (method === "GET" && response.status === 302) response = await followed(response, world);
    bytes = await bytesOf(response, what);
  } catch (error) {
    if (error instanceof ForgeError) throw error;
    // An error like any other; its text may have the address of the store, with a token in it.
    const proxy = readProxy({ given: undefined, env: world.env }, new URL(caller.api));
    const through = proxy ? ` through the proxy ${new URL(proxy).origin}` : "";
    const text = `${what} was not answered${through}${causeOf(error)}.`;
    throw new ForgeError(text, undefined, isRepeatable ? 0 : undefined);
  }
  if (response.ok) return bytes;
  const { status } = response;
  const retryAfterMs = retryOf(response, isRepeatable, caller);
  throw new ForgeError(`${what} → ${status}${hintOf(response)}`, status, retryAfterMs);
}

/** Through the proxy that the client would take. */
function fetched(address: string, { env }: Caller["world"], init: RequestInit) {
  const to = new URL(address);
  const proxy = readProxy({ given: undefined, env }, to);
  if (proxy === undefined) return fetch(address, init);
  if (proxy === null) {
    const fault = message("invalid_proxy", { variable: proxyVariable(to) }, { path: ["proxy"] });
    throw new ForgeError(textOf(fault), undefined);
  }
  // The agents of Node's own are of another version. Idle connections of this one keep no process.
  const { ProxyAgent, fetch: ours } = require("undici") as typeof import("undici");
  const through = ours as unknown as (address: string, init: object) => Promise<Response>;
  return through(address, { ...init, dispatcher: new ProxyAgent(proxy) });
}

/** ` (ECONNREFUSED)`, where the system says so: a proxy's refusal is the cause of a cause. */
function causeOf(error: unknown): string {
  const { cause, code } = isRecord(error) ? error : {};
  return cause ? causeOf(cause) : typeof code === "string" ? ` (${code})` : "";
}

/** An address that a forge answered names a store of its own; the token is not for it. */
async function followed(response: Response, world: Caller["world"]): Promise<Response> {
  const address = response.headers.get("location") ?? "";
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const found = await fetched(address, world, { redirect: "error", signal });
  if (!found.ok) throw new Error(`answered ${found.status}`);
  return found;
}

async function bytesOf(response: Response, what: string): Promise<Uint8Array> {
  if (response.body === null) return new Uint8Array();
  const parts: Uint8Array[] = [];
  let length = 0;
  // As the Fetch standard says; Node.js types the parts as anything.
  for await (const part of response.body as ReadableStream<Uint8Array>) {
    length += part.length;
    // Asked again, it would be as long.
    if (length > BYTES_MAX) throw new ForgeError(`${what} → more than 64 MiB.`, undefined);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** What was refused for its pace was not done; what failed may have been. */
function retryOf(response: Response, isRepeatable: boolean, { world }: Caller) {
  if (isPaced(response)) return retryAfterMs(response.headers, world.nowMs());
  return response.status >= 500 && isRepeatable ? 0 : undefined;
}

const isPaced = ({ status, headers }: Response): boolean =>
  status === 429 ||
  (status === 403 && (headers.has("retry-after") || headers.get("x-ratelimit-remaining") === "0"));

function retryAfterMs(headers: Headers, nowMs: number): number {
  const seconds = Number(headers.get("retry-after") ?? "");
  if (headers.has("retry-after") && Number.isFinite(seconds)) return seconds * 1_000;
  const reset = Number(headers.get("x-ratelimit-reset") ?? "");
  return headers.has("x-ratelimit-reset") ? Math.max(0, reset * 1_000 - nowMs) : 0;
}

const hintOf = (response: Response): string => {
  const { status } = response;
  if (isPaced(response)) return ": too many calls for now.";
  if (status >= 300 && status < 400) return ": it has another address by now.";
  if (status === 401) return ": the token is not valid (any more).";
  if (status === 403) return ": the token may not do that.";
  if (status === 404) return ": there is no such thing, or the token may not see it.";
  return ".";
};

/** What a call answers; undefined where it is refused with one of these. */
export async function unless<T>(statuses: readonly number[], work: () => Promise<T>) {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ForgeError && statuses.includes(error.status ?? 0)) return undefined;
    throw error;
  }
}

/** `GitHub: POST /repos/acme/infra/issues/1/comments` */
const whatOf = ({ name }: Caller, { method, path }: Request): string =>
  `${name}: ${method} ${placeOf(path)}`;

export const placeOf = (path: string): string => path.replace(/\?.*$/s, "");

/** @throws ForgeError with this sentence, where the answer has another form */
export function parseAnswer<T>(schema: z.ZodType<T>, answer: unknown, otherwise: string): T {
  const { success, data } = schema.safeParse(answer);
  if (success) return data;
  throw new ForgeError(otherwise, undefined);
}
