/** A run of Pulumi is killed with its machine, and the backend is all that is left of it. */
import { describe, expect, test } from "@jest/globals";
import { isAccepted } from "../../../support/ask";
import { assertNothingOfRun } from "../../../harness/command";
import { openStack } from "../../pulumi/stack";
import { guide } from "../../support/guide";
import { opened, openedEmulator } from "../../support/opened";
import { expectDone, refusal } from "../../support/output";
import { idsOf, killedUnanswered } from "../../support/remote/killed";
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
      const stack = opened(await openStack("one", emulator, { env }));
      /** A machine without a past, but for the same backend. */
      const elsewhere = (): void => {
        stack.moveOn();
        stack.write("index.ts", PROGRAM);
      };
      const ids = () => idsOf(emulator).sort();
      stack.write("index.ts", PROGRAM);
      const made = await killedUnanswered(emulator, 4, () =>
        stack.start(["up", "--yes", "--skip-preview"]),
      );

      elsewhere();
      expect(refusal(await stack.up())).toContain("the stack is currently locked by 1 lock(s)");
      expect(guide("pipelines")).toContain("`pulumi cancel --yes`");
      const [scheme = ""] = /^\w+:/.exec(place.pulumi["PULUMI_BACKEND_URL"] ?? "") ?? [];
      expect(guide("pipelines")).toContain(`export PULUMI_BACKEND_URL='${scheme}//`);
      expectDone(await stack.run("cancel", "--yes"));
      expect(refusal(await stack.up())).toMatch(/set ERPHOST_RESUME .*unset erphost:scope/);
      expect(ids()).toEqual(made);

      elsewhere();
      stack.env["ERPHOST_RESUME"] = "true";
      expectDone(await stack.up());
      expect(ids()).toEqual(made);
      const { value } = await stack.outputs();
      expect(await isAccepted(emulator, value)).toBe(true);
      expectDone(await stack.preview("--expect-no-changes"));

      const kept = await place.content();
      assertNothingOfRun(kept, {});
      const shown = [String(made[0]), CANARY, String(value), emulator.adminKey];
      expect(shown.filter((text) => kept.includes(text))).toEqual([made[0]]);
    });
  },
);
