/** No secret lies in plain text where it must not. */
import { randomBytes } from "node:crypto";
import { appendFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { findTexts } from "../../e2e/support/files";
import { up, type Declared } from "../faces/face";
import { onScene } from "../support/scene";
import { ended } from "../support/settled";
import { intentsIn } from "../support/world";
import { Evidence, type Claim } from "./claim";
import { killedAt, struck } from "./killed";
import { momentNamed } from "./moments";

const claim: Claim = {
  name: "secrets in all that was written",
  group: "secrets",
  says: "Secret properties, keys and the key in use are in no log, error, state or intent of a run that was killed, failed and went on.",
  run: async ({ face }) => {
    const evidence = new Evidence();
    let count = 0;
    let told = 0;
    await onScene(face, {}, async ({ world, open }) => {
      const canary = `canary-${randomBytes(12).toString("hex")}`;
      const site = await open();
      const server: Declared = {
        kind: "server",
        name: "server",
        args: { name: "server", secret_properties: { password: canary } },
      };
      const key: Declared = {
        kind: "api_key",
        name: "key",
        args: { name: "key", permissions: ["servers:read"] },
      };
      const objects = face.cannot.keys === undefined ? [server, key] : [server];
      site.declare(objects);
      const secrets = () => [canary, world.emulator.adminKey, ...world.line.toldKeys()];
      const search = (where: string): void => {
        const found = findTexts(site.mayHoldNoSecret, secrets());
        count += 1;
        evidence.expect(found.length === 0, () =>
          found.map(({ file }) => `${where}: a secret is in ${file}`).join("\n"),
        );
      };
      const lost = momentNamed("done, answer lost");
      const log = site.logAll?.();
      struck(evidence, "the first up", await killedAt(world, site, lost));
      await world.calm();
      const intents = intentsIn(site.intentsFolder).length;
      evidence.expect(intents > 0, () => "there is no intent to be searched");
      search("killed");
      await site.unlock();
      if (face.cannot["kill-provider"] === undefined) {
        world.emulator.clearJournal();
        const victim = { victim: "provider" } as const;
        struck(evidence, "the second up", await killedAt(world, site, lost, victim));
        search("the provider killed");
      }
      world.emulator.setFaults([
        { match: { method: "POST" }, effect: { type: "status", status: 422, message: "no" } },
      ]);
      await up(site);
      search("refused");
      world.emulator.setFaults([]);
      ended(evidence, "the last up", await up(site));
      await site.refresh();
      search("done");
      told = world.line.toldKeys().length;
      const keys = objects.length - 1;
      evidence.expect(told >= keys, () => `${told} key values were told, ${keys} are declared`);
      const traced = log === undefined || statSync(log).size > 0;
      evidence.expect(traced, () => `nothing was logged to ${log}`);
      // The search itself finds what is planted.
      const all = secrets();
      for (const place of site.mayHoldNoSecret) {
        const file = statSync(place).isFile() ? place : join(place, "planted.txt");
        appendFileSync(file, all.join("…"));
      }
      const planted = findTexts(site.mayHoldNoSecret, all).length;
      const wanted = all.length * site.mayHoldNoSecret.length;
      evidence.expect(planted === wanted, () => `the search found ${planted} of ${wanted} planted`);
    });
    return {
      figure: `${count} searches for ${told} new keys and 2 more, all planted and found`,
      failures: evidence.failures,
    };
  },
};

export const secretClaims: readonly Claim[] = [claim];
