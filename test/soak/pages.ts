/** A long mixed load on the emulator while ten pages are open: its memory must not grow. */
import { bareClient } from "../bench/bare-client";
import { serving, type Serving } from "../bench/serving";
import { memoryOf, type MemoryFound, type Sample } from "../support/memory";

const PAGES = 10;
const AT_A_TIME = 10;
const SAMPLES = 40;
/** More would keep a page from being drawn. */
const OBJECTS = 500;

interface PagesResult extends MemoryFound {
  readonly calls: number;
  readonly events: number;
}

/** Reads events, and asks after each for what a page shows. @returns what counts them and leaves */
async function openPage({ url }: Serving): Promise<{ events(): number; leave(): void }> {
  const stop = new AbortController();
  const stream = await fetch(`${url}/_emulator/events`, { signal: stop.signal });
  if (!stream.ok || stream.body === null) throw new Error(`no events: ${stream.status}`);
  let count = 0;
  void (async () => {
    try {
      for await (const _ of stream.body ?? []) {
        count += 1;
        for (const path of ["requests?limit=100", "objects/server?limit=100", "limits"]) {
          await (await fetch(`${url}/_emulator/${path}`, { signal: stop.signal })).arrayBuffer();
        }
      }
    } catch (error) {
      if (!stop.signal.aborted) throw error;
    }
  })();
  return { events: () => count, leave: () => stop.abort() };
}

/** Runs the load for a time. @throws Error where the pages saw nothing */
export async function loadWithPages(
  untilMs: number,
  say: (text: string) => void,
): Promise<PagesResult> {
  const service = await serving();
  const client = bareClient(service.url, service.apiKey);
  const startedAt = performance.now();
  const elapsedMs = (): number => performance.now() - startedAt;
  const samples: Sample[] = [];
  let calls = 0;
  const work = async (): Promise<void> => {
    while (elapsedMs() < untilMs) {
      calls += 1;
      // A few creates among many lists; what is too old is removed, as somebody else would.
      if (calls % 10 !== 0) await client.page(1 + (calls % 5), 100);
      else await client.create(`page-${calls}`);
      const old = calls / 10 - OBJECTS;
      if (calls % 10 === 0 && old > 0) {
        await service.control("DELETE", `/objects/server/srv_${old}`).catch(() => undefined);
      }
    }
  };
  const pages = await Promise.all(Array.from({ length: PAGES }, () => openPage(service)));
  const sampling = setInterval(() => {
    void service.memoryMib().then((mib) => {
      samples.push({ atMs: elapsedMs(), mib });
      say(`${Math.round(elapsedMs() / 1_000)} s: ${calls} calls, ${mib.toFixed(1)} MiB`);
    });
  }, untilMs / SAMPLES);
  try {
    await Promise.all(Array.from({ length: AT_A_TIME }, work));
  } finally {
    clearInterval(sampling);
    for (const page of pages) page.leave();
    await client.close();
    service.close();
  }
  const events = pages.reduce((sum, page) => sum + page.events(), 0);
  if (events < PAGES) throw new Error("The pages saw nothing.");
  return { calls, events, ...memoryOf(samples) };
}
