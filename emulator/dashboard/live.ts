/** Calls of `/_emulator`, and data that stays as it is there, by server-sent events. */
import { useEffect, useState } from "preact/hooks";

/** Any JSON object; what is shown of it is what it holds. */
export type Data = Readonly<Record<string, unknown>>;

/** Listeners that get each new value. */
class Signal<T> {
  private readonly listeners = new Set<(value: T) => void>();
  readonly on = (listener: (value: T) => void): (() => void) => {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  };
  readonly emit = (value: T): void => this.listeners.forEach((listener) => listener(value));
}

/** Whether an admin key is asked for before anything is shown. */
export const gate = new Signal<boolean>();
/** Whether events arrive; what is shown may be old while they do not. */
export const liveness = new Signal<boolean>();
const touched = new Signal<ReadonlySet<string>>();

/** What a call says of something that is not there. */
class Missing extends Error {}

/** Calls `/_emulator`; the answer is what the caller knows it to be. */
export async function call<T = Data>(method: string, path: string, body?: unknown): Promise<T> {
  const json = { "Content-Type": "application/json" };
  const sent = body === undefined ? {} : { headers: json, body: JSON.stringify(body) };
  const response = await fetch(`/_emulator${path}`, { method, ...sent }).catch(() => {
    throw new Error("The emulator does not answer. Is it still running?");
  });
  const answer = (await response.json()) as T & { error?: { message: string } };
  if (response.ok) return answer;
  if ((response.status === 401 || response.status === 403) && path !== "/session") gate.emit(true);
  const Kind = response.status === 404 ? Missing : Error;
  throw new Kind(answer.error?.message ?? response.statusText);
}

/** A stream that was refused is not asked for again by browsers themselves. */
const RETRY_MS = 3_000;
let source: EventSource | undefined;
let timer: number | undefined;
let isShut = false;
gate.on((isClosed) => void (isShut = isClosed));

function retry(): void {
  liveness.emit(false);
  clearTimeout(timer);
  if (!isShut) timer = setTimeout(() => void connect(), RETRY_MS);
}

/** Opens the gate if it may: data is read, and read again when an event says that it has changed. */
export async function connect(): Promise<void> {
  const isUp = await call("GET", "/health").catch(() => undefined);
  if (isUp) gate.emit(false);
  source?.close();
  // Browsers have six connections for a host: a page that nobody sees keeps none of them.
  if (document.hidden) return;
  if (!isUp) return retry();
  clearTimeout(timer);
  source = new EventSource("/_emulator/events");
  source.onopen = () => {
    clearTimeout(timer);
    liveness.emit(true);
    // What changed while nothing was heard is not known.
    touched.emit(new Set(["*"]));
  };
  source.onerror = retry;
  source.onmessage = ({ data }: MessageEvent<string>) =>
    touched.emit(new Set(JSON.parse(data) as string[]));
}

document.addEventListener("visibilitychange", () => {
  clearTimeout(timer);
  source?.close();
  if (!document.hidden) void connect();
});

/** Two reads of the same are apart by this much at least, however fast it changes. */
const PAUSE_MS = 400;

/** What a GET answers, read again when a topic changes; undefined until it is there, null after. */
export function useLive<T>(path: string, topics: readonly string[]): T | null | undefined {
  const [data, setData] = useState<T | null>();
  useEffect(() => {
    const state = { isGone: false, isBusy: false, isStale: true };
    const read = async (): Promise<void> => {
      if (state.isBusy) return;
      for (state.isBusy = true; state.isStale && !state.isGone;) {
        state.isStale = false;
        // The side says when nothing is heard, and the gate closes when a key is wanted.
        const answer = await call<T>("GET", path).catch((error: unknown) =>
          error instanceof Missing ? null : undefined,
        );
        if (answer !== undefined) setData((last) => (state.isGone ? last : answer));
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
      state.isBusy = false;
    };
    void read();
    const off = touched.on((names) => {
      state.isStale ||= names.has("*") || topics.some((topic) => names.has(topic));
      void read();
    });
    return () => {
      state.isGone = true;
      off();
    };
    // The topics of a call never change.
  }, [path]);
  return data;
}

/** Objects of a kind that are shown without pages. */
export const SHOWN_MAX = 200;

/** The first objects of a kind, and how many there are. */
export const useObjects = (kind: string) =>
  useLive<{ readonly objects: readonly Data[]; readonly total: number }>(
    `/objects/${kind}?per_page=${SHOWN_MAX}&order=asc`,
    ["objects"],
  );

/** The part of the address behind `#/`, in its segments. */
export function useRoute(): readonly string[] {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    window.onhashchange = () => setHash(location.hash);
  }, []);
  return hash.replace(/^#\/?/, "").split("/");
}
