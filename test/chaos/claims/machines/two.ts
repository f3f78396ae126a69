/** Two machines that apply one program at the same time, without a lock. */
import { expect } from "@jest/globals";
import { up } from "../../faces/face";
import { delayed } from "../../moments";
import { servers } from "../../support/expectations";
import type { Scene } from "../../support/scene";
import type { Claim } from "../../trial";
import { alive, expectContinued, expectQuestion, expectUnique, openMachine } from "./lost";

const POST = { method: "POST", path: "/servers" } as const;

/** How long the service needs for each create: the longer, the more of them meet. */
const PACES = [1, 300].map((ms) => ({ ms, name: `${ms} ms for each create` }));

export const twoMachinesAtOnce: Claim = {
  name: "of two machines at once one creates and the other is given its ids, and the last state resumes",
  group: "machines",
  run: async (trial) => {
    const rounds = Array.from({ length: trial.count(5, 1) }, () => PACES).flat();
    const tried = await trial.each(rounds, ({ ms }) =>
      trial.scene({}, (scene) => play(scene, trial.size, ms)),
    );
    return `${tried} meetings`;
  },
};

async function play(scene: Scene, size: number, ms: number): Promise<void> {
  const one = await openMachine(scene, servers(size));
  const two = await openMachine(scene, servers(size));
  scene.fault(POST, delayed(ms));
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
