/** Making anew, destroying, rolling back: never the wrong object. */
import { up } from "../faces/face";
import { onScene } from "../support/scene";
import { ended, serversOf, settled } from "../support/settled";
import { callsOf } from "../support/world";
import { Evidence, type Claim } from "./claim";
import { declareServers, killedAt, struck } from "./killed";
import { momentNamed, onceMade, type Moment } from "./moments";

const DELETE = { method: "DELETE", path: "/servers/*" } as const;
const DELAY_MS = 400;

/** Steps of making one object anew. The journal is empty when the run begins. */
const replacing: readonly Moment[] = [
  momentNamed("intent on disk, request on the wire"),
  momentNamed("request lost before the service"),
  onceMade("new one made, answer under way", { type: "delay", ms: DELAY_MS, when: "after" }),
  onceMade("new one made, answer lost", "reset-after", { brief: true }),
  {
    name: "new one answered",
    reached: (world) => callsOf(world, "POST").some(({ status }) => status === 201),
  },
  {
    name: "delete of the old one arrived",
    prepare: ({ emulator }) =>
      void emulator.setFaults([{ match: DELETE, effect: { type: "delay", ms: DELAY_MS } }]),
    reached: (world) => callsOf(world, "DELETE").length > 0,
  },
  {
    name: "delete of the old one done, answer lost",
    brief: true,
    prepare: ({ emulator }) => void emulator.setFaults([{ match: DELETE, effect: "reset-after" }]),
    reached: ({ emulator }) =>
      emulator.journal().some(({ method, ended_at }) => method === "DELETE" && ended_at !== null),
  },
];

const replaceClaim: Claim = {
  name: "kill of a replacement",
  group: "kills",
  says: "An object that is made anew, without a difference that says so: killed at each step, and asked for again, there is one, and the old one is gone.",
  needs: ["replace"],
  run: async ({ face, size, say }) => {
    const evidence = new Evidence();
    const moments = replacing.filter(({ brief }) => face.pace === "quick" || brief);
    let hits = 0;
    for (const moment of moments) {
      say(moment.name);
      await onScene(face, {}, async ({ world, open }) => {
        const site = await open();
        declareServers(site, size);
        ended(evidence, "before", await up(site));
        const old = (await site.ids())["server-0"];
        world.emulator.clearJournal();
        const where = `replacement killed at: ${moment.name}`;
        const killed = await killedAt(world, site, moment, { manner: { replace: ["server-0"] } });
        if (struck(evidence, where, killed)) hits += 1;
        await world.calm();
        await site.unlock();
        ended(evidence, where, await up(site, { replace: ["server-0"] }));
        await settled(evidence, world, [site], { where, count: size });
        const now = (await site.ids())["server-0"];
        evidence.expect(now !== old, () => `${where}: the old object is still there`);
      });
    }
    return { figure: `${hits} of ${moments.length} steps hit`, failures: evidence.failures };
  },
};

const recreateClaim: Claim = {
  name: "destroy, and create in the same minute",
  group: "kills",
  says: "What a killed destroy leaves is destroyed by the next; what is created after it is new, though the service remembers the keys of before.",
  run: async ({ face, size, say }) => {
    const evidence = new Evidence();
    const moments = replacing.filter(({ name }) => name.startsWith("delete of"));
    for (const moment of moments) {
      say(moment.name);
      await onScene(face, {}, async ({ world, open }) => {
        const site = await open();
        declareServers(site, size);
        ended(evidence, "before", await up(site));
        const old = new Set(Object.values(await site.ids()));
        const declared = serversOf(size);
        site.declare([]);
        const where = `destroy killed at: ${moment.name}`;
        struck(evidence, where, await killedAt(world, site, moment));
        await world.calm();
        await site.unlock();
        ended(evidence, `${where}, destroy`, await up(site));
        await settled(evidence, world, [site], { where: `${where}, destroyed`, count: 0 });
        site.declare(declared);
        ended(evidence, `${where}, create`, await up(site));
        await settled(evidence, world, [site], { where: `${where}, created again`, count: size });
        const again = Object.values(await site.ids()).filter((id) => old.has(id));
        evidence.expect(again.length === 0, () => `${where}: ${again.join(" ")} came back`);
      });
    }
    return { figure: `${moments.length} steps of a destroy`, failures: evidence.failures };
  },
};

const abandonedClaim: Claim = {
  name: "kill, and declared no more",
  group: "kills",
  says: "What a killed create made and the program no longer declares is adopted by nobody else, and is found when it is declared again.",
  run: async ({ face, size }) => {
    const evidence = new Evidence();
    await onScene(face, {}, async ({ world, open }) => {
      const site = await open();
      declareServers(site, 1);
      const killed = await killedAt(world, site, momentNamed("done, answer lost"));
      struck(evidence, "the create that is abandoned", killed);
      await world.calm();
      await site.unlock();
      const [made] = world.emulator.objects("server").map(({ id }) => String(id));
      const others = serversOf(size).map((one) => ({ ...one, name: `other-${one.name}` }));
      site.declare(others);
      const where = "other objects of the same names and bodies";
      ended(evidence, where, await up(site));
      await settled(evidence, world, [site], { where, count: size, strangers: made ? [made] : [] });
      site.declare([...others, ...serversOf(1)]);
      ended(evidence, "declared again", await up(site));
      await settled(evidence, world, [site], { where: "declared again", count: size + 1 });
      const held = (await site.ids())["server-0"];
      evidence.expect(held === made, () => `declared again: it is ${held}, and ${made} was made`);
    });
    return { figure: "one orphan found again", failures: evidence.failures };
  },
};

const rolledBackClaim: Claim = {
  name: "a state rolled back by one version",
  group: "kills",
  says: "An object that the state has forgotten is not deleted: it is taken up again by its intent, or told with the way to import it.",
  needs: ["roll-back"],
  run: async ({ face, size }) => {
    const evidence = new Evidence();
    let figure = "";
    await onScene(face, {}, async ({ world, open }) => {
      const site = await open();
      declareServers(site, size);
      ended(evidence, "before", await up(site));
      const saved = await site.saveState();
      declareServers(site, size + 1);
      ended(evidence, "one more", await up(site));
      const forgotten = (await site.ids())[`server-${size}`] ?? "";
      await site.restoreState(saved);
      const again = await up(site);
      ended(evidence, "rolled back", again);
      const held = Object.values(await site.ids());
      const taken = held.includes(forgotten);
      await settled(evidence, world, [site], {
        where: "rolled back",
        count: size + 1,
        strangers: taken ? [] : [forgotten],
      });
      if (!taken) {
        evidence.expect(again.output.includes(forgotten), () => `${forgotten} is not named`);
      }
      figure = taken ? "taken up again" : "told with its id";
    });
    return { figure, failures: evidence.failures };
  },
};

export const lifecycleClaims: readonly Claim[] = [
  replaceClaim,
  recreateClaim,
  abandonedClaim,
  rolledBackClaim,
];
