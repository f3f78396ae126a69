/** Saved plans, targets, replacements: interrupted or killed, nothing is lost or duplicated. */
import { expect } from "@jest/globals";
import { up, type Ability, type ApplyMode, type Declared } from "../faces/face";
import { afterStop, crash, expectHit, stopUp, type Stop, type Stopped } from "../kill";
import { answerDelayed, onceCreated, type Moment } from "../moments";
import { expectSuccess, expectUp, servers, upBefore } from "../support/expectations";
import type { Scene } from "../support/scene";
import type { Claim, Trial } from "../trial";

interface Mode {
  readonly name: string;
  readonly mode: ApplyMode;
  /** How many of the objects exist before. */
  readonly existing: number;
}

const MODES: readonly Mode[] = [
  { name: "a plain apply", mode: {}, existing: 0 },
  { name: "a saved plan", mode: { saved: true }, existing: 0 },
  { name: "-target", mode: { target: ["instance", "server-0"] }, existing: 0 },
  { name: "-refresh=false", mode: { refresh: false }, existing: 1 },
  { name: "-replace", mode: { replace: ["server-1"] }, existing: Infinity },
];

/** Servers and an instance on the second one: its create is not sent before that server exists. */
const objectsOf = (size: number): readonly Declared[] => [
  ...servers(size),
  { kind: "instance", name: "instance", args: { name: "i", server_id: { $ref: "server-1" } } },
];

const KINDS = ["server", "instance"] as const;
const POST = { method: "POST", path: "/servers" } as const;
const createdUnderway = onceCreated("created, answers underway", answerDelayed(600));
const createdLost = onceCreated("created, answers lost", "reset-after");
const notReady: Moment = {
  name: "created and not ready",
  prepare: (scene) => scene.fault(POST, { type: "provision", outcome: "ready", ms: 3_600_000 }),
  reached: (scene) => scene.calls("POST").some(({ status }) => status === 201),
};
const rateLimited: Moment = {
  name: "waiting for the rate limit",
  prepare: (scene) => scene.fault(POST, { type: "status", status: 429, retry_after: 60 }),
  reached: (scene) => scene.calls("POST").some(({ status }) => status === 429),
};

/** An interrupted run ends within this time, whatever it was waiting for. */
const INTERRUPTED_MAX_MS = 15_000;

/** The run ended soon and cleanly, and its state holds exactly what it created. */
function expectCleanEnd(scene: Scene, { tookMs, outcome }: Stopped, ids: readonly string[]): void {
  expect(tookMs).toBeLessThan(INTERRUPTED_MAX_MS);
  expect(outcome.output).not.toMatch(/crash|panic|plugin did not respond|terminated/i);
  expect([...ids].sort()).toEqual(KINDS.flatMap((kind) => scene.ids(kind)).sort());
}

type Case = Mode & { readonly stop: Stop; readonly moment: Moment };

/** One run in one mode is stopped at a moment; the next ones must succeed. */
async function play(scene: Scene, { mode, existing, ...stop }: Case, size: number): Promise<void> {
  const all = objectsOf(size);
  const site = await (existing > 0 ? upBefore(scene, all.slice(0, existing)) : scene.open([]));
  site.declare(all);
  scene.emulator.clearJournal();
  const stopped = await stopUp(scene, site, { ...stop, mode, size });
  expectHit(stopped);
  // The run was stopped before it came to the instance.
  expect(scene.calls("POST", "/instances")).toEqual([]);
  if (stop.stop === "Ctrl-C") expectCleanEnd(scene, stopped, Object.values(await site.ids()));
  await afterStop(scene, site, stop);
  scene.emulator.advance("2h");
  // A saved plan is stale by now; other modes are repeated.
  if (!mode.saved) expectSuccess("the same again", await up(site, mode));
  await expectUp(scene, [site], { step: "everything", count: size + 1, kinds: KINDS });
}

const inEveryMode =
  (stops: readonly Stop[], moments: readonly Moment[]): Claim["run"] =>
  async (trial) => {
    const all = MODES.flatMap((mode) =>
      stops.flatMap((stop) =>
        moments.map((moment): Case => {
          return { ...mode, stop, moment, name: `${mode.name}, ${stop} at: ${moment.name}` };
        }),
      ),
    );
    const some = trial.chance.sample(all, trial.count(all.length));
    await trial.inScenes(some, (scene, one) => play(scene, one, trial.size));
    return `${some.length} runs hit`;
  };

/** Whether it waits for answers, for readiness or for the rate limit. */
export const interruptInEveryMode: Claim = {
  name: "a run interrupted in any mode ends by itself, and its state holds what was created",
  group: "modes",
  needs: ["modes", "interrupt"],
  run: inEveryMode(["Ctrl-C"], [createdUnderway, createdLost, notReady, rateLimited]),
};

export const killInEveryMode: Claim = {
  name: "a kill of the provider or the host in any mode leaves no duplicate and no orphan",
  group: "modes",
  needs: ["modes"],
  run: inEveryMode(["provider", "host"], [createdUnderway, createdLost]),
};

const STOPS = (["host", "Ctrl-C", "provider"] as const).map((name) => ({ name, stop: name }));
const STOPPABLE: readonly Ability[] = ["count", "interrupt"];

export const stoppedCount: Claim = {
  name: "a stopped run of a count leaves as many as declared, and a new count changes no others",
  group: "modes",
  needs: STOPPABLE,
  run: async (trial) => {
    const some = STOPS.slice(0, trial.count(STOPS.length));
    await trial.inScenes(some, (scene, { stop }) => playCount(scene, stop, trial));
    return `${some.length} runs stopped`;
  },
};

async function playCount(scene: Scene, stop: Stop, { size }: Trial): Promise<void> {
  const twins = (count: number): readonly Declared[] => [
    { kind: "server", name: "twin", args: { name: "twin" }, count },
  ];
  const site = await scene.open(twins(size));
  await crash(scene, site, { moment: createdUnderway, stop, size });
  await expectUp(scene, [site], { step: "after the stop", count: size });
  for (const count of [size + 1, size - 1]) {
    const before = await site.ids();
    const step = `then ${count}`;
    site.declare(twins(count));
    await expectUp(scene, [site], { step, count });
    expect(before).toMatchObject(
      Object.fromEntries(Object.entries(await site.ids()).filter(([name]) => name in before)),
    );
  }
}

/** Both stacks declare the same names and tokens. */
export const stoppedStackNextToAnother: Claim = {
  name: "a workspace never adopts another one's objects, however the other's run ended",
  group: "modes",
  needs: ["two-stacks", ...STOPPABLE],
  run: async (trial) => {
    const ends = [{ name: "a clean exit", stop: undefined }, ...STOPS];
    const some = ends.slice(0, trial.count(ends.length));
    await trial.inScenes(some, async (scene, { stop }) => {
      const { size } = trial;
      const one = await scene.open(servers(size), { stack: "one", tokens: "same" });
      const two = await scene.open(servers(size), { stack: "two", sibling: one, tokens: "same" });
      if (stop === undefined) expectSuccess("the first", await up(one));
      else await crash(scene, one, { moment: createdLost, stop, size });
      const first = scene.ids();
      expectSuccess("the other", await up(two));
      expect(Object.values(await two.ids()).filter((id) => first.includes(id))).toEqual([]);
      await expectUp(scene, [one, two], { step: "both", count: 2 * size });
    });
    return `${some.length} ends of a run`;
  },
};
