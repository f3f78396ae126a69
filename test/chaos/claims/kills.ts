/** A kill at any moment: after the next run nothing is doubled, nothing is lost. */
import { up, type Face } from "../faces/face";
import { onScene } from "../support/scene";
import { ended, leftIntents, settled } from "../support/settled";
import { Evidence, type Claim } from "./claim";
import { declareServers, killedAt, struck, type Killed, type Victim } from "./killed";
import { allTold, moments, randomMoment, type Moment } from "./moments";

/** Of random moments, those that come after a run's last request: few. */
const MISSED_MAX = 0.1;

/** Kills one run at a moment, and looks at what the next one makes of it. */
async function trial(
  evidence: Evidence,
  face: Face,
  moment: Moment,
  victim: Victim,
  size: number,
): Promise<Killed & { readonly intents: number }> {
  const { provisionMs } = moment;
  return onScene(face, { ...(provisionMs !== undefined && { provisionMs }) }, async (scene) => {
    const { world } = scene;
    const site = await scene.open();
    declareServers(site, size);
    const killed = await killedAt(world, site, moment, { victim });
    const intents = leftIntents(site);
    if (moment.hasty === true) world.release();
    else await world.calm();
    // What takes its time is ready at once in the next run.
    if (provisionMs !== undefined) world.emulator.setClock({ rate: 3_600 });
    if (victim !== "provider") await site.unlock();
    const where = `killed (${victim}) at: ${moment.name} (${killed.at})`;
    ended(evidence, where, await up(site));
    await world.calm();
    await settled(evidence, world, [site], { where, count: size, records: size });
    return { ...killed, intents };
  });
}

const VICTIMS = {
  all: "the host with its whole tree",
  provider: "the provider process",
  host: "the host alone, whose provider is left behind",
} as const satisfies Record<Victim, string>;

const needsOf = (victim: Victim): Pick<Claim, "needs"> =>
  victim === "all" ? {} : { needs: [`kill-${victim}`] };

function stepsClaim(victim: Victim): Claim {
  return {
    name: `kill of ${victim === "all" ? "all" : `the ${victim}`}, at each step`,
    group: "kills",
    says: `SIGKILL of ${VICTIMS[victim]} at each step of an intent's life: the next run leaves exactly one object each, and an empty plan.`,
    ...needsOf(victim),
    run: async ({ face, size, say }) => {
      const evidence = new Evidence();
      const details: string[] = [];
      let hits = 0;
      for (const moment of moments) {
        say(moment.name);
        const killed = await trial(evidence, face, moment, victim, size);
        if (struck(evidence, moment.name, killed)) hits += 1;
        const { hit, at, intents } = killed;
        details.push(`${hit ? "hit" : "run was over"}: ${moment.name} (${at}, ${intents} intents)`);
      }
      return {
        figure: `${hits} of ${moments.length} steps hit`,
        failures: evidence.failures,
        details,
      };
    },
  };
}

function randomClaim(victim: Victim): Claim {
  return {
    name: `kill of ${victim === "all" ? "all" : `the ${victim}`}, at random`,
    group: "kills",
    says: `The same of ${VICTIMS[victim]} at random requests of a run: as they arrive, as they are done, as they are answered.`,
    ...needsOf(victim),
    run: async (context) => {
      const { face, size, chance, say } = context;
      const evidence = new Evidence();
      const count = context.trials(100, 8);
      const points = new Map<string, number>();
      const requests = await requestsOfRun(face, size);
      let missed = 0;
      for (let index = 0; index < count; index += 1) {
        const phase = chance.pick(["arrives", "is done", "is answered"]);
        const moment = randomMoment(1 + chance.below(requests), phase);
        if (index % 10 === 0) say(`${index} of ${count}`);
        const { hit, at } = await trial(evidence, face, moment, victim, size);
        if (!hit) missed += 1;
        const point = hit ? `${moment.name}: ${at}` : "the run was over";
        points.set(point, (points.get(point) ?? 0) + 1);
      }
      evidence.expect(
        missed <= Math.ceil(MISSED_MAX * count),
        () => `${missed} of ${count} runs were over before the moment came`,
      );
      return {
        figure: `${count - missed} kills, ${points.size} distinct points, ${missed} missed`,
        failures: evidence.failures,
        details: [...points].map(([point, times]) => `${times} × ${point}`).sort(),
      };
    },
  };
}

const lastClaim: Claim = {
  name: "kill of the host, once its provider has ended",
  group: "kills",
  says: "Hosts end a provider before they write their last state: what they were told and have not written is found by the next run.",
  needs: ["manners", "kill-host"],
  run: async ({ face, size, trials }) => {
    const evidence = new Evidence();
    const count = trials(20, 8);
    let hits = 0;
    for (let index = 0; index < count; index += 1) {
      if ((await trial(evidence, face, allTold, "host", size)).hit) hits += 1;
    }
    evidence.expect(hits > count / 2, () => `only ${hits} of ${count} runs were not over yet`);
    return { figure: `${hits} of ${count} runs struck`, failures: evidence.failures };
  },
};

/** How many requests a run that nobody disturbs makes. */
async function requestsOfRun(face: Face, size: number): Promise<number> {
  return onScene(face, {}, async ({ world, open }) => {
    const site = await open();
    declareServers(site, size);
    await up(site);
    return world.emulator.journal().length;
  });
}

export const killClaims: readonly Claim[] = [
  stepsClaim("all"),
  stepsClaim("provider"),
  stepsClaim("host"),
  randomClaim("all"),
  randomClaim("provider"),
  randomClaim("host"),
  lastClaim,
];
