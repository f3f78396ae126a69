/** Other people write while lists are read: nothing that lives is reported gone. */
import { z } from "zod";
import type { FaultInput } from "../../../emulator";
import { up, type Face, type Site } from "../faces/face";
import { onScene } from "../support/scene";
import { ended, serversOf, settled } from "../support/settled";
import { sleep, type World } from "../support/world";
import { Evidence, type Claim, type Trial } from "./claim";
import { crowd, type Crowd } from "../support/crowd";
import { naiveEngine } from "../faces/engine";

/** Pages are read at different moments, so that writes fall between them. */
const SPREAD: readonly FaultInput[] = [
  { match: { method: "GET", path: "/servers" }, every: 2, effect: { type: "delay", ms: 6 } },
  { match: { method: "GET", path: "/servers" }, every: 3, effect: { type: "delay", ms: 9 } },
];

interface Way {
  readonly name: string;
  readonly faults: readonly FaultInput[];
  /** The list keeps its order, so that a refresh tells what is gone while others go on writing. */
  readonly ordered?: boolean;
  /** What was deleted may be listed for a moment more. */
  readonly lags?: boolean;
  /** All objects are made at the same moment of the service's clock. */
  readonly ties?: boolean;
}

const onLists = (effect: FaultInput["effect"]): FaultInput => ({
  match: { method: "GET", path: "/servers" },
  effect,
});

const ways: readonly [Way, ...Way[]] = [
  { name: "as it is", faults: [], ordered: true },
  { name: "ties", faults: [], ties: true },
  { name: "ties in random order", faults: [onLists("tie-shuffle")], ties: true },
  { name: "ignore-order", faults: [onLists("ignore-order")] },
  {
    name: "list-lag",
    faults: [onLists({ type: "list-lag", ms: 200 })],
    ordered: true,
    lags: true,
  },
  {
    name: "clamp-per-page",
    faults: [onLists({ type: "clamp-per-page", max: 40 })],
    ordered: true,
  },
];

interface Tally {
  refreshes: number;
  refused: number;
  falselyGone: number;
  deleted: number;
  /** Of the deleted: known as gone by the refresh that followed at once. */
  foundAtOnce: number;
}

const NONE: Tally = { refreshes: 0, refused: 0, falselyGone: 0, deleted: 0, foundAtOnce: 0 };

const reader: Claim = {
  name: "refreshes while others write",
  group: "writes",
  says: "Others insert and delete during every walk, with ties in created_at, an order that is ignored, lists that lag and pages that are clamped: none that lives is reported gone, and each that was deleted is found; at once where the list keeps its order, else when it is quiet.",
  run: async (trial) => {
    const evidence = new Evidence();
    const details: string[] = [];
    const refreshes = trial.trials(200, 6);
    const tallies: Tally[] = [];
    const others: Crowd["sums"][] = [];
    for (const way of ways.slice(0, refreshes)) {
      trial.say(way.name);
      const some = Math.ceil(refreshes / ways.length);
      const { tally, sums, told } = await refreshing(evidence, trial, way, some);
      tallies.push(tally);
      others.push(sums);
      details.push(`${way.name}: ${told}`);
    }
    const sum = (of: keyof Tally) => tallies.reduce((sofar, tally) => sofar + tally[of], 0);
    const shifts = others.reduce((sum, { shifts: more }) => sum + more, 0);
    const walks = others.reduce((sum, { walks: more }) => sum + more, 0);
    evidence.expect(shifts > walks, () => `only ${shifts} page shifts in ${walks} walks`);
    return {
      figure: `${sum("refreshes")} refreshes of ${sizeFor(trial.face)}, ${sum("falselyGone")} false, ${sum("foundAtOnce")} of ${sum("deleted")} deleted found at once, ${sum("refused")} refused, ${(shifts / Math.max(1, walks)).toFixed(1)} shifts a walk`,
      failures: evidence.failures,
      details,
    };
  },
};

/** So many refreshes of one way's list, others writing, and one when it is quiet. */
function refreshing(evidence: Evidence, { face, chance }: Trial, way: Way, count: number) {
  return onScene(face, {}, async ({ world, open }) => {
    const site = await open();
    if (way.ties) world.emulator.setClock({ rate: 0 });
    world.emulator.createObjects("server", strangers(400));
    site.declare(serversOf(sizeFor(face)));
    ended(evidence, "before", await up(site));
    world.emulator.createObjects("server", strangers(400));
    // What is young is waited for in any case.
    world.emulator.advance("1h");
    world.emulator.setFaults([...SPREAD, ...way.faults]);
    const people = crowd(world, chance, new Set(Object.values(await site.ids())));
    const tally = { ...NONE };
    for (let index = 0; index < count; index += 1) {
      const held = Object.values(await site.ids());
      const strikes = index === 0 || chance.below(4) === 0;
      const victim = strikes ? held[chance.below(held.length)] : undefined;
      const where = `${way.name}, ${index}`;
      await refreshed(evidence, { world, site, people, held, victim, tally, where });
    }
    people.stop();
    const { refused, deleted, foundAtOnce } = tally;
    if (way.ordered) {
      evidence.expect(refused === 0, () => `${way.name}: ${refused} refused`);
    }
    if (way.ordered && !way.lags) {
      evidence.expect(
        foundAtOnce === deleted,
        () => `${way.name}: ${foundAtOnce} of ${deleted} deleted were found at once`,
      );
    }
    await allFound(evidence, world, site, way.name);
    const told = `${people.told()}; ${refused} of ${count} refused; ${deleted} deleted, ${foundAtOnce} found at once, all when quiet`;
    return { tally, sums: people.sums, told };
  });
}

