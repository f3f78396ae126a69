/** What may follow a kill, and must not lead to a second object or to the loss of one. */
import { up, type Declared, type Site } from "../faces/face";
import { onScene, type Scene } from "../support/scene";
import { ended, serversOf, settled } from "../support/settled";
import { callsOf, type World } from "../support/world";
import { Evidence, type Claim, type Trial } from "./claim";
import { declareServers, killedAt, struck } from "./killed";
import { briefly, momentNamed, type Moment } from "./moments";

/** The states of an intent that a crash may leave behind. */
const LEFT = [
  "intent on disk, request on the wire",
  "request lost before the service",
  "done, answer under way",
  "done, answer lost",
  "answer on disk, host does not know",
  "half of the creates done",
].map(momentNamed);

/** A claim that plays one scene for each state that a crash may leave behind. */
function afterEach(
  name: string,
  says: string,
  play: (evidence: Evidence, scene: Scene, moment: Moment, trial: Trial) => Promise<void>,
  more: Pick<Claim, "needs"> & { readonly moments?: readonly Moment[] } = {},
): Claim {
  const { moments = LEFT, ...rest } = more;
  return {
    name,
    says,
    group: "kills",
    ...rest,
    run: async (trial) => {
      const evidence = new Evidence();
      const some = briefly(moments, trial);
      for (const moment of some) {
        trial.say(moment.name);
        const { provisionMs } = moment;
        const options = { ...(provisionMs !== undefined && { provisionMs }) };
        await onScene(trial.face, options, (scene) => play(evidence, scene, moment, trial));
      }
      return { figure: `${some.length} states of intents`, failures: evidence.failures };
    },
  };
}

/** Kills, and makes ready for the next run. */
async function crash(evidence: Evidence, world: World, site: Site, moment: Moment) {
  const killed = await killedAt(world, site, moment);
  struck(evidence, moment.name, killed);
  await world.calm();
  if (moment.provisionMs !== undefined) world.emulator.setClock({ rate: 3_600 });
  await site.unlock();
  return killed;
}

const killedTwice = afterEach(
  "kill, then a kill of the next run",
  "A run that recovers from a kill may be killed as well.",
  async (evidence, { world, open }, moment, { size }) => {
    const site = await open();
    declareServers(site, size);
    await crash(evidence, world, site, moment);
    world.emulator.clearJournal();
    const before = world.emulator.objects("server").length;
    await crash(evidence, world, site, {
      name: "recovering",
      prepare: ({ emulator }) =>
        void emulator.setFaults([{ match: {}, effect: { type: "delay", ms: 300, when: "after" } }]),
      // Where the first kill came late, all are there, and are only looked for.
      reached: () =>
        callsOf(world, before < size ? "POST" : "GET").length > 0 &&
        world.emulator.objects("server").length >= before,
    });
    const where = `twice, first at: ${moment.name}`;
    ended(evidence, where, await up(site));
    await settled(evidence, world, [site], { where, count: size });
  },
);

const edited = afterEach(
  "kill, then an edit",
  "What was created before the kill becomes what the edited program says; nothing is made twice.",
  async (evidence, { world, open }, moment, { size }) => {
    const site = await open();
    declareServers(site, size);
    await crash(evidence, world, site, moment);
    const objects = serversOf(size, { properties: { tier: "gold" } }).map(
      ({ args, ...rest }): Declared => ({ ...rest, args: { ...args, name: `${rest.name}-new` } }),
    );
    site.declare(objects);
    const where = `edit after: ${moment.name}`;
    ended(evidence, where, await up(site));
    await settled(evidence, world, [site], { where, count: size });
    const right = world.emulator
      .objects("server")
      .filter(({ name, tier }) => String(name).endsWith("-new") && tier === "gold");
    evidence.expect(right.length === size, () => `${where}: ${right.length} are as edited`);
  },
);

const movedAway = afterEach(
  "kill, then an edit that replaces",
  "An instance whose create was killed and that belongs to another server now is made once, there.",
  async (evidence, { world, open }, moment) => {
    const site = await open();
    const [one, two] = serversOf(2);
    const instance = (on: string): Declared => ({
      kind: "instance",
      name: "instance",
      args: { name: "instance", server_id: { $ref: on } },
    });
    if (!one || !two) return;
    site.declare([one, two]);
    const provisioned = moment.provisionMs !== undefined;
    if (provisioned) world.emulator.setClock({ rate: 3_600 });
    ended(evidence, "before", await up(site));
    if (provisioned) world.emulator.setClock({ rate: 1 });
    world.emulator.clearJournal();
    site.declare([one, two, instance(one.name)]);
    await crash(evidence, world, site, { ...moment, ...onInstances });
    site.declare([one, two, instance(two.name)]);
    const where = `moved after: ${moment.name}`;
    ended(evidence, where, await up(site));
    await settled(evidence, world, [site], { where, count: 3, kinds: ["server", "instance"] });
    const ids = await site.ids();
    const on = world.emulator.objects("instance")[0]?.["server_id"];
    evidence.expect(on === ids[two.name], () => `${where}: the instance is on ${String(on)}`);
  },
  { moments: [momentNamed("done, answer lost")] },
);

/** The moment "done, answer lost" of an instance. */
const onInstances: Partial<Moment> = {
  prepare: ({ emulator }) =>
    void emulator.setFaults([
      { match: { method: "POST", path: "/instances" }, effect: "reset-after" },
    ]),
  reached: ({ emulator }) => emulator.objects("instance").length > 0,
};

const twins = afterEach(
  "kill of twins",
  "Objects declared with equal bodies stay as many as were declared.",
  async (evidence, { world, open }, moment, { size }) => {
    const site = await open({ tokens: false });
    declareServers(site, size, { name: "twin" });
    const { at } = await crash(evidence, world, site, moment);
    const where = `twins, killed at: ${moment.name} (${at})`;
    ended(evidence, where, await up(site));
    await settled(evidence, world, [site], { where, count: size, records: size });
  },
);

const twoStacks = afterEach(
  "kill beside another stack",
  "Two stacks with equal names on one account: neither adopts what the other's killed run made.",
  async (evidence, { world, open }, moment, { size }) => {
    const one = await open({ stack: "one", tokens: false });
    const two = await open({ stack: "two", beside: one, tokens: false });
    declareServers(one, size);
    declareServers(two, size);
    await crash(evidence, world, one, moment);
    const where = `two stacks, killed at: ${moment.name}`;
    ended(evidence, `${where}, the other`, await up(two));
    ended(evidence, where, await up(one));
    await settled(evidence, world, [one, two], { where, count: 2 * size });
  },
  { needs: ["two-stacks"] },
);

const nextDay = afterEach(
  "kill, and the next run 25 hours later",
  "Past the service's window the key is not posted again: what was made is found by name and time.",
  async (evidence, { world, open }, moment, { size }) => {
    const site = await open();
    declareServers(site, size);
    await crash(evidence, world, site, moment);
    world.emulator.advance("25h");
    const keys = new Set(callsOf(world, "POST").map((call) => call.idempotency_key));
    world.emulator.clearJournal();
    const where = `25 h after: ${moment.name}`;
    ended(evidence, where, await up(site));
    await settled(evidence, world, [site], { where, count: size });
    const again = callsOf(world, "POST").filter((call) => keys.has(call.idempotency_key));
    evidence.expect(again.length === 0, () => `${where}: ${again.length} old keys were posted`);
  },
);

export const sequelClaims: readonly Claim[] = [
  killedTwice,
  edited,
  movedAway,
  twins,
  twoStacks,
  nextDay,
];
