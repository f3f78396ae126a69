/**
 * What hosts with plans can do beside applying all: saved plans, targets, plans without a refresh,
 * replacements, twins by number. Interrupted or killed, nothing is lost and nothing doubled.
 */
import { up, type Ability, type Declared, type Manner } from "../faces/face";
import { onScene, type Scene } from "../support/scene";
import { ended, serversOf, settled } from "../support/settled";
import { callsOf } from "../support/world";
import { Evidence, tail, type Claim } from "./claim";
import { killedAt, struck, type Blow, type Killed } from "./killed";
import { onceMade, type Moment } from "./moments";

interface Asked {
  readonly name: string;
  readonly manner: Manner;
  /** What is there before: nothing, the first object, or all. */
  readonly before: "none" | "one" | "all";
}

const asked: readonly Asked[] = [
  { name: "a plain apply", manner: {}, before: "none" },
  { name: "a saved plan", manner: { saved: true }, before: "none" },
  { name: "-target", manner: { target: ["instance", "server-0"] }, before: "none" },
  { name: "-refresh=false", manner: { refresh: false }, before: "one" },
  { name: "-replace", manner: { replace: ["server-1"] }, before: "all" },
];

/** Some servers and, on the second of them, an instance: it is begun once that server is there. */
const declared = (size: number): readonly Declared[] => [
  ...serversOf(size),
  { kind: "instance", name: "instance", args: { name: "i", server_id: { $ref: "server-1" } } },
];

const KINDS = ["server", "instance"] as const;
const POST = { method: "POST", path: "/servers" } as const;

/** Moments with creates in hand. */
const underWay = onceMade("answers under way", { type: "delay", ms: 600, when: "after" });
const lost = onceMade("done, answer lost", "reset-after");
const waiting: Moment = {
  name: "made and not ready yet",
  prepare: ({ emulator }) =>
    void emulator.setFaults([
      { match: POST, effect: { type: "provision", outcome: "ready", ms: 3_600_000 } },
    ]),
  reached: (world) => callsOf(world, "POST").some(({ status }) => status === 201),
};
const gated: Moment = {
  name: "at the rate gate",
  prepare: ({ emulator }) =>
    void emulator.setFaults([
      { match: POST, effect: { type: "status", status: 429, retry_after: 60 } },
    ]),
  reached: (world) => callsOf(world, "POST").some(({ status }) => status === 429),
};

/** An interrupted run ends within this time, whatever it was waiting for. */
const END_MAX_MS = 15_000;

/** What the service has, and the states of some sites do not hold, and the other way round. */
function apart({ world }: Scene, ids: readonly string[]): readonly string[] {
  const there = KINDS.flatMap((kind) => world.emulator.objects(kind)).map(({ id }) => String(id));
  return [...there.filter((id) => !ids.includes(id)), ...ids.filter((id) => !there.includes(id))];
}

function interrupted(evidence: Evidence, where: string, { outcome, tookMs }: Killed): void {
  const seconds = Math.round(tookMs / 1000);
  evidence.expect(tookMs < END_MAX_MS, () => `${where}: it went on for ${seconds} s`);
  evidence.expect(
    !/crash|panic|plugin did not respond|terminated/i.test(outcome.output),
    () => `${where}: no orderly end\n      ${tail(outcome.output)}`,
  );
}

/** One run in one manner, struck at a moment, and what the next ones make of it. */
async function trial(
  evidence: Evidence,
  scene: Scene,
  { name, manner, before }: Asked,
  moment: Moment,
  { blow, size }: { readonly blow: Blow; readonly size: number },
): Promise<boolean> {
  const { world } = scene;
  const where = `${name}, ${blow} at: ${moment.name}`;
  const site = await scene.open();
  const all = declared(size);
  if (before !== "none") {
    site.declare(before === "all" ? all : all.slice(0, 1));
    ended(evidence, `${where}, before`, await up(site));
  }
  const instances = () => callsOf(world, "POST", "/instances").length;
  site.declare(all);
  world.emulator.clearJournal();
  const killed = await killedAt(world, site, moment, { victim: blow, manner });
  const hit = struck(evidence, where, killed);
  evidence.expect(instances() === 0, () => `${where}: the run was not in its middle any more`);
  if (blow === "Ctrl-C") {
    interrupted(evidence, where, killed);
    const differing = apart(scene, Object.values(await site.ids()));
    evidence.expect(
      differing.length === 0,
      () => `${where}: state and service differ: ${differing.join(" ")}`,
    );
  }
  await world.calm();
  world.emulator.advance("2h");
  if (blow !== "provider") await site.unlock();
  // A saved plan is stale by now; what was asked for otherwise is asked for again.
  if (!manner.saved) ended(evidence, `${where}, again`, await up(site, manner));
  ended(evidence, `${where}, all`, await up(site));
  await settled(evidence, world, [site], { where, count: size + 1, kinds: KINDS });
  return hit;
}

