/** No secret is written in plain text where it must not be. */
import { expect } from "@jest/globals";
import { randomBytes } from "node:crypto";
import { appendFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { findTexts } from "../../e2e/support/output";
import { up, type Declared, type Site } from "../faces/face";
import { afterStop, crash, expectHit, stopUp } from "../kill";
import { answerLost } from "../moments";
import { expectSuccess } from "../support/expectations";
import { intentsIn, type Scene } from "../support/scene";
import type { Claim } from "../trial";

const serverWith = (password: string): Declared => ({
  kind: "server",
  name: "server",
  args: { name: "server", secret_properties: { password } },
});
const key: Declared = {
  kind: "api_key",
  name: "key",
  args: { name: "key", permissions: ["servers:read"] },
};

/** Secret properties, issued keys and the key in use. */
export const noSecretWritten: Claim = {
  name: "no secret is in a log, error, state or intent of runs that were killed or failed",
  group: "secrets",
  run: (trial) => trial.scene({}, play),
};

async function play(scene: Scene): Promise<string> {
  const { emulator, line } = scene;
  const canary = `canary-${randomBytes(12).toString("hex")}`;
  const secrets = () => [canary, emulator.adminKey, ...line.issuedKeys];
  const site = await scene.open([serverWith(canary), key]);
  let searches = 0;
  const expectNoSecret = (step: string): void => {
    searches += 1;
    const files = findTexts(site.secretFreePaths, secrets()).map(({ file }) => file);
    expect({ step, files }).toEqual({ step, files: [] });
  };
  const log = site.logAll?.();
  const everything = { moment: answerLost, size: 1 };
  expectHit(await stopUp(scene, site, everything));
  await scene.calm();
  expect(intentsIn(site.intentsFolder)).not.toEqual([]);
  expectNoSecret("everything killed");
  await afterStop(scene, site, everything);
  emulator.clearJournal();
  await crash(scene, site, { moment: answerLost, stop: "provider" });
  expectNoSecret("the provider killed");
  scene.fault({ method: "POST" }, { type: "status", status: 422, message: "no" });
  await up(site);
  expectNoSecret("a create refused");
  emulator.setFaults([]);
  expectSuccess("the last up", await up(site));
  await site.refresh();
  expectNoSecret("done");
  const issued = line.issuedKeys.length;
  expect(issued).toBeGreaterThanOrEqual(1);
  if (log !== undefined) expect(statSync(log).size).toBeGreaterThan(0);
  expectSearchFinds(site, secrets());
  return `${searches} searches for ${issued} new keys and 2 more secrets, all found when planted`;
}

/** The search itself finds what is planted. */
function expectSearchFinds({ secretFreePaths }: Site, secrets: readonly string[]): void {
  for (const path of secretFreePaths) {
    appendFileSync(statSync(path).isFile() ? path : join(path, "planted.txt"), secrets.join("…"));
  }
  expect(findTexts(secretFreePaths, secrets)).toHaveLength(secrets.length * secretFreePaths.length);
}
