/** Machines that are lost at any step of an apply. */
import { up } from "../../faces/face";
import { sceneOptions } from "../../kill";
import * as moments from "../../moments";
import type { Moment, Phase } from "../../moments";
import { servers } from "../../support/expectations";
import type { Claim, Trial } from "../../trial";
import { expectContinued, figureOf, lose, lossesAt, openMachine } from "./lost";

/** Loses machines at these moments, each in a scene of its own. */
async function loseAt(trial: Trial, some: readonly Moment[]): Promise<string> {
  const { size } = trial;
  const tried = await trial.each(lossesAt(trial, some), (loss) =>
    trial.scene(sceneOptions(loss.moment), async (scene) => {
      const site = await openMachine(scene, servers(size));
      await lose(scene, site, loss, { size });
      const { next } = loss;
      const step = "another machine";
      await expectContinued(scene, site, { step, next, count: size, replays: size });
    }),
  );
  return figureOf(tried);
}

export const lostAtEachStep: Claim = {
  name: "a machine lost at each step of an apply leaves nothing doubled: another one asks, and resumes with the same ids",
  group: "machines",
  run: (trial) => loseAt(trial, moments.stepsOfCreate),
};

export const lostAtRandom: Claim = {
  name: "a machine lost at a random request leaves nothing doubled, and another one resumes with the same ids",
  group: "machines",
  run: async (trial) => {
    const { chance } = trial;
    const requests = await requestsOfUp(trial);
    const some = Array.from({ length: trial.count(12) }, (): Moment => {
      const phase: Phase = chance.pick(["arrives", "is done", "is answered"]);
      return moments.atRequest(1 + chance.below(requests), phase);
    });
    return loseAt(trial, some);
  },
};

/** Requests of a run up to its last create: past that it may be over before it can be killed. */
const requestsOfUp = (trial: Trial): Promise<number> =>
  trial.scene({}, async (scene) => {
    const site = await openMachine(scene, servers(trial.size));
    await up(site);
    return scene.emulator.journal().findLastIndex(({ method }) => method === "POST") + 1;
  });
