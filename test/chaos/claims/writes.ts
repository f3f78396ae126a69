/** Other people write while lists are read: nothing that exists is reported as gone. */
import { expect } from "@jest/globals";
import { z } from "zod";
import type { FaultInput } from "../../../emulator";
import { up, type Outcome, type Site } from "../faces/face";
import { expectSettled, expectSuccess, servers, upBefore } from "../support/expectations";
import type { Chance } from "../support/random";
import { sleep, type Effect, type Scene } from "../support/scene";
import type { Claim, Trial } from "../trial";

const LISTS = { method: "GET", path: "/servers" } as const;
const onLists = (effect: Effect): FaultInput => ({ match: LISTS, effect });

/** Pages are answered at different speeds, so that writes fall between them. */
const UNEVEN: readonly FaultInput[] = [
  { match: LISTS, every: 2, effect: { type: "delay", ms: 6 } },
  { match: LISTS, every: 3, effect: { type: "delay", ms: 9 } },
];
const LAG_MS = 200;

/** How the service lists. */
interface Listing {
  readonly name: string;
  readonly faults: readonly FaultInput[];
  /** The order is kept, so a refresh knows what is gone while others continue to write. */
  readonly isOrdered?: boolean;
  /** Deleted objects may be listed for a moment longer. */
  readonly isLate?: boolean;
  /** All objects are created at the same moment of the service's clock. */
  readonly hasTies?: boolean;
}

const listings: readonly Listing[] = [
  { name: "as usual", faults: [], isOrdered: true },
  { name: "with ties", faults: [], hasTies: true },
  { name: "with ties in random order", faults: [onLists("tie-shuffle")], hasTies: true },
  { name: "in another order than requested", faults: [onLists("ignore-order")] },
  {
    name: "with a delay",
    faults: [onLists({ type: "list-lag", ms: LAG_MS })],
    isOrdered: true,
    isLate: true,
  },
  {
    name: "with at most 40 a page",
    faults: [onLists({ type: "clamp-per-page", max: 40 })],
    isOrdered: true,
  },
];

const EVERY_MS = 1;
/** Writes after each page at most. */
const BURST_MAX = 4;
/** How many objects of other people always stay, so that there is one to delete. */
const OTHERS_MIN = 50;

/** Other people: they insert and delete while lists are being read, and never touch our objects. */
class Writers {
  /** Each write shifts the pages that follow it. */
  shifts = 0;
  private readonly others: string[];
  private timer: NodeJS.Timeout | undefined;
  private listsSeen = 0;

  constructor(
    private readonly scene: Scene,
    private readonly chance: Chance,
    ours: readonly string[],
  ) {
    const own = new Set(ours);
    this.others = scene.ids().filter((id) => !own.has(id));
  }

  /** Writes as long as a walk through a list takes. */
  async during<T>(walk: () => Promise<T>): Promise<T> {
    this.scene.emulator.clearJournal();
    this.listsSeen = 0;
    this.timer = setInterval(() => this.write(), EVERY_MS);
    try {
      return await walk();
    } finally {
      clearInterval(this.timer);
    }
  }

  /** A few inserts or a few deletes, so that pages shift now one way and now the other. */
  private write(): void {
    const { emulator } = this.scene;
    const lists = emulator.journal().filter(({ method }) => method === "GET").length;
    if (lists === this.listsSeen) return;
    this.listsSeen = lists;
    const grows = this.chance.below(2) === 0 || this.others.length < OTHERS_MIN;
    for (let count = 1 + this.chance.below(BURST_MAX); count > 0; count -= 1) {
      if (grows) {
        const made = emulator.createObjects("server", [{ name: "another", status: "running" }]);
        this.others.push(...made.map(({ id }) => String(id)));
      } else {
        const [id = ""] = this.others.splice(this.chance.below(this.others.length), 1);
        emulator.removeObject("server", id);
      }
      this.shifts += 1;
    }
  }
}

/** What came of refreshes while others wrote. */
interface Tally {
  refreshes: number;
  refused: number;
  deleted: number;
  /** How many of the deleted the next refresh reported as gone. */
  foundAtOnce: number;
  /** Objects that exist and were reported as gone. */
  readonly falselyGone: string[];
}

interface Refreshed extends Tally {
  readonly writers: Writers;
  /** A last refresh, when nobody writes. */
  readonly quiet: Outcome;
  /** Deleted objects that are in the state after it. */
  readonly overlooked: readonly string[];
}

const OBJECTS = 30;
const strangers = Array.from({ length: 400 }, (_, index) => {
  return { name: `other-${index}`, status: "running" };
});

