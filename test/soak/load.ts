/** A long load on one client under limits: every write must be there, and memory must not grow. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { startEmulator, type Emulator } from "../../emulator";
import { ErpHost } from "../../provider";

export interface SoakOptions {
  /** When no more objects are created: after a time, or after that many. */
  readonly until: { readonly ms: number } | { readonly creates: number };
  /** How many objects exist at a time. */
  readonly objects: number;
  /** Requests per 100 ms that the key is allowed. */
  readonly rate: number;
  readonly onProgress?: (text: string) => void;
}

export interface SoakResult {
  readonly calls: number;
  readonly creates: number;
  readonly refusedCount: number;
  /** Reachable heap in MiB, from the end of the first fifth on. */
  readonly heapMib: readonly number[];
  /** MiB per minute, by least squares. */
  readonly growthMibPerMinute: number;
  /** What was not as it must be. */
  readonly failures: readonly string[];
}

const WINDOW_MS = 100;
const AT_A_TIME = 10;
const SAMPLES = 20;
/** How often memory is looked at where the end is a count. */
const SAMPLE_MS = 250;
const MIB = 1024 * 1024;
const FAILURES_MAX = 20;

/** What is still reachable, not what has not been collected yet. */
function reachableMib(): number {
  setFlagsFromString("--expose-gc");
  // Only contexts created after the flag was set have it.
  const collect = runInNewContext("gc") as () => void;
  collect();
  return process.memoryUsage().heapUsed / MIB;
}

interface Sample {
  readonly atMs: number;
  readonly mib: number;
}

/** One load, and what has been seen of it so far. */
class Soak {
  readonly failures: string[] = [];
  readonly samples: Sample[] = [];
  calls = 0;
  creates = 0;
  refusedCount = 0;
  /** Creates that were sent, answered or not. */
  private begun = 0;
  private readonly startedAt = performance.now();

  constructor(
    private readonly emulator: Emulator,
    private readonly erphost: ErpHost,
    private readonly options: SoakOptions,
  ) {}

  get elapsedMs(): number {
    return performance.now() - this.startedAt;
  }

  private get isOver(): boolean {
    const { until } = this.options;
    return "ms" in until ? this.elapsedMs >= until.ms : this.begun >= until.creates;
  }

  /** Objects one after the other: created, updated, found, deleted, found gone. */
  async work(worker: number): Promise<void> {
    const { servers } = this.erphost;
    const mine: string[] = [];
    while (!this.isOver) {
      this.begun += 1;
      const { id } = await servers.create({ name: `soak-${worker}-${this.creates}` });
      this.creates += 1;
      mine.push(id);
      const changed = await servers.update(id, { name: `changed-${id}` });
      this.expect(changed.name === `changed-${id}`, `${id}: the update is not shown`);
      if (mine.length <= this.options.objects / AT_A_TIME) continue;
      const victim = mine.shift() ?? id;
      const existing = await servers.get(victim);
      this.expect(existing !== undefined, `${victim} exists and was not found`);
      const deleted = await servers.delete(victim);
      this.expect(deleted === "deleted", `${victim}: the delete answers ${deleted}`);
      const gone = (await servers.get(victim)) === undefined;
      this.expect(gone, `${victim} was deleted and is still found`);
    }
    for (const id of mine) await servers.delete(id);
  }

  /** Adds the calls since the last time. */
  countCalls(): void {
    const journal = this.emulator.journal();
    this.calls += journal.length;
    this.refusedCount += journal.filter(({ status }) => status === 429).length;
    // The emulator is in this process: what it remembers must not count.
    this.emulator.clearJournal();
  }

  sample(): void {
    this.countCalls();
    const mib = reachableMib();
    this.samples.push({ atMs: this.elapsedMs, mib });
    const seconds = Math.round(this.elapsedMs / 1000);
    this.options.onProgress?.(`${seconds} s: ${this.creates} creates, ${mib.toFixed(1)} MiB`);
  }

  expect(holds: boolean, otherwise: string): void {
    if (!holds && this.failures.length < FAILURES_MAX) this.failures.push(otherwise);
  }
}

const sampleMs = ({ until }: SoakOptions): number =>
  "ms" in until ? until.ms / SAMPLES : SAMPLE_MS;

/**
 * Runs the load against a new emulator.
 *
 * @throws Error if it was over before anything was tried
 */
export async function soak(options: SoakOptions): Promise<SoakResult> {
  const limits = [{ requests: options.rate, windowMs: WINDOW_MS }];
  const emulator = await startEmulator({ provisionMs: 0, limits });
  const erphost = new ErpHost({ apiKey: emulator.adminKey, baseUrl: emulator.baseUrl, limits });
  const load = new Soak(emulator, erphost, options);
  const sampling = setInterval(() => load.sample(), sampleMs(options));
  try {
    await Promise.all(Array.from({ length: AT_A_TIME }, (_, worker) => load.work(worker)));
  } finally {
    clearInterval(sampling);
    load.countCalls();
    const left = emulator.objects("server").length;
    load.expect(left === 0, `${left} servers are left`);
    await erphost.close();
    await emulator.close();
  }
  const { calls, creates, refusedCount, failures, samples } = load;
  if (creates === 0) throw new Error("The load was over before it created anything.");
  const endMs = samples.at(-1)?.atMs ?? 0;
  const steady = samples.filter(({ atMs }) => atMs > endMs / 5);
  return {
    calls,
    creates,
    refusedCount,
    heapMib: steady.map(({ mib }) => Math.round(mib * 10) / 10),
    growthMibPerMinute: slope(steady) * 60_000,
    failures,
  };
}

/** MiB per millisecond. */
function slope(samples: readonly Sample[]): number {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  const time = mean(samples.map(({ atMs }) => atMs));
  const size = mean(samples.map(({ mib }) => mib));
  const over = samples.reduce((sum, { atMs, mib }) => sum + (atMs - time) * (mib - size), 0);
  const under = samples.reduce((sum, { atMs }) => sum + (atMs - time) ** 2, 0);
  return under === 0 ? 0 : over / under;
}
