/** A list that is valid and wrong must not cause everything to be created again. */
import { expect } from "@jest/globals";
import { startEmulator } from "../../../emulator";
import { up, type Site } from "../faces/face";
import { expectRefusal, expectSettled, servers, upBefore } from "../support/expectations";
import type { Scene } from "../support/scene";
import type { Claim, Trial } from "../trial";

/** More than the ten that may be gone without a question. */
const SIZE = 20;
/** How many a host may forget that keeps results of a refused refresh and reads one by one. */
const FORGOTTEN_ONE_BY_ONE_MAX = 3;

interface Mistake {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  readonly reason: RegExp;
}

/** A refresh under a wrong configuration is refused and changes nothing. */
async function expectRefused(scene: Scene, site: Site, mistake: Mistake): Promise<void> {
  const before = await site.ids();
  scene.emulator.clearJournal();
  site.configure(mistake.env);
  expectRefusal(`the refresh with ${mistake.name}`, await site.refresh(), mistake.reason);
  expect(await site.ids()).toEqual(before);
  site.configure(scene.env);
  expect(scene.calls("POST")).toEqual([]);
  await expectSettled(scene, [site], { step: `after ${mistake.name}`, count: SIZE });
}

async function expectOtherAccountRefused(scene: Scene, site: Site): Promise<void> {
  const other = await startEmulator({ provisionMs: 0 });
  try {
    const env = { ERPHOST_BASE_URL: other.baseUrl, ERPHOST_API_KEY: other.adminKey };
    await expectRefused(scene, site, { name: "another account", env, reason: /belongs to/ });
    site.configure(env);
    expectRefusal("the up with another account", await up(site), /./);
    site.configure(scene.env);
    expect(other.objects("server")).toEqual([]);
  } finally {
    await other.close();
  }
}

/** The list is empty by mistake. Returns how many objects the host forgot. */
async function expectEmptyListRefused(scene: Scene, site: Site): Promise<number> {
  const snapshot = scene.emulator.snapshot();
  for (const id of scene.ids()) scene.emulator.removeObject("server", id);
  const saved = await site.saveState();
  const held = Object.keys(await site.ids()).length;
  let forgottenMax = 0;
  // One at a time, the first ones are judged before it is clear how many are missing.
  for (const parallel of [undefined, 1]) {
    const step = `an empty list, read ${parallel ?? "many"} at a time`;
    expectRefusal(step, await site.refresh(parallel), /allow_?mass_?gone/i);
    const forgotten = held - Object.keys(await site.ids()).length;
    expect(forgotten).toBeLessThanOrEqual(parallel === 1 ? FORGOTTEN_ONE_BY_ONE_MAX : 0);
    forgottenMax = Math.max(forgottenMax, forgotten);
    await site.restoreState(saved);
  }
  scene.emulator.restore(snapshot);
  await expectSettled(scene, [site], { step: "after an empty list", count: SIZE });
  return forgottenMax;
}

export const mistakenAccount: Claim = {
  name: "a wrong account or key and an empty list are refused, and nothing is created again",
  group: "account",
  run: (trial) => trial.scene({}, (scene) => play(scene, trial)),
};

async function play(scene: Scene, trial: Trial): Promise<string> {
  const { emulator } = scene;
  const site = await upBefore(scene, servers(SIZE));
  emulator.advance("1h"); // Young objects are waited for in any case.
  trial.progress("another account");
  await expectOtherAccountRefused(scene, site);
  const keyed = (value: string) => ({ ERPHOST_API_KEY: value });
  const mistakes: readonly Mistake[] = [
    {
      name: "a live key",
      env: keyed(emulator.createKey({ environment: "live" }).value),
      reason: /belongs to/,
    },
    {
      name: "a key without the right to read",
      env: keyed(emulator.createKey({ permissions: ["teams:read"] }).value),
      reason: /servers:read/,
    },
  ];
  await trial.each(mistakes, (mistake) => expectRefused(scene, site, mistake));
  trial.progress("an empty list");
  const forgotten = await expectEmptyListRefused(scene, site);
  const kept = forgotten === 0 ? "nothing" : `${forgotten} if read one by one, otherwise nothing`;
  return `4 mistakes, each refused; forgotten: ${kept}`;
}