/** Refreshes `count` times while others write, and once when it is quiet. */
const refreshAmongWriters = (trial: Trial, listing: Listing, count: number) =>
  trial.scene({}, async (scene): Promise<Refreshed> => {
    const { emulator } = scene;
    if (listing.hasTies) emulator.setClock({ rate: 0 });
    emulator.createObjects("server", strangers);
    const site = await upBefore(scene, servers(OBJECTS));
    emulator.createObjects("server", strangers);
    // Young objects are waited for in any case.
    emulator.advance("1h");
    emulator.setFaults([...UNEVEN, ...listing.faults]);
    const writers = new Writers(scene, trial.chance, Object.values(await site.ids()));
    const tally: Tally = { refreshes: 0, refused: 0, deleted: 0, foundAtOnce: 0, falselyGone: [] };
    for (let index = 0; index < count; index += 1) {
      const held = Object.values(await site.ids());
      const deletes = index === 0 || trial.chance.below(4) === 0;
      const victim = deletes ? held[trial.chance.below(held.length)] : undefined;
      if (victim !== undefined) emulator.removeObject("server", victim);
      const { code } = await writers.during(() => site.refresh());
      const now = new Set(Object.values(await site.ids()));
      const existing = new Set(scene.ids());
      tally.refreshes += 1;
      if (code !== 0) tally.refused += 1;
      if (victim !== undefined) tally.deleted += 1;
      if (victim !== undefined && !now.has(victim)) tally.foundAtOnce += 1;
      tally.falselyGone.push(...held.filter((id) => !now.has(id) && existing.has(id)));
    }
    return { ...tally, writers, ...(await refreshQuietly(scene, site)) };
  });

async function refreshQuietly(scene: Scene, site: Site) {
  scene.emulator.setFaults([]);
  scene.emulator.setClock({ rate: 1 });
  await sleep(LAG_MS + 50);
  const quiet = await site.refresh();
  const existing = new Set(scene.ids());
  const overlooked = Object.values(await site.ids()).filter((id) => !existing.has(id));
  return { quiet, overlooked };
}

/** What was deleted is found: at once if the list keeps its order, otherwise when it is quiet. */
export const refreshAmongOtherWriters: Claim = {
  name: "a refresh while others write reports nothing as gone that exists, and finds what is gone",
  group: "writes",
  run: async (trial) => {
    const count = trial.count(12);
    const some = listings.slice(0, count);
    const each = Math.ceil(count / listings.length);
    const all: Refreshed[] = [];
    await trial.each(some, async (listing) => {
      const result = await refreshAmongWriters(trial, listing, each);
      all.push(result);
      expect(result.falselyGone).toEqual([]);
      if (listing.isOrdered) expect(result.refused).toBe(0);
      if (listing.isOrdered && !listing.isLate) expect(result.foundAtOnce).toBe(result.deleted);
      expectSuccess("the quiet refresh", result.quiet);
      expect(result.overlooked).toEqual([]);
    });
    const sum = (of: (one: Refreshed) => number): number =>
      all.reduce((total, one) => total + of(one), 0);
    const [refreshes, shifts] = [sum((one) => one.refreshes), sum(({ writers }) => writers.shifts)];
    const [deleted, found] = [sum((one) => one.deleted), sum((one) => one.foundAtOnce)];
    // With fewer, the trial would prove nothing.
    expect(shifts).toBeGreaterThan(refreshes);
    return `${refreshes} refreshes of ${OBJECTS}, 0 false, ${found} of ${deleted} deleted found at once, ${sum((one) => one.refused)} refused, ${(shifts / refreshes).toFixed(1)} shifts per refresh`;
  },
};

const BEHIND_MS = 5_000;

export const refreshRightAfterUp: Claim = {
  name: "with lists five seconds behind, a refresh right after an up loses and repeats nothing",
  group: "writes",
  run: (trial) =>
    trial.scene({}, async (scene) => {
      const { size } = trial;
      const site = await scene.open(servers(size));
      scene.emulator.setFaults([onLists({ type: "list-lag", ms: BEHIND_MS })]);
      expectSuccess("the up", await up(site));
      const before = await site.ids();
      expect(await listedCount(scene)).toBe(0);
      expectSuccess("the refresh", await site.refresh());
      expect(await site.ids()).toEqual(before);
      expectSuccess("the next up", await up(site));
      scene.emulator.setFaults([]);
      await expectSettled(scene, [site], { step: "the next up", count: size });
      return `${size} of ${size} not yet listed when the refresh started`;
    }),
};

const pageSchema = z.object({ data: z.array(z.unknown()) });

/** How many servers a list shows now. */
async function listedCount({ env }: Scene): Promise<number> {
  const response = await fetch(`${env.ERPHOST_BASE_URL}/servers`, {
    headers: { Authorization: `Bearer ${env.ERPHOST_API_KEY}` },
    signal: AbortSignal.timeout(30_000),
  });
  return pageSchema.parse(await response.json()).data.length;
}
