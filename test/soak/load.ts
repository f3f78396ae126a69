/** A long load on one client, under limits: what is written is there, and memory does not grow. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { startEmulator } from "../../emulator";
import { ErpHost } from "../../provider";

export interface SoakOptions {
  readonly ms: number;
  /** Objects that live at a time. */
  readonly objects: number;
  /** Requests per 100 ms that the key has. */
  readonly rate: number;
  readonly say?: (text: string) => void;
}

export interface Soaked {
  readonly calls: number;
  readonly creates: number;
  readonly refusedCount: number;
  /** Reachable heap in MiB, from after the first fifth to the end. */
  readonly heapMb: readonly number[];
  /** MiB per minute, by the least squares. */
  readonly growthMbPerMinute: number;
  /** What was not as it must be. */
  readonly failures: readonly string[];
}

const WINDOW_MS = 100;
const AT_A_TIME = 10;
const SAMPLES = 20;
const MIB = 1024 * 1024;
const FAILURES_MAX = 20;

/** What is still reachable, not what has not been collected yet. */
function reachableMb(): number {
  setFlagsFromString("--expose-gc");
  // Node shows it to new contexts only, once the flag is set.
  const collect = runInNewContext("gc") as () => void;
  collect();
  return process.memoryUsage().heapUsed / MIB;
}

export async function soak({ ms, objects, rate, say }: SoakOptions): Promise<Soaked> {
  const limits = [{ requests: rate, windowMs: WINDOW_MS }];
  const emulator = await startEmulator({ provisionMs: 0, limits });
  const erphost = new ErpHost({ apiKey: emulator.adminKey, baseUrl: emulator.baseUrl, limits });
  const failures: string[] = [];
  const fail = (text: string): void => {
    if (failures.length < FAILURES_MAX) failures.push(text);
  };
  const begunAt = performance.now();
  const elapsed = (): number => performance.now() - begunAt;
  const heap: { readonly atMs: number; readonly mb: number }[] = [];
  let creates = 0;
  let calls = 0;
  let refusedCount = 0;

  /** The life of objects, one after the other: made, changed, found, deleted, found gone. */
  const worker = async (number: number): Promise<void> => {
    const mine: string[] = [];
    while (elapsed() < ms) {
      const { id } = await erphost.servers.create({ name: `soak-${number}-${creates}` });
      creates += 1;
      mine.push(id);
      const changed = await erphost.servers.update(id, { name: `changed-${id}` });
      if (changed.name !== `changed-${id}`) fail(`${id}: the change is not shown`);
      if (mine.length <= objects / AT_A_TIME) continue;
      const victim = mine.shift() ?? id;
      if (!(await erphost.servers.get(victim))) fail(`${victim} lives and was not found`);
      const deleted = await erphost.servers.delete(victim);
      if (deleted !== "deleted") fail(`${victim}: the delete answers ${deleted}`);
      if (await erphost.servers.get(victim)) fail(`${victim} was deleted and is still found`);
    }
    for (const id of mine) await erphost.servers.delete(id);
  };

  const sampling = setInterval(() => {
    const journal = emulator.journal();
    calls += journal.length;
    refusedCount += journal.filter(({ status }) => status === 429).length;
    // The emulator is in this process: what it remembers must not count.
    emulator.clearJournal();
    heap.push({ atMs: elapsed(), mb: reachableMb() });
    const last = heap.at(-1);
    say?.(
      `${Math.round(elapsed() / 1000)} s: ${creates} creates, ${last?.mb.toFixed(1) ?? ""} MiB`,
    );
  }, ms / SAMPLES);
  try {
    await Promise.all(Array.from({ length: AT_A_TIME }, (_, number) => worker(number)));
  } finally {
    clearInterval(sampling);
    const left = emulator.objects("server").length;
    if (left > 0) fail(`${left} servers are left`);
    await erphost.close();
    await emulator.close();
  }
  const steady = heap.filter(({ atMs }) => atMs > ms / 5);
  return {
    calls,
    creates,
    refusedCount,
    heapMb: steady.map(({ mb }) => Math.round(mb * 10) / 10),
    growthMbPerMinute: slope(steady) * 60_000,
    failures,
  };
}

/** MiB per millisecond. */
function slope(points: readonly { readonly atMs: number; readonly mb: number }[]): number {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  const time = mean(points.map(({ atMs }) => atMs));
  const size = mean(points.map(({ mb }) => mb));
  const over = points.reduce((sum, { atMs, mb }) => sum + (atMs - time) * (mb - size), 0);
  const under = points.reduce((sum, { atMs }) => sum + (atMs - time) ** 2, 0);
  return under === 0 ? 0 : over / under;
}
