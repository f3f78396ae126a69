/** A list that is clean and wrong must not make everything be created again. */
import { startEmulator } from "../../../emulator";
import { up, type Outcome, type Site } from "../faces/face";
import { onScene, type Scene } from "../support/scene";
import { ended, serversOf, settled } from "../support/settled";
import { callsOf } from "../support/world";
import { Evidence, tail, type Claim } from "./claim";

/** More than the ten that may be gone without a question. */
const SIZE = 20;
/** A host that keeps what a refused refresh has read may forget so many, one after the other. */
const ONE_BY_ONE_MAX = 3;

/** Runs under a wrong configuration; then everything must be as before. */
async function refused(
  evidence: Evidence,
  { world }: Scene,
  site: Site,
  where: string,
  wrong: Readonly<Record<string, string>>,
  says: RegExp,
): Promise<void> {
  const before = JSON.stringify(await site.ids());
  world.emulator.clearJournal();
  site.configure(wrong);
  const look = (what: string, { code, output }: Outcome): void => {
    evidence.expect(code !== 0, () => `${where}: ${what} was not refused`);
    evidence.expect(
      says.test(output),
      () => `${where}: ${what} does not say why\n      ${tail(output)}`,
    );
  };
  look("the refresh", await site.refresh());
  const after = JSON.stringify(await site.ids());
  evidence.expect(after === before, () => `${where}: the state has changed`);
  site.configure(world.env);
  const posts = callsOf(world, "POST").length;
  evidence.expect(posts === 0, () => `${where}: ${posts} creates were sent`);
  await settled(evidence, world, [site], { where, count: SIZE });
}

const claim: Claim = {
  name: "wrong account, narrow key, empty list",
  group: "account",
  says: "Another account, a key of the other environment, a key without the right to read, and a list that is empty by mistake: each is refused with a reason, and nothing is planned to be created again.",
  run: async ({ face, say }) => {
    const evidence = new Evidence();
    let forgotten = 0;
    await onScene(face, {}, async (scene) => {
      const { world, open } = scene;
      const site = await open();
      site.declare(serversOf(SIZE));
      ended(evidence, "before", await up(site));
      world.emulator.advance("1h"); // What is young is waited for in any case.

      say("another account");
      const other = await startEmulator({ provisionMs: 0 });
      try {
        const env = { ERPHOST_BASE_URL: other.baseUrl, ERPHOST_API_KEY: other.adminKey };
        await refused(evidence, scene, site, "another account", env, /belongs to/);
        site.configure(env);
        evidence.expect((await up(site)).code !== 0, () => "another account: up was not refused");
        site.configure(world.env);
        const made = other.objects("server").length;
        evidence.expect(made === 0, () => `another account: ${made} were created there`);
      } finally {
        await other.close();
      }

      say("a key of the other environment");
      const live = { ERPHOST_API_KEY: world.emulator.createKey({ environment: "live" }).value };
      await refused(evidence, scene, site, "a live key", live, /belongs to/);

      say("a narrower key");
      const narrow = world.emulator.createKey({ permissions: ["teams:read"] }).value;
      const env = { ERPHOST_API_KEY: narrow };
      await refused(evidence, scene, site, "a narrow key", env, /servers:read/);

      say("an empty list");
      const snapshot = world.emulator.snapshot();
      for (const { id } of world.emulator.objects("server")) {
        world.emulator.removeObject("server", String(id));
      }
      const saved = await site.saveState();
      // One at a time, the first ones are judged before it can be seen that they are many.
      for (const parallel of [undefined, 1]) {
        const where = `an empty list, read ${parallel ?? "many"} at a time`;
        const before = Object.keys(await site.ids()).length;
        const { code, output } = await site.refresh(parallel);
        evidence.expect(code !== 0, () => `${where}: the refresh was not refused`);
        evidence.expect(
          /allow_?mass_?gone/i.test(output),
          () => `${where}: no way out is told\n      ${tail(output)}`,
        );
        const after = Object.keys(await site.ids()).length;
        forgotten = Math.max(forgotten, before - after);
        const most = parallel === undefined ? 0 : ONE_BY_ONE_MAX;
        evidence.expect(before - after <= most, () => `${where}: ${before - after} forgotten`);
        await site.restoreState(saved);
      }
      world.emulator.restore(snapshot);
      await settled(evidence, world, [site], { where: "after an empty list", count: SIZE });
    });
    const kept = forgotten === 0 ? "nothing" : `${forgotten} where read one by one, else nothing`;
    return { figure: `4 mistakes, each refused; forgotten: ${kept}`, failures: evidence.failures };
  },
};

export const accountClaims: readonly Claim[] = [claim];
