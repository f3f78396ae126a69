/** Killed rotations: nobody is locked out, and a key that nobody holds is named. */
import { expect } from "@jest/globals";
import { isAccepted } from "../../support/ask";
import { up, type Declared } from "../faces/face";
import { crash } from "../kill";
import { delayed, type Moment } from "../moments";
import { expectSuccess } from "../support/expectations";
import type { Effect, Scene } from "../support/scene";
import type { Claim } from "../trial";

const ROTATE = { method: "POST", path: "/api-keys/*/rotate" } as const;
const rotations = (scene: Scene) =>
  scene.calls("POST", "/api-keys").filter(({ path }) => path.endsWith("/rotate"));
const isOver = (scene: Scene): boolean =>
  rotations(scene).some(({ ended_at }) => ended_at !== null);
const withFault = (effect: Effect) => (scene: Scene) => scene.fault(ROTATE, effect);

/** The steps of a rotation, in their order. */
export const stepsOfRotation: readonly Moment[] = [
  {
    name: "arrived, done after the kill",
    prepare: withFault(delayed()),
    reached: (scene) => rotations(scene).length > 0,
  },
  { name: "lost before the service", prepare: withFault("reset-before"), reached: isOver },
  { name: "done, answer lost", brief: true, prepare: withFault("reset-after"), reached: isOver },
  { name: "answered", reached: (scene) => rotations(scene).some(({ status }) => status === 200) },
];

interface Case {
  readonly name: string;
  /** The rotated key is the one that the run uses. */
  readonly isOwn: boolean;
  /** How much later the next run comes; past a day the service repeats no answer. */
  readonly later?: string;
}

const cases: readonly Case[] = [
  { name: "another key", isOwn: false },
  { name: "the run's own key", isOwn: true },
  { name: "another key, next run after 25 hours", isOwn: false, later: "25h" },
];

const declaration = (epoch: string, ownKeyId: string | undefined): Declared => ({
  kind: ownKeyId === undefined ? "api_key" : "api_key_rotation",
  name: "key",
  args: {
    ...(ownKeyId === undefined
      ? { name: "rotated", permissions: ["servers:read"], grace_period: "7d" }
      : { key_id: ownKeyId, allow_self_rotation: true, rotate_on_create: false }),
    triggers: { epoch },
  },
});

/** Kills one rotation; the next run must complete it. */
async function play(scene: Scene, moment: Moment, { isOwn, later }: Case): Promise<void> {
  const { emulator } = scene;
  const ids = (): readonly string[] => emulator.keys().map(({ id }) => String(id));
  const key = emulator.createKey({ name: "own", permissions: ["admin"], grace_period: "7d" });
  const ownId = isOwn ? key.id : undefined;
  const site = await scene.open([declaration("1", ownId)]);
  site.configure({ ERPHOST_API_KEY: key.value });
  expectSuccess("before", await up(site));
  const before = ids();
  emulator.clearJournal();
  site.declare([declaration("2", ownId)]);
  await crash(scene, site, { moment });
  if (later !== undefined) emulator.advance(later);
  const next = await up(site);
  expectSuccess("the next run", next);
  expect((await site.preview()).empty).toBe(true);
  const created = ids().filter((id) => !before.includes(id));
  expect([1, 2]).toContain(created.length);
  // Of two keys, the answer with the first one was lost.
  if (created.length === 2) expect(next.output).toContain(created[0]);
  expect(await isAccepted(emulator, key.value)).toBe(true);
}

/** On either side of the answer. */
export const killOfRotation: Claim = {
  name: "a killed rotation locks nobody out, and names a key that nobody holds",
  group: "rotation",
  run: async (trial) => {
    const some = trial.brief(stepsOfRotation);
    const all = cases.flatMap((one) =>
      some.map((moment) => ({ one, moment, name: `${one.name}, killed at: ${moment.name}` })),
    );
    await trial.inScenes(all, (scene, { one, moment }) => play(scene, moment, one));
    return `${all.length} kills`;
  },
};
