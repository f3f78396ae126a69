/** Replacing, destroying, rolling back: never the wrong object. */
import { expect } from "@jest/globals";
import { up } from "../faces/face";
import { crash } from "../kill";
import {
  answerDelayed,
  answerLost,
  delayed,
  firstAnswer,
  onceCreated,
  onTheWire,
  requestLost,
  type Moment,
} from "../moments";
import { expectSettled, expectSuccess, expectUp, servers, upBefore } from "../support/expectations";
import type { Claim } from "../trial";

const DELETE = { method: "DELETE", path: "/servers/*" } as const;

export const deleteArrived: Moment = {
  name: "delete of the old one arrived",
  prepare: (scene) => scene.fault(DELETE, delayed()),
  reached: (scene) => scene.calls("DELETE").length > 0,
};
export const deleteAnswerLost: Moment = {
  name: "delete of the old one done, answer lost",
  brief: true,
  prepare: (scene) => scene.fault(DELETE, "reset-after"),
  reached: (scene) => scene.calls("DELETE").some(({ ended_at }) => ended_at !== null),
};

/** Steps of replacing one object. The journal is empty when the run starts. */
const stepsOfReplacement: readonly Moment[] = [
  onTheWire,
  requestLost,
  onceCreated("new one created, answer underway", answerDelayed()),
  onceCreated("new one created, answer lost", "reset-after", { brief: true }),
  firstAnswer,
  deleteArrived,
  deleteAnswerLost,
];

export const killOfReplacement: Claim = {
  name: "a replacement killed at each step leaves the new object and deletes the old",
  group: "kills",
  run: async (trial) => {
    const { size } = trial;
    const steps = trial.brief(stepsOfReplacement);
    await trial.each(steps, (moment) =>
      trial.scene({}, async (scene) => {
        const site = await upBefore(scene, servers(size));
        const { "server-0": old } = await site.ids();
        scene.emulator.clearJournal();
        const mode = { replace: ["server-0"] };
        await crash(scene, site, { moment, mode, size });
        const step = "after the kill";
        expectSuccess(step, await up(site, mode));
        await expectSettled(scene, [site], { step, count: size });
        expect((await site.ids())["server-0"]).not.toBe(old);
      }),
    );
    return `${steps.length} steps hit`;
  },
};

/** The service still remembers the idempotency keys of before. */
export const createAfterKilledDestroy: Claim = {
  name: "a killed destroy is finished by the next, and what is created after it is new",
  group: "kills",
  run: async (trial) => {
    const { size } = trial;
    const steps = [deleteArrived, deleteAnswerLost];
    await trial.each(steps, (moment) =>
      trial.scene({}, async (scene) => {
        const site = await upBefore(scene, servers(size));
        const old = new Set(Object.values(await site.ids()));
        site.declare([]);
        await crash(scene, site, { moment });
        await expectUp(scene, [site], { step: "destroyed", count: 0 });
        site.declare(servers(size));
        await expectUp(scene, [site], { step: "created again", count: size });
        expect(Object.values(await site.ids()).filter((id) => old.has(id))).toEqual([]);
      }),
    );
    return `${steps.length} steps of a destroy`;
  },
};

export const declaredAgainAfterKill: Claim = {
  name: "what a killed run created is adopted by no other declaration, only by its own",
  group: "kills",
  run: (trial) =>
    trial.scene({}, async (scene) => {
      const { size } = trial;
      const site = await scene.open(servers(1));
      await crash(scene, site, { moment: answerLost, size: 1 });
      const [orphan = ""] = scene.ids();
      // Other logical names, the same names and bodies.
      const others = servers(size).map((one) => ({ ...one, name: `other-${one.name}` }));
      site.declare(others);
      const unmanaged = [orphan];
      await expectUp(scene, [site], { step: "others", count: size, unmanaged });
      site.declare([...others, ...servers(1)]);
      await expectUp(scene, [site], { step: "declared again", count: size + 1 });
      expect((await site.ids())["server-0"]).toBe(orphan);
      return "one orphan adopted";
    }),
};

/** Recovered from its intent, or named so that a person can import it. */
export const rolledBackState: Claim = {
  name: "an object missing from a rolled-back state is adopted or named, and never deleted",
  group: "kills",
  run: (trial) =>
    trial.scene({}, async (scene) => {
      const { size } = trial;
      const site = await upBefore(scene, servers(size));
      const saved = await site.saveState();
      site.declare(servers(size + 1));
      expectSuccess("one more", await up(site));
      const forgotten = (await site.ids())[`server-${size}`] ?? "";
      await site.restoreState(saved);
      const again = await up(site);
      expectSuccess("rolled back", again);
      const isAdopted = Object.values(await site.ids()).includes(forgotten);
      await expectSettled(scene, [site], {
        step: "rolled back",
        count: size + 1,
        unmanaged: isAdopted ? [] : [forgotten],
      });
      if (!isAdopted) expect(again.output).toContain(forgotten);
      return isAdopted ? "adopted" : "named with its id";
    }),
};
