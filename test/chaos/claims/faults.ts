/** Faults of the service and the network: every run succeeds or says clearly why not. */
import { expect } from "@jest/globals";
import { ask, strike } from "../../support/ask";
import { up, type Declared, type Outcome } from "../faces/face";
import { expectSettled, expectSuccess, expectUp, servers, upBefore } from "../support/expectations";
import type { Effect, Scene } from "../support/scene";
import type { Claim } from "../trial";

/** Each effect of the emulator, with options that a trial can wait for. */
const effects: readonly Effect[] = [
  { type: "status", status: 500 },
  { type: "status", status: 503, retry_after: 0 },
  { type: "status", status: 429, retry_after: 1 },
  { type: "status", status: 401 },
  { type: "status", status: 422 },
  { type: "delay", ms: 300 },
  { type: "delay", ms: 300, when: "after" },
  "reset-before",
  "reset-after",
  "truncate",
  { type: "truncate", bytes: 0 },
  "html-502",
  "bare-429",
  "shift-pages",
  "ignore-order",
  "tie-shuffle",
  { type: "list-lag", ms: 300 },
  { type: "clamp-per-page", max: 7 },
  { type: "clamp-per-page", max: 7, echo: false },
  "normalise",
  "replay-500",
  { type: "replay-500", applied: true },
];

const nameOf = (effect: Effect): string =>
  typeof effect === "string"
    ? effect
    : Object.entries(effect)
        .map(([key, value]) => (key === "type" ? String(value) : `${key} ${String(value)}`))
        .join(" ");

const faults = effects.map((effect) => ({ effect, name: nameOf(effect) }));

/** A stack trace or the name of a JavaScript error is not a message for people. */
const CRASH = /\b(?:TypeError|ReferenceError|SyntaxError)\b|\n\s+at .*[.](?:ts|js):\d+/;

/** The run did not hang, and if it failed then with a clear error; returns whether it succeeded. */
function expectClearEnd({ code, output }: Outcome): boolean {
  expect(code).not.toBeNull();
  if (code !== 0) expect(output).not.toMatch(CRASH);
  return code === 0;
}

/** Written as people do, and not as the service normalises it. */
const untidy = { properties: { region: "EU-Central ", tags: ["b", "A"] } };

export const faultOnEveryTenthCall: Claim = {
  name: "with a fault on every tenth call a run succeeds or fails clearly, and the next succeeds",
  group: "faults",
  run: async (trial) => {
    const count = trial.count(20);
    let successes = 0;
    await trial.inScenes(faults, async (scene, { effect }) => {
      const site = await scene.open(servers(count, untidy));
      scene.emulator.setFaults([{ every: 10, effect }]);
      const isUp = expectClearEnd(await up(site));
      expectClearEnd(await site.refresh());
      scene.emulator.setFaults([]);
      await expectUp(scene, [site], { step: "the second up", count });
      if (isUp) successes += 1;
    });
    return `${faults.length} faults × ${count} objects, ${successes} ups succeeded at once`;
  },
};

const METHODS = ["POST", "GET", "PATCH", "DELETE"] as const;
const singleFaults = faults.flatMap(({ effect, name }) =>
  METHODS.map((method) => ({ effect, method, name: `${name} on one ${method}` })),
);

export const singleFault: Claim = {
  name: "after a single fault on a create, list, update or delete the next run succeeds",
  group: "faults",
  run: async (trial) => {
    const some = trial.chance.sample(singleFaults, trial.count(24));
    await trial.inScenes(some, playSingleFault);
    return `${some.length} pairs of fault and call`;
  },
};

/** Creates, reads, edits and deletes servers; the fault meets the second call of its method. */
async function playSingleFault(
  scene: Scene,
  { method, effect }: (typeof singleFaults)[number],
): Promise<void> {
  const before = servers(3);
  const edited = before.map(({ args, ...rest }): Declared => ({
    ...rest,
    args: { ...args, ...untidy },
  }));
  const steps = [
    { methods: ["POST", "GET"], objects: before },
    { methods: ["PATCH"], objects: edited },
    { methods: ["DELETE"], objects: edited.slice(0, 1) },
  ];
  const site = await scene.open([]);
  for (const { methods, objects } of steps) {
    if (methods.includes(method)) {
      scene.emulator.setFaults([{ match: { method }, times: 1, skip: 1, effect }]);
    }
    site.declare(objects);
    expectClearEnd(await up(site));
    if (method === "GET" && objects === before) expectClearEnd(await site.refresh());
  }
  scene.emulator.setFaults([]);
  site.declare(edited);
  await expectUp(scene, [site], { step: "the last up", count: 3 });
}

const RETRY_AFTER_S = 2;

export const rateLimitedRefresh: Claim = {
  name: "a 429 in a refresh is waited for and shown, and no object is taken for gone",
  group: "faults",
  run: (trial) =>
    trial.scene({}, async (scene) => {
      const { emulator } = scene;
      const site = await upBefore(scene, servers(trial.size));
      const before = await site.ids();
      const effect = { type: "status", status: 429, retry_after: RETRY_AFTER_S } as const;
      emulator.clearJournal();
      // Not the call by which a run finds out whose key it has.
      strike(emulator, "GET /servers", effect, { times: 1 });
      const refresh = await site.refresh();
      expectSuccess("the refresh", refresh);
      const lists = emulator.journal().filter(({ path }) => path === "/servers");
      const [first = NaN, second = NaN] = lists.map(({ started_at }) => Date.parse(started_at));
      const waitedS = (second - first) / 1000;
      expect(waitedS).toBeGreaterThanOrEqual(RETRY_AFTER_S);
      expect(refresh.output).toMatch(/asked\s+for\s+a\s+pause\s+\(429\)/);
      expect(await site.ids()).toEqual(before);
      return `${RETRY_AFTER_S} s asked for, ${waitedS.toFixed(1)} s waited`;
    }),
};

const BEHIND_MS = 5_000;

export const refreshRightAfterUp: Claim = {
  name: "with lists five seconds behind, a refresh right after an up loses and repeats nothing",
  group: "faults",
  run: (trial) =>
    trial.scene({}, async (scene) => {
      const { size } = trial;
      const site = await scene.open(servers(size));
      strike(scene.emulator, "GET /servers", { type: "list-lag", ms: BEHIND_MS });
      expectSuccess("the up", await up(site));
      const before = await site.ids();
      expect(await listedCount(scene)).toBe(0);
      expectSuccess("the refresh", await site.refresh());
      expect(await site.ids()).toEqual(before);
      expectSuccess("the next up", await up(site));
      scene.emulator.setFaults([]);
      await expectSettled(scene, [site], { step: "the next up", count: size });
      return `${size} of ${size} not yet listed when the refresh started`;
    }),
};

async function listedCount({ env }: Scene): Promise<number> {
  const service = { baseUrl: env.ERPHOST_BASE_URL, adminKey: env.ERPHOST_API_KEY };
  const response = await ask(service, "GET /servers");
  // The emulator's own answer.
  return ((await response.json()) as { data: readonly unknown[] }).data.length;
}
