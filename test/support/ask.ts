/** The service, asked in plain HTTP, as a program without our client does, and made to fail. */
import type { Emulator, FaultInput } from "../../emulator";

export interface Asked {
  /** Default: the admin key; null: no header. */
  readonly key?: string | null | undefined;
  /** JSON, or a text that is sent as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Service {
  readonly baseUrl: string;
  readonly adminKey?: string;
}

/** Sends a request; `call` is a method and a path below the base address. */
export function ask(
  { baseUrl, adminKey }: Service,
  call: string,
  { key = adminKey, body, headers }: Asked = {},
): Promise<Response> {
  const [method = "GET", path = ""] = call.split(" ");
  return fetch(baseUrl + path, {
    method,
    headers: {
      "content-type": "application/json",
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
}

/** Whether the service takes this secret now. */
export const isAccepted = async (service: Service, key: unknown): Promise<boolean> =>
  (await ask(service, "GET /auth/test", { key: String(key) })).ok;

/**
 * From now on requests meet this effect, and no other.
 * @param call which ones: a method, a path or both
 * @param effect a number is the status of a refusal
 */
export function strike(
  emulator: Pick<Emulator, "setFaults">,
  call: string,
  effect: FaultInput["effect"] | number,
  more: Omit<FaultInput, "match" | "effect"> = {},
): void {
  const [, method, path] = /^([A-Z]*) ?(.*)$/.exec(call) ?? [];
  const match = { ...(method && { method }), ...(path && { path }) };
  const status = { type: "status", status: Number(effect) } as const;
  emulator.setFaults([{ ...more, match, effect: typeof effect === "number" ? status : effect }]);
}