const sizeFor = ({ pace }: Face): number => (pace === "quick" ? 500 : 30);

const strangers = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `other-${index}`, status: "running" }));

interface Turn {
  readonly world: World;
  readonly site: Site;
  readonly people: Crowd;
  readonly held: readonly string[];
  /** One of ours that is deleted just before. */
  readonly victim: string | undefined;
  readonly tally: Tally;
  readonly where: string;
}

async function refreshed(
  evidence: Evidence,
  { world, site, people, held, victim, tally, where }: Turn,
): Promise<void> {
  if (victim !== undefined) {
    world.emulator.removeObject("server", victim);
    tally.deleted += 1;
  }
  people.start();
  const { code } = await site.refresh();
  people.pause();
  tally.refreshes += 1;
  if (code !== 0) tally.refused += 1;
  const now = new Set(Object.values(await site.ids()));
  const living = new Set(world.emulator.objects("server").map(({ id }) => String(id)));
  const gone = held.filter((id) => !now.has(id) && living.has(id));
  tally.falselyGone += gone.length;
  if (victim !== undefined && !now.has(victim)) tally.foundAtOnce += 1;
  evidence.expect(gone.length === 0, () => `${where}: ${gone.join(" ")} lives`);
}

/** When it is quiet again, the state is what the service has. */
async function allFound(evidence: Evidence, world: World, site: Site, where: string) {
  world.emulator.setFaults([]);
  world.emulator.setClock({ rate: 1 });
  await sleep(250); // Lists lag no more.
  ended(evidence, `${where}, the quiet refresh`, await site.refresh());
  const living = new Set(world.emulator.objects("server").map(({ id }) => String(id)));
  const dead = Object.values(await site.ids()).filter((id) => !living.has(id));
  evidence.expect(dead.length === 0, () => `${where}: deleted and not found: ${dead.join(" ")}`);
}

const BEHIND_MS = 5_000;

const lagging: Claim = {
  name: "a refresh right after an up",
  group: "writes",
  says: "Lists are five seconds behind: a refresh at once and the next up give up nothing and make nothing twice.",
  run: async ({ face, size }) => {
    const evidence = new Evidence();
    const behind = await onScene(face, {}, async ({ world, open }) => {
      const site = await open();
      site.declare(serversOf(size));
      world.emulator.setFaults([onLists({ type: "list-lag", ms: BEHIND_MS })]);
      ended(evidence, "the up", await up(site));
      const before = await site.ids();
      const listed = await shown(world);
      evidence.expect(listed === 0, () => `the lists show ${listed} already`);
      ended(evidence, "the refresh", await site.refresh());
      const kept = JSON.stringify(await site.ids()) === JSON.stringify(before);
      evidence.expect(kept, () => "the refresh has changed the state");
      ended(evidence, "the up that follows", await up(site));
      world.emulator.setFaults([]);
      await settled(evidence, world, [site], { where: "after all", count: size });
      return size - listed;
    });
    return {
      figure: `${behind} of ${size} not in lists yet when the refresh began`,
      failures: evidence.failures,
    };
  },
};

/** How many servers a list shows now. */
async function shown({ env }: World): Promise<number> {
  const answer = await fetch(`${env["ERPHOST_BASE_URL"] ?? ""}/servers`, {
    headers: { Authorization: `Bearer ${env["ERPHOST_API_KEY"] ?? ""}` },
    signal: AbortSignal.timeout(30_000),
  });
  return pageSchema.parse(await answer.json()).data.length;
}

const pageSchema = z.object({ data: z.array(z.unknown()) });

const naive: Claim = {
  name: "the same with the naive order fails",
  group: "writes",
  says: "The trial can fail: an engine that reads lists newest first, and believes one walk, gives living ones up.",
  skip: (face) => (face.name === "engine" ? undefined : "it is about the trial, not about a face"),
  run: async (trial) => {
    const evidence = new Evidence();
    const [way] = ways;
    const count = Math.min(5, trial.trials(5, 5));
    // What speaks against that engine speaks for the trial.
    const { tally, told } = await refreshing(
      new Evidence(),
      { ...trial, face: naiveEngine },
      way,
      count,
    );
    const { falselyGone } = tally;
    evidence.expect(falselyGone > 0, () => `none of ${count} refreshes lost one: ${told}`);
    return {
      figure: `${falselyGone} living ones given up in ${count} refreshes`,
      failures: evidence.failures,
      details: [told],
    };
  },
};

export const writeClaims: readonly Claim[] = [reader, lagging, naive];
