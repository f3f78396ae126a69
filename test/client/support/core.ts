/** A core over a transport of the test's own. */
import { seededRandom } from "../../../emulator/random";
import { ErpHost, type ErpHostOptions } from "../../../provider";
import { readConfiguration, type Given } from "../../../provider/client/settings/read";
import type { Notice, WriteOptions } from "../../../provider/client/api";
import { isErpHostError, type ErpHostError } from "../../../provider/client/errors";
import { ClientCore } from "../../../provider/client";
import type { Injectables } from "../../../provider/client/settings/system";
import type { RawAnswer } from "../../../provider/client/chain/call";
import { TransportFault } from "../../../provider/client/chain/transport";
import type { Transport, WireRequest } from "../../../provider/client/chain/transport";
import { atEnd } from "../../support/folder";
import { FakeClock } from "./clock";

export const CANARY = "acme_test_c4n4ryc4n4ryc4n4ry";
export const BASE_URL = "https://service.test/v1";

/** Answers a request, now or later; undefined: the connection breaks. */
export type Respond = (
  request: WireRequest,
) => RawAnswer | undefined | Promise<RawAnswer | undefined>;

export type ClientOnService = ReturnType<typeof clientOn>;

export interface ClientOptions {
  readonly given?: Given;
  readonly clock?: FakeClock;
  readonly more?: Partial<Injectables>;
}

/** A transport over a function, which notices when a call is given up. */
const transportOf =
  (respond: Respond, sent: WireRequest[]): Transport =>
  (request, cancel) =>
    new Promise((resolve, reject) => {
      sent.push(request);
      const undo = cancel.onCancel((reason) =>
        reject(new TransportFault(reason, true, reason.code)),
      );
      Promise.resolve(respond(request))
        .then((answer) => {
          if (answer) resolve(answer);
          else reject(new TransportFault("network", true, "ECONNRESET: the socket was cut"));
        }, reject)
        .finally(undo);
    });

function own(error: unknown): ErpHostError {
  if (isErpHostError(error)) return error;
  throw error;
}

export function clientOn(respond: Respond, options: ClientOptions = {}) {
  const clock = options.clock ?? new FakeClock();
  /** What was sent, oldest first. */
  const sent: WireRequest[] = [];
  /** When, since the clock was made. */
  const times: number[] = [];
  const noted: Respond = (request) => (times.push(clock.elapsedMs), respond(request));
  /** What `onNotice` was given. */
  const notices: Notice[] = [];
  let ids = 0;
  const core = new ClientCore(
    readConfiguration({ given: { apiKey: CANARY, baseUrl: BASE_URL, ...options.given } }),
    {
      clock,
      random: seededRandom(1),
      uuid: () => `uuid-${++ids}`,
      transport: transportOf(noted, sent),
      ...options.more,
    },
  );
  return {
    core,
    clock,
    sent,
    times,
    notices,
    onNotice: (notice: Notice) => void notices.push(notice),
    /** The client's error of a call that must fail, which the clock runs on for. */
    failed: async (call: Promise<unknown>) => own(await failureOf(clock.run(call))),
    failures: async (calls: readonly Promise<unknown>[]) =>
      (await clock.run(Promise.all(calls.map(failureOf)))).map(own),
    /** Begins to create that many servers of one name. */
    creates: (count: number, callOptions?: WriteOptions) =>
      Array.from({ length: count }, () => core.create("server", { name: "n" }, callOptions)),
  };
}

/** A program's client, which is closed when the test is over. */
export function opened(options: ErpHostOptions): ErpHost {
  const erphost = new ErpHost({ apiKey: CANARY, env: {}, ...options });
  atEnd(() => erphost.close());
  return erphost;
}

/** Answers one call after the other, and the last to all that follow; undefined breaks the connection. */
export const inTurn = (...answers: (RawAnswer | undefined)[]): Respond => {
  let calls = 0;
  return () => answers[Math.min(calls++, answers.length - 1)];
};

export const raw = (status: number, body: unknown, headers: RawAnswer["headers"] = {}) => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: typeof body === "string" ? body : JSON.stringify(body),
});

export const META = { timestamp: "2026-01-01T00:00:00.000Z", request_id: "req_1" };

export const ok = (data: unknown, more: Record<string, unknown> = {}): RawAnswer =>
  raw(200, { success: true, data, meta: META, ...more });

/** The answer about the server that `creates` makes. */
export const SERVER = ok({ id: "srv_1", name: "n" });

export const failure = (status: number, code: string, more: Record<string, unknown> = {}) =>
  raw(status, {
    success: false,
    error: { code, message: `the message of ${code}`, ...more },
    meta: META,
  });

/** `pagination` that agrees with itself. */
export const pagination = (page: number, perPage: number, total: number) => {
  const pages = Math.ceil(total / perPage);
  return {
    current_page: page,
    per_page: perPage,
    total_pages: pages,
    total_items: total,
    has_next: page < pages,
    has_previous: page > 1,
  };
};

export const queryOf = (request: WireRequest): URLSearchParams =>
  new URL(request.path, "http://service.test").searchParams;

/** A connection that fails, with what the system says of it. */
export const fault = (detail: string) => () =>
  Promise.reject(new TransportFault("network", false, detail));

export const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => {
      throw new Error(`it succeeded with ${JSON.stringify(value)}`);
    },
    (error: unknown) => error,
  );
