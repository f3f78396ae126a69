/** Kills at any moment of a run: after the next run nothing is duplicated and nothing is lost. */
import { expect } from "@jest/globals";
import { up } from "../faces/face";
import { afterStop, crash, expectHit, sceneOptions, stopUp } from "../kill";
import type { Stopped, Victim } from "../kill";
import * as moments from "../moments";
import type { Moment, Phase } from "../moments";
import { expectSettled, expectSuccess, expectUp, servers, upBefore } from "../support/expectations";
import type { Claim, Trial } from "../trial";

/** The share of random moments that may come after the last request of a run. */
const MISSED_MAX = 0.1;

/** What tells the next run whose the objects are that the killed one made. */
interface Means {
  readonly name: string;
  readonly tokens?: false;
  readonly env?: Readonly<Record<string, string>>;
}
const TOKENS: Means = { name: "tokens" };
const MEANS: readonly Means[] = [
  TOKENS,
  { name: "no tokens", tokens: false },
  { name: "a scope", env: { ERPHOST_SCOPE: "github.com/acme/infra/prod" } },
];

/**
 * Kills one run at a moment and expects the next one to leave exactly one object each, without a
 * question, although both refuse to make a second object of one name.
 */
const killAndRecover = (
  trial: Trial,
  { moment, victim, means = TOKENS }: { moment: Moment; victim: Victim; means?: Means },
): Promise<Stopped> =>
  trial.scene(sceneOptions(moment), async (scene) => {
    const { size } = trial;
    const { tokens, env } = means;
    const site = await scene.open(servers(size), { ...(tokens === false && { tokens }) });
    site.configure({ ERPHOST_SAME_NAME: "error", ...env });
    const stop = { moment, stop: victim, size };
    const stopped = await stopUp(scene, site, stop);
    await afterStop(scene, site, stop);
    const step = `after a kill with ${stopped.at}`;
    expectSuccess(step, await up(site));
    await scene.calm();
    await expectSettled(scene, [site], { step, count: size, replays: size });
    return stopped;
  });

const VICTIMS = {
  all: "a kill",
  provider: "a kill of the provider alone",
  host: "a kill of the host alone",
} as const satisfies Record<Victim, string>;

const atEachStep = (victim: Victim): Claim => ({
  name: `${VICTIMS[victim]} at each step leaves no duplicate and no orphan`,
  group: "kills",
  run: async (trial) => {
    const telling = moments.stepsOfCreate.filter(({ brief }) => brief);
    const kills = (trial.isShort ? telling : moments.stepsOfCreate).flatMap((moment) => {
      const one = MEANS[telling.indexOf(moment)] ?? TOKENS;
      const all = moment.brief && !trial.isShort ? MEANS : [one];
      return all.map((means) => ({ moment, means, name: `${moment.name}; ${means.name}` }));
    });
    const count = await trial.each(kills, async ({ moment, means }) =>
      expectHit(await killAndRecover(trial, { moment, victim, means })),
    );
    return `${count} of ${kills.length} steps hit`;
  },
});

const atRandom = (victim: Victim): Claim => ({
  name: `${VICTIMS[victim]} at a random request leaves no duplicate and no orphan`,
  group: "kills",
  run: async (trial) => {
    const requests = await requestsOfUp(trial);
    const drawn = Array.from({ length: trial.count(20) }, () => {
      const phase: Phase = trial.chance.pick(["arrives", "is done", "is answered"]);
      return moments.atRequest(1 + trial.chance.below(requests), phase);
    });
    const points = new Set<string>();
    let missed = 0;
    await trial.each(drawn, async (moment) => {
      const { isHit, at } = await killAndRecover(trial, { moment, victim });
      if (isHit) points.add(`${moment.name}: ${at}`);
      else missed += 1;
    });
    expect(missed).toBeLessThanOrEqual(Math.ceil(MISSED_MAX * drawn.length));
    return `${drawn.length - missed} kills at ${points.size} distinct points, ${missed} missed`;
  },
});

/** How many requests an undisturbed run makes. */
const requestsOfUp = (trial: Trial): Promise<number> =>
  trial.scene({}, async (scene) => {
    await up(await scene.open(servers(trial.size)));
    return scene.emulator.journal().length;
  });

export const killAtEachStep = atEachStep("all");
export const killProviderAtEachStep = atEachStep("provider");
export const killHostAtEachStep = atEachStep("host");
export const killAtRandom = atRandom("all");
export const killProviderAtRandom = atRandom("provider");
export const killHostAtRandom = atRandom("host");

/** Hosts end a provider before they write their last state. */
export const killHostAfterProvider: Claim = {
  name: "a kill of the host after its provider exited loses nothing",
  group: "kills",
  needs: ["modes"],
  run: async (trial) => {
    const runs = Array.from({ length: trial.count(8) }, () => moments.allHandedOver);
    let hits = 0;
    await trial.each(runs, async (moment) => {
      if ((await killAndRecover(trial, { moment, victim: "host" })).isHit) hits += 1;
    });
    expect(hits).toBeGreaterThan(runs.length / 2);
    return `${hits} of ${runs.length} runs hit`;
  },
};

export const killOfReplacement: Claim = {
  name: "a replacement killed at each step leaves the new object and deletes the old",
  group: "kills",
  run: async (trial) => {
    const { size } = trial;
    const steps = trial.brief(moments.stepsOfReplacement);
    await trial.inScenes(steps, async (scene, moment) => {
      const site = await upBefore(scene, servers(size));
      const { "server-0": old } = await site.ids();
      scene.emulator.clearJournal();
      const mode = { replace: ["server-0"] };
      await crash(scene, site, { moment, mode, size });
      const step = "after the kill";
      expectSuccess(step, await up(site, mode));
      await expectSettled(scene, [site], { step, count: size });
      expect((await site.ids())["server-0"]).not.toBe(old);
    });
    return `${steps.length} steps hit`;
  },
};

export const killOfDestroy: Claim = {
  name: "a destroy killed at each step is finished by the next run, and what is declared again is new",
  group: "kills",
  run: async (trial) => {
    const { size } = trial;
    const steps = trial.brief(moments.stepsOfDelete);
    await trial.inScenes(steps, async (scene, moment) => {
      const site = await upBefore(scene, servers(size));
      const old = scene.ids();
      scene.emulator.clearJournal();
      site.declare([]);
      await crash(scene, site, { moment, size });
      await expectUp(scene, [site], { step: "after the kill", count: 0 });
      site.declare(servers(size));
      await expectUp(scene, [site], { step: "declared again", count: size });
      expect(scene.ids().filter((id) => old.includes(id))).toEqual([]);
    });
    return `${steps.length} steps hit`;
  },
};
