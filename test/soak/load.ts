/** A long load on one client under limits: every write must be there, and memory must not grow. */
import * as z from "zod";
import { ErpHost } from "../../provider";
import { serving, type Serving } from "../bench/serving";
import { memoryOf, reachableMib, type Sample } from "../support/memory";

export interface SoakOptions {
  /** When no more objects are created: after a time, or after that many. */
  readonly until: { readonly ms: number } | { readonly creates: number };
  /** How many objects exist at a time. */
  readonly objects: number;
  /** Requests per 100 ms that the key is allowed. */
  readonly rate: number;
  readonly onProgress?: (text: string) => void;
}

const WINDOW_MS = 100;
const AT_A_TIME = 10;
const SAMPLES = 40;
/** How often memory is looked at where the end is a count. */
const SAMPLE_MS = 1_000;
/** The service keeps its latest requests only, so they are counted in between. */
const COUNT_MS = 2_000;
const FAILURES_MAX = 20;

const requestsSchema = z.object({
  requests: z.array(z.object({ seq: z.int(), status: z.int().nullable() })),
});
const objectsSchema = z.object({ objects: z.array(z.unknown()) });

class Soak {
  /** What was not as it must be. */
  readonly failures: string[] = [];
  readonly samples: Sample[] = [];
  calls = 0;
  creates = 0;
  refusedCount = 0;
  /** Creates that were sent, answered or not. */
  private begun = 0;
  /** The last request that was counted. */
  private counted = 0;
  private readonly startedAt = performance.now();

  constructor(
    private readonly service: Serving,
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

  /** Adds the calls that were answered since the last time; the service forgets them in the end. */
  async countCalls(): Promise<void> {
    const path = `/requests?after=${this.counted}`;
    const { requests } = requestsSchema.parse(await this.service.control("GET", path));
    const running = requests.findIndex(({ status }) => status === null);
    const done = running < 0 ? requests : requests.slice(0, running);
    this.counted = done.at(-1)?.seq ?? this.counted;
    this.calls += done.length;
    this.refusedCount += done.filter(({ status }) => status === 429).length;
  }

  sample(): void {
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

/** Runs the load on a new emulator. @throws Error if it was over before anything was tried */
export async function soak(options: SoakOptions) {
  const limits = [{ requests: options.rate, windowMs: WINDOW_MS }];
  // In a process of its own: what the emulator remembers is not the client's.
  const service = await serving({ limits });
  const erphost = new ErpHost({ apiKey: service.apiKey, baseUrl: `${service.url}/v1`, limits });
  const load = new Soak(service, erphost, options);
  const sampling = setInterval(() => load.sample(), sampleMs(options));
  const counting = setInterval(() => {
    load.countCalls().catch((error: unknown) => load.expect(false, String(error)));
  }, COUNT_MS);
  try {
    await Promise.all(Array.from({ length: AT_A_TIME }, (_, worker) => load.work(worker)));
    await load.countCalls();
    const { objects } = objectsSchema.parse(await service.control("GET", "/objects/server"));
    load.expect(objects.length === 0, `${objects.length} servers are left`);
  } finally {
    clearInterval(sampling);
    clearInterval(counting);
    await erphost.close();
    service.close();
  }
  const { calls, creates, refusedCount, failures, samples } = load;
  if (creates === 0) throw new Error("The load was over before it created anything.");
  return { calls, creates, refusedCount, failures, ...memoryOf(samples) };
}