function mannersClaim(
  name: string,
  says: string,
  needs: readonly Ability[],
  { blows, moments }: { readonly blows: readonly Blow[]; readonly moments: readonly Moment[] },
): Claim {
  return {
    name,
    says,
    group: "manners",
    needs: ["manners", "replace", ...needs],
    run: async ({ face, size, say, chance, trials }) => {
      const evidence = new Evidence();
      const some = asked.flatMap((one) =>
        blows.flatMap((blow) => moments.map((moment) => ({ one, blow, moment }))),
      );
      const wanted = trials(some.length, some.length);
      while (some.length > wanted) some.splice(chance.below(some.length), 1);
      let hits = 0;
      for (const { one, blow, moment } of some) {
        say(`${one.name}, ${blow} at: ${moment.name}`);
        const play = (scene: Scene) => trial(evidence, scene, one, moment, { blow, size });
        if (await onScene(face, {}, play)) hits += 1;
      }
      const figure = `${hits} of ${some.length} runs struck`;
      return { figure, failures: evidence.failures };
    },
  };
}

const interruptClaim = mannersClaim(
  "Ctrl-C in every manner of a run",
  "Interrupted in the middle, a run ends by itself, whether it waits for answers, for readiness or at the rate gate; its state holds exactly what was made, and the next run ends right.",
  ["interrupt"],
  { blows: ["Ctrl-C"], moments: [underWay, lost, waiting, gated] },
);

const killClaim = mannersClaim(
  "kill in every manner of a run",
  "SIGKILL of the provider or of the host in a plain apply, a saved plan, with -target, -refresh=false or -replace: the next run leaves one object each, and an empty plan.",
  ["kill-provider", "kill-host"],
  { blows: ["provider", "host"], moments: [underWay, lost] },
);

const BLOWS: readonly Blow[] = ["host", "Ctrl-C", "provider"];

const twinsClaim: Claim = {
  name: "twins by number, struck",
  group: "manners",
  says: "Objects declared with a count are as many as declared after an interruption or a kill; one more or fewer changes no other.",
  needs: ["count", "interrupt", "kill-provider", "kill-host"],
  run: async ({ face, size, say, trials }) => {
    const evidence = new Evidence();
    const blows = BLOWS.slice(0, trials(BLOWS.length, BLOWS.length));
    const twins = (count: number): readonly Declared[] => [
      { kind: "server", name: "twin", args: { name: "twin" }, count },
    ];
    for (const blow of blows) {
      say(blow);
      await onScene(face, {}, async ({ world, open }) => {
        const where = `twins, ${blow}`;
        const site = await open();
        site.declare(twins(size));
        struck(evidence, where, await killedAt(world, site, underWay, { victim: blow }));
        await world.calm();
        if (blow !== "provider") await site.unlock();
        ended(evidence, where, await up(site));
        await settled(evidence, world, [site], { where, count: size });
        for (const count of [size + 1, size - 1]) {
          const before = await site.ids();
          site.declare(twins(count));
          ended(evidence, `${where}, then ${count}`, await up(site));
          await settled(evidence, world, [site], { where: `${where}, then ${count}`, count });
          const changed = Object.entries(await site.ids()).filter(
            ([name, id]) => (before[name] ?? id) !== id,
          );
          evidence.expect(changed.length === 0, () => `${where}: others: ${changed.join(" ")}`);
        }
      });
    }
    return { figure: `${blows.length} blows`, failures: evidence.failures };
  },
};

const stacksClaim: Claim = {
  name: "two stacks with the same tokens, one struck or ended",
  group: "manners",
  says: "What was made for one workspace is never taken for the other, whether its run is struck or ends in order, though both declare the same names and tokens.",
  needs: ["two-stacks", "count", "interrupt", "kill-provider", "kill-host"],
  run: async ({ face, size, say, trials }) => {
    const evidence = new Evidence();
    const ends = ["in order", ...BLOWS] as const;
    const some = ends.slice(0, trials(ends.length, ends.length));
    for (const end of some) {
      say(end);
      await onScene(face, {}, async ({ world, open }) => {
        const where = `two stacks, ${end}`;
        const one = await open({ stack: "one", tokens: "same" });
        const two = await open({ stack: "two", beside: one, tokens: "same" });
        for (const site of [one, two]) site.declare(serversOf(size));
        if (end === "in order") {
          ended(evidence, `${where}, the first`, await up(one));
        } else {
          struck(evidence, where, await killedAt(world, one, lost, { victim: end }));
          await world.calm();
          if (end !== "provider") await one.unlock();
        }
        const first = world.emulator.objects("server").map(({ id }) => String(id));
        ended(evidence, `${where}, the other`, await up(two));
        const taken = Object.values(await two.ids()).filter((id) => first.includes(id));
        evidence.expect(taken.length === 0, () => `${where}: the other took ${taken.join(" ")}`);
        ended(evidence, where, await up(one));
        await settled(evidence, world, [one, two], { where, count: 2 * size });
      });
    }
    return { figure: `${some.length} ends`, failures: evidence.failures };
  },
};

export const mannerClaims: readonly Claim[] = [interruptClaim, killClaim, twinsClaim, stacksClaim];
