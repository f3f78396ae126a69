/** What may follow a kill, and must lead neither to a second object nor to the loss of one. */
import { expect } from "@jest/globals";
import type { Declared } from "../faces/face";
import { crash, sceneOptions } from "../kill";
import * as moments from "../moments";
import type { Moment } from "../moments";
import { edited, expectEdited, expectUp, servers, upBefore } from "../support/expectations";
import type { Scene } from "../support/scene";
import type { Claim, Trial } from "../trial";

/** Between them, these leave every state of an intent. */
const LEAVING_INTENTS: readonly Moment[] = [
  ...[moments.onTheWire, moments.requestLost, moments.answerUnderway],
  ...[moments.answerLost, moments.answerOnDisk, moments.halfDone],
];

type Play = (scene: Scene, moment: Moment, trial: Trial) => Promise<void>;

/** Plays one scene for each state of an intent that a crash may leave. */
const afterEach =
  (play: Play, list = LEAVING_INTENTS): Claim["run"] =>
  async (trial) => {
    const some = trial.brief(list);
    await trial.each(some, (moment) =>
      trial.scene(sceneOptions(moment), (scene) => play(scene, moment, trial)),
    );
    return `${some.length} states of intents`;
  };

export const killDuringRecovery: Claim = {
  name: "a kill during the recovery from a kill leaves no duplicate and no orphan",
  group: "kills",
  run: afterEach(async (scene, moment, { size }) => {
    const site = await scene.open(servers(size));
    await crash(scene, site, { moment, size });
    scene.emulator.clearJournal();
    const before = scene.ids().length;
    const recovering: Moment = {
      name: "recovering",
      prepare: () => scene.fault({}, moments.answerDelayed(300)),
      // If the first kill came late, everything exists and is only looked for.
      reached: () =>
        scene.calls(before < size ? "POST" : "GET").length > 0 && scene.ids().length >= before,
    };
    await crash(scene, site, { moment: recovering, size });
    await expectUp(scene, [site], { step: "after the second kill", count: size });
  }),
};

export const editAfterKill: Claim = {
  name: "an edit after a kill changes what was created and creates nothing twice",
  group: "kills",
  run: afterEach(async (scene, moment, { size }) => {
    const site = await scene.open(servers(size));
    await crash(scene, site, { moment, size });
    site.declare(edited(size));
    await expectUp(scene, [site], { step: "after the edit", count: size });
    expectEdited(scene, size);
  }),
};

export const moveAfterKill: Claim = {
  name: "an instance moved to another server after a kill is created once, there",
  group: "kills",
  run: afterEach(
    async (scene, moment) => {
      const hosts = servers(2);
      const instance = (server: string): Declared => ({
        kind: "instance",
        name: "instance",
        args: { name: "instance", server_id: { $ref: server } },
      });
      const site = await upBefore(scene, hosts);
      scene.emulator.clearJournal();
      site.declare([...hosts, instance("server-0")]);
      await crash(scene, site, { moment });
      site.declare([...hosts, instance("server-1")]);
      await expectUp(scene, [site], {
        step: "after the move",
        count: 3,
        kinds: ["server", "instance"],
      });
      const server = scene.emulator.objects("instance")[0]?.["server_id"];
      expect(server).toBe((await site.ids())["server-1"]);
    },
    [moments.instanceLost],
  ),
};

export const killOfTwins: Claim = {
  name: "equal objects remain as many as were declared after a kill",
  group: "kills",
  run: afterEach(async (scene, moment, { size }) => {
    const site = await scene.open(servers(size, { name: "twin" }), { tokens: false });
    const { at } = await crash(scene, site, { moment, size });
    await expectUp(scene, [site], { step: `after a kill with ${at}`, count: size, replays: size });
  }),
};

export const recoveryNextDay: Claim = {
  name: "a run 25 hours after a kill finds what was created without repeating a key",
  group: "kills",
  run: afterEach(async (scene, moment, { size }) => {
    const site = await scene.open(servers(size));
    await crash(scene, site, { moment, size });
    scene.emulator.advance("25h");
    const keys = new Set(scene.calls("POST").map((call) => call.idempotency_key));
    scene.emulator.clearJournal();
    await expectUp(scene, [site], { step: "25 hours later", count: size });
    const repeated = scene.calls("POST").filter((call) => keys.has(call.idempotency_key));
    expect(repeated).toEqual([]);
  }),
};
