/** Faults of the service and the wire: every run ends right or says clearly why not. */
import type { FaultInput } from "../../../emulator";
import { up, type Declared, type Outcome } from "../faces/face";
import { onScene, type Scene } from "../support/scene";
import { ended, serversOf, settled } from "../support/settled";
import { Evidence, tail, type Claim } from "./claim";

type Effect = FaultInput["effect"];

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

/** An exit code is no error message, and neither is the place in a file where something broke. */
function clear(evidence: Evidence, where: string, outcome: Outcome): boolean {
  if (outcome.code === 0) return true;
  evidence.expect(outcome.code !== null, () => `${where}: it hung, and was killed`);
  evidence.expect(
    !/\b(?:TypeError|ReferenceError|SyntaxError)\b|\n\s+at .*[.](?:ts|js):\d+/.test(outcome.output),
    () => `${where}: no clear error\n      ${tail(outcome.output)}`,
  );
  return false;
}

/** Like the people who write programs: not the way the service would. */
const untidy = { properties: { region: "EU-Central ", tags: ["b", "A"] } };

const everyTenth: Claim = {
  name: "each fault on every tenth call",
  group: "faults",
  says: "An up ends right or with a clear error, the next one ends right, with exactly the declared objects and an empty plan; reads and writes alike.",
  run: async ({ face, trials, say }) => {
    const evidence = new Evidence();
    const count = trials(100, 20);
    const details: string[] = [];
    for (const effect of effects) {
      const where = `${nameOf(effect)} on every tenth call`;
      say(where);
      await onScene(face, {}, async ({ world, open }) => {
        const site = await open();
        site.declare(serversOf(count, untidy));
        world.emulator.setFaults([{ every: 10, effect }]);
        const first = clear(evidence, where, await up(site));
        const refreshed = clear(evidence, where, await site.refresh());
        world.emulator.setFaults([]);
        ended(evidence, `${where}, the second up`, await up(site));
        await settled(evidence, world, [site], { where, count });
        details.push(
          `${where}: up ${first ? "right" : "refused"}, refresh ${refreshed ? "right" : "refused"}`,
        );
      });
    }
    const right = details.filter((line) => line.includes("up right")).length;
    return {
      figure: `${effects.length} faults × ${count} objects, ${right} ups right at once`,
      failures: evidence.failures,
      details,
    };
  },
};

const OPERATIONS = ["POST", "GET", "PATCH", "DELETE"] as const;

const alone: Claim = {
  name: "each fault alone on each kind of call",
  group: "faults",
  says: "One fault on one create, list, change or delete: the next run ends right.",
  run: async ({ face, trials, chance, say }) => {
    const evidence = new Evidence();
    const all = effects.flatMap((effect) => OPERATIONS.map((method) => ({ effect, method })));
    const wanted = trials(all.length, 6);
    while (all.length > wanted) all.splice(chance.below(all.length), 1);
    for (const { effect, method } of all) {
      say(`${nameOf(effect)} on one ${method}`);
      await onScene(face, {}, (scene) => one(evidence, scene, method, effect));
    }
    return { figure: `${all.length} pairs of fault and call`, failures: evidence.failures };
  },
};

async function one(
  evidence: Evidence,
  { world, open }: Scene,
  method: (typeof OPERATIONS)[number],
  effect: Effect,
): Promise<void> {
  const where = `${nameOf(effect)} on one ${method}`;
  const site = await open();
  const before = serversOf(3);
  const edited = before.map(({ args, ...rest }): Declared => ({
    ...rest,
    args: { ...args, ...untidy },
  }));
  const strike = () =>
    void world.emulator.setFaults([{ match: { method }, times: 1, skip: 1, effect }]);
  const [first, ...others] = edited;
  if (!first) return;
  if (method === "POST" || method === "GET") strike();
  site.declare(before);
  clear(evidence, where, await up(site));
  if (method === "GET") clear(evidence, where, await site.refresh());
  if (method === "PATCH") strike();
  site.declare(edited);
  clear(evidence, where, await up(site));
  if (method === "DELETE") strike();
  site.declare([first]);
  clear(evidence, where, await up(site));
  world.emulator.setFaults([]);
  site.declare([first, ...others]);
  ended(evidence, `${where}, the last up`, await up(site));
  await settled(evidence, world, [site], { where, count: 3 });
}

export const faultClaims: readonly Claim[] = [everyTenth, alone];
