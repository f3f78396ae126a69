import { expect } from "@jest/globals";
import { up, type ApplyMode, type Declared, type Site } from "../../faces/face";
import * as moments from "../../moments";
import { expectRefusal, expectSuccess, servers } from "../../support/expectations";
import { unwrapped } from "../../../e2e/support/output";
import type { Scene } from "../../support/scene";
import type { Claim, Trial } from "../../trial";
import { expectContinued, figureOf, lose, lossesAt, machineBefore, QUESTION } from "./lost";
import type { Loss } from "./lost";

const TARGET = "server-0";
const FORCED: ApplyMode = { replace: [TARGET] };
type Order = NonNullable<Declared["order"]>;
const ORDERS: readonly Order[] = ["create first", "delete first"];

const inOrder = (size: number, order: Order): readonly Declared[] =>
  servers(size).map((one) => ({ ...one, order }));

/**
 * Where nothing shows that the object, which the key leads to, is the replaced one, a host that
 * creates first gets no further than a question within the day.
 */
const isForgotten = ({ face }: Trial, order: Order): boolean =>
  order === "create first" && face.cannot["unseen-replace"] === undefined;

/** The key of what was replaced or destroyed is asked for first: the answer to that is a replay. */
const creating = (replays: number): readonly moments.Moment[] => [
  moments.onTheWire,
  moments.onceCreated("new one created, answer underway", moments.answerDelayed(), { replays }),
  moments.onceCreated("new one created, answer lost", "reset-after", { replays }),
  moments.answeredAfter(replays),
];

const replacing = (replays: number): readonly moments.Moment[] => [
  ...[moments.requestLost, ...creating(replays)],
  ...moments.stepsOfDelete,
];

type Case = Loss & { readonly order: Order };

export const lostInReplacement: Claim = {
  name: "a machine lost at each step of a forced replacement, in either order, leaves one object in the place of the old one",
  group: "machines",
  run: async (trial) => {
    const all = ORDERS.flatMap((order) =>
      lossesAt(trial, replacing(isForgotten(trial, order) ? 0 : 1)).map((loss): Case => {
        return { ...loss, order, name: `${order}; ${loss.name}` };
      }),
    );
    const cases = trial.chance.sample(all, trial.count(all.length));
    return figureOf(await trial.inScenes(cases, (scene, one) => play(scene, trial, one)));
  },
};

async function play(scene: Scene, trial: Trial, { order, ...loss }: Case): Promise<void> {
  const { size } = trial;
  const site = await machineBefore(scene, inOrder(size, order));
  const { [TARGET]: old = "" } = await site.ids();
  if (isForgotten(trial, order)) scene.emulator.advance("25h");
  await lose(scene, site, loss, { mode: FORCED, size });
  let { next } = loss;
  if (next === "resumed at once" && isForgotten(trial, order) && scene.ids().length === size) {
    await expectNothingTaken(scene, site);
    next = "asked first";
  }
  // A person repeats what was cut off, unless the state shows that it was done.
  const mode = async (): Promise<ApplyMode> => ((await site.ids())[TARGET] === old ? FORCED : {});
  await expectContinued(scene, site, { step: "another machine", next, count: size, mode });
  expect(scene.ids()).not.toContain(old);
}

/** Only the replaced object has the name, and it is too old for an answer: `resume` takes nothing. */
async function expectNothingTaken(scene: Scene, site: Site): Promise<void> {
  const before = scene.ids();
  site.configure({ ERPHOST_RESUME: "true" });
  expectRefusal("resumed, nothing made", await up(site, FORCED), /being replaced, .* run without/);
  expect(scene.ids()).toEqual(before);
  site.configure({ ERPHOST_RESUME: "false" });
  await site.moveOn();
}

/** What such a host asks, and what `resume` leaves out. */
export const hiddenReplacement: Claim = {
  name: "a replacement of which a host shows nothing within the day stops, and with resume deletes nothing",
  group: "machines",
  needs: ["unseen-replace"],
  run: async (trial) => {
    const { size } = trial;
    await trial.inScenes([{ name: "within the day" }], async (scene) => {
      const site = await machineBefore(scene, inOrder(size, "create first"));
      const before = await site.ids();
      await site.moveOn();
      const asked = expectRefusal("without resume", await up(site, FORCED), QUESTION);
      expect(asked).toContain(before[TARGET]);
      await site.moveOn();
      site.configure({ ERPHOST_RESUME: "true" });
      const resumed = await up(site, FORCED);
      expectSuccess("with resume", resumed);
      expect(unwrapped(resumed.output)).toContain("was not replaced and not deleted");
      expect(await site.ids()).toEqual(before);
      expect(scene.ids()).toHaveLength(size);
    });
    return "asked and left out";
  },
};
