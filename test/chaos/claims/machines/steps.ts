/** Machines that are lost at any step of an apply, and two that apply at the same time, without a lock. */
import { expect } from "@jest/globals";
import { up } from "../../faces/face";
import * as moments from "../../moments";
import type { Moment, Phase } from "../../moments";
import { servers } from "../../support/expectations";
import type { Scene } from "../../support/scene";
import type { Claim, Trial } from "../../trial";
import {
  alive,
  atLosses,
  expectContinued,
  expectQuestion,
  expectUnique,
  figureOf,
  lose,
  lossesAt,
  openMachine,
  type Loss,
} from "./lost";

const play = async (scene: Scene, loss: Loss, { size }: Trial): Promise<void> => {
  const site = await openMachine(scene, servers(size));
  await lose(scene, site, loss, { size });
  const { next } = loss;
  await expectContinued(scene, site, {
    step: "another machine",
    next,
    count: size,
    replays: size,
  });
};

export const lostAtEachStep: Claim = {
  name: "a machine lost at each step of an apply leaves nothing doubled: another one asks, and resumes with the same ids",
  group: "machines",
  run: atLosses(moments.stepsOfCreate, play),
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
    const tried = await trial.each(lossesAt(trial, some), (loss) =>
      trial.scene({}, (scene) => play(scene, loss, trial)),
    );
    return figureOf(tried);
  },
};

/** Requests of a run up to its last create: past that it may be over before it can be killed. */
const requestsOfUp = (trial: Trial): Promise<number> =>
  trial.scene({}, async (scene) => {
    const site = await openMachine(scene, servers(trial.size));
    await up(site);
    return scene.emulator.journal().findLastIndex(({ method }) => method === "POST") + 1;
  });

/** The next machine is answered slowly. */
const resuming: Moment = {
  name: "resuming",
  prepare: (scene) => scene.fault({}, moments.answerDelayed(300)),
  reached: (scene) => scene.calls("POST").length > 0,
};

export const lostTwice: Claim = {
  name: "a machine lost while it resumes leaves nothing doubled, and a third one ends what the first began",
  group: "machines",
  run: atLosses(
    [moments.answerUnderway, moments.answerLost, moments.halfDone],
    async (scene, loss, { size }) => {
      const site = await openMachine(scene, servers(size));
      await lose(scene, site, loss, { size });
      scene.emulator.clearJournal();
      site.configure({ ERPHOST_RESUME: "true" });
      await lose(scene, site, { ...loss, moment: resuming }, { size });
      site.configure({ ERPHOST_RESUME: "false" });
      const { next } = loss;
      await expectContinued(scene, site, { step: "a third machine", next, count: size });
    },
  ),
};

const POST = { method: "POST", path: "/servers" } as const;

/** How long the service needs for each create: the longer, the more of them meet. */
const PACES = [1, 300].map((ms) => ({ ms, name: `${ms} ms for each create` }));

export const twoMachinesAtOnce: Claim = {
  name: "of two machines at once one creates and the other is given its ids, and the last state resumes",
  group: "machines",
  run: async (trial) => {
    const rounds = Array.from({ length: trial.count(2) }, () => PACES).flat();
    const tried = await trial.each(rounds, ({ ms }) =>
      trial.scene({}, (scene) => meet(scene, trial.size, ms)),
    );
    return `${tried} meetings`;
  },
};

async function meet(scene: Scene, size: number, ms: number): Promise<void> {
  const one = await openMachine(scene, servers(size));
  const two = await openMachine(scene, servers(size));
  scene.fault(POST, moments.delayed(ms));
  const sites = [one, two];
  const runs = await Promise.all(sites.map(async (site) => ({ site, asked: await up(site) })));
  await scene.calm();
  expectUnique("both", alive(scene));
  const held = (await Promise.all(sites.map((site) => site.ids()))).flatMap(Object.values<string>);
  expect(held.filter((id, index) => held.indexOf(id) !== index)).toEqual([]);
  for (const { site, asked } of runs) {
    await expectQuestion("one of two", { scene, site, asked });
  }
  await one.moveOn();
  const next = "resumed at once";
  await expectContinued(scene, one, { step: "the last one", next, count: size });
}
