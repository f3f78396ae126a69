/** Machines that are lost at any step of an apply, what may come before the next one, and two at the same time. */
import { expect } from "@jest/globals";
import { up, type Declared, type Site } from "../../faces/face";
import { sceneOptions } from "../../kill";
import * as moments from "../../moments";
import type { Moment, Phase } from "../../moments";
import { expectRefusal, expectSuccess, servers } from "../../support/expectations";
import type { Scene } from "../../support/scene";
import { unwrapped } from "../../../e2e/support/output";
import type { Claim, Trial } from "../../trial";
import { alive, expectContinued, expectNamed, expectQuestion, figureOf, lose } from "./lost";
import { lossesAt, openMachine, type Loss } from "./lost";

type Then = (scene: Scene, site: Site, loss: Loss) => Promise<void>;

/** Loses machines at these moments, each in a scene of its own. */
async function loseAt(trial: Trial, some: readonly Moment[], then: Then): Promise<string> {
  const { size } = trial;
  const play = async (scene: Scene, loss: Loss): Promise<void> => {
    const site = await openMachine(scene, servers(size));
    await lose(scene, site, loss, { size });
    await then(scene, site, loss);
  };
  const losses = lossesAt(trial, some);
  return figureOf(await trial.inScenes(losses, play, ({ moment }) => sceneOptions(moment)));
}

/** Another machine ends what the lost one began. */
const continued =
  ({ size }: Trial, replays?: number): Then =>
  (scene, site, { next }) => {
    const expected = { count: size, ...(replays !== undefined && { replays }) };
    return expectContinued(scene, site, { step: "another machine", next, ...expected });
  };

export const lostAtEachStep: Claim = {
  name: "a machine lost at each step of an apply leaves nothing doubled: another one asks, and resumes with the same ids",
  group: "machines",
  run: (trial) => loseAt(trial, moments.stepsOfCreate, continued(trial, trial.size)),
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
    return loseAt(trial, some, continued(trial, trial.size));
  },
};

/** Requests of a run up to its last create: past that it may be over before it can be killed. */
const requestsOfUp = (trial: Trial): Promise<number> =>
  trial.scene({}, async (scene) => {
    await up(await openMachine(scene, servers(trial.size)));
    return scene.emulator.journal().findLastIndex(({ method }) => method === "POST") + 1;
  });

/** Answers that no disk has any more. */
const LEAVING_OBJECTS: readonly Moment[] = [
  ...[moments.doneAfterwards, moments.answerUnderway, moments.answerLost, moments.halfDone],
];

const edited = (size: number): readonly Declared[] =>
  servers(size, { properties: { tier: "gold" } }).map(({ args, ...rest }) => ({
    ...rest,
    args: { ...args, name: `${rest.name}-new` },
  }));

export const editedMeanwhile: Claim = {
  name: "an edit after a machine was lost changes what it created and creates nothing twice",
  group: "machines",
  run: (trial) =>
    loseAt(trial, LEAVING_OBJECTS, (scene, site, loss) => {
      site.declare(edited(trial.size));
      return continued(trial)(scene, site, loss);
    }),
};

export const otherKeyMeanwhile: Claim = {
  name: "after a machine and its API key were lost, another key finds what they created and creates nothing twice",
  group: "machines",
  run: (trial) =>
    loseAt(trial, LEAVING_OBJECTS, (scene, site, loss) => {
      const { emulator } = scene;
      for (const id of scene.ids("api_key")) emulator.removeObject("api_key", id);
      site.configure({ ERPHOST_API_KEY: emulator.createKey({ permissions: ["admin"] }).value });
      return continued(trial)(scene, site, loss);
    }),
};

/** Which settings stop a run that finds old objects of the same names. */
const STOPS = [{ ERPHOST_RESUME: "true" }, { ERPHOST_SAME_NAME: "error" }];
const IN_USE = /already exists .* import/i;

export const foundNextDay: Claim = {
  name: "25 hours after a machine was lost, what it created is named by a run and stops one with resume or sameName",
  group: "machines",
  run: (trial) =>
    loseAt(trial, [moments.answerLost, moments.halfDone], async (scene, site) => {
      scene.emulator.advance("25h");
      const held = Object.values(await site.ids());
      const left = scene.ids().filter((id) => !held.includes(id));
      const chosen = { ERPHOST_RESUME: "false", ERPHOST_SAME_NAME: "warn" };
      for (const env of STOPS) {
        site.configure({ ...chosen, ...env });
        const output = expectRefusal("the next day", await up(site), IN_USE);
        expectNamed("the next day", left, { scene, output });
        // Names without an object are made meanwhile.
        expect(scene.ids().length).toBeLessThanOrEqual(trial.size);
      }
      site.configure(chosen);
      const last = await up(site);
      expectSuccess("the next day", last);
      expect(left.filter((id) => !unwrapped(last.output).includes(id))).toEqual([]);
    }),
};

/** How long the service needs for each create: the longer, the more of them meet. */
const PACES = [1, 300].map((ms) => ({ ms, name: `${ms} ms for each create` }));

export const twoMachinesAtOnce: Claim = {
  name: "of two machines at once one creates and the other is given its ids, and the last state resumes",
  group: "machines",
  run: async (trial) => {
    const rounds = Array.from({ length: trial.count(2) }, () => PACES).flat();
    const tried = await trial.inScenes(rounds, (scene, { ms }) => meet(scene, trial, ms));
    return `${tried} meetings`;
  },
};

async function meet(scene: Scene, trial: Trial, ms: number): Promise<void> {
  const one = await openMachine(scene, servers(trial.size));
  const two = await openMachine(scene, servers(trial.size));
  scene.fault({ method: "POST", path: "/servers" }, moments.delayed(ms));
  const sites = [one, two];
  const runs = await Promise.all(sites.map(async (site) => ({ site, asked: await up(site) })));
  await scene.calm();
  const held = (await Promise.all(sites.map((site) => site.ids()))).flatMap(Object.values<string>);
  expect(new Set(held).size).toBe(held.length);
  expect(alive(scene)).toHaveLength(trial.size);
  for (const { site, asked } of runs) {
    await expectQuestion("one of two", { scene, site, asked, replaced: [] });
  }
  await one.moveOn();
  const next = "resumed at once";
  await expectContinued(scene, one, { step: "the last one", next, count: trial.size });
}
