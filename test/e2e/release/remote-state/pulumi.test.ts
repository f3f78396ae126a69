/** A run of Pulumi is killed with its machine, and the backend is all that is left of it. */
import { describe, expect, test } from "@jest/globals";
import { assertNothingOfRun } from "../../../harness/command";
import { openStack } from "../../pulumi/stack";
import { guide } from "../../support/guide";
import { opened, openedEmulator } from "../../support/opened";
import { expectDone, unwrapped } from "../../support/output";
import { idsOf, isAccepted, killedUnanswered } from "../../support/remote/killed";
import { stores } from "../../support/remote/stores";

const CANARY = "canary-8b2e-secret";
const SERVERS = ["server-0", "server-1", "server-2"];

const PROGRAM = `import * as erphost from "erphost/pulumi";
for (const name of ${JSON.stringify(SERVERS)})
  new erphost.Server(name, { name, secretProperties: { password: "${CANARY}" } });
const key = new erphost.ApiKey("robot", { name: "robot", permissions: ["servers:read"] });
export const value = key.value;
`;

// With the plugin, the pipelines' tests kill a run and continue it on another machine.
const { isThere, start } = stores.PostgreSQL;
(isThere ? describe : describe.skip)(
  "state in PostgreSQL, with dynamic resources of Pulumi:",
  () => {
    test("what a killed run made is continued on another machine, once its lock is gone, to the same ids and secrets", async () => {
      const emulator = await openedEmulator();
      const place = await opened(await start()).place("states-pulumi");
      const env = { ...place.pulumi, ERPHOST_SCOPE: "acme/dev" };
      /** A machine without a past: another home, another folder, the same backend. */
      const machine = async (settings?: string, more: Record<string, string> = {}) => {
        const options = { env: { ...env, ...more }, ...(settings !== undefined && { settings }) };
        const stack = opened(await openStack("one", emulator, options));
        stack.write("index.ts", PROGRAM);
        return stack;
      };
      const ids = () => idsOf(emulator).sort();
      const first = await machine();
      const settings = first.settingsText();
      const made = await killedUnanswered(emulator, 4, () =>
        first.start(["up", "--yes", "--skip-preview"]),
      );
      first.remove();

      const second = await machine(settings);
      const locked = await second.up();
      expect(locked.code).not.toBe(0);
      expect(unwrapped(locked.output)).toContain("the stack is currently locked by 1 lock(s)");
      expect(guide("pipelines")).toContain("`pulumi cancel --yes`");
      const [scheme = ""] = /^\w+:/.exec(place.pulumi["PULUMI_BACKEND_URL"] ?? "") ?? [];
      expect(guide("pipelines")).toContain(`export PULUMI_BACKEND_URL='${scheme}//`);
      expectDone(await second.run("cancel", "--yes"));
      const asked = await second.up();
      expect(asked.code).not.toBe(0);
      expect(unwrapped(asked.output)).toMatch(/set ERPHOST_RESUME .*unset erphost:scope/);
      expect(ids()).toEqual(made);

      const third = await machine(settings, { ERPHOST_RESUME: "true" });
      expectDone(await third.up());
      expect(ids()).toEqual(made);
      const { value } = await third.outputs();
      expect(await isAccepted(emulator, value)).toBe(true);
      expectDone(await third.preview("--expect-no-changes"));

      const kept = await place.content();
      assertNothingOfRun(kept, {});
      const shown = [String(made[0]), CANARY, String(value), emulator.adminKey];
      expect(shown.filter((text) => kept.includes(text))).toEqual([made[0]]);
    });
  },
);
