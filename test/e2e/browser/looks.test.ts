/** What the page looks like to everybody: no barrier, in no view. */
import { describe, expect, test } from "@jest/globals";
import { ask } from "../../support/ask";
import type { Emulator } from "../../../emulator";
import type { Look } from "../../harness/browser";
import { opened } from "./support";

const VIEWS = ["Overview", "Objects", "Keys", "Requests", "Webhooks", "Clock", "Faults"];

async function furnish(emulator: Emulator): Promise<void> {
  emulator.createObjects("server", [{ name: "main" }, { name: "old", status: "failed" }]);
  emulator.createObjects("instance", { name: "erp", server_id: "srv_1", version: "17.0" });
  emulator.createObjects("backup", { instance_id: "ins_1" });
  const members = [{ email: "a@example.com", role: "admin" }];
  emulator.createObjects("team", { name: "ops", members });
  emulator.setFaults([{ match: { path: "/teams" }, effect: "html-502" }]);
  const { id } = emulator.registerWebhook({ url: "http://127.0.0.1:9/hook" });
  emulator.testWebhook(id);
  await ask(emulator, "GET /servers");
  await ask(emulator, "GET /teams");
}

describe("looks", () => {
  test.each<Look>([
    { width: 1280, scheme: "light" },
    { width: 1280, scheme: "dark" },
    { width: 390, scheme: "light" },
    { width: 390, scheme: "dark" },
  ])(
    "no view has a barrier at %j, with something in it and without",
    async (look) => {
      const limits = [{ requests: 9, windowMs: 6e4 }];
      const { emulator, visit } = await opened("overview", { limits }, look);
      const found: string[] = [];
      for (const state of ["empty", "full"]) {
        if (state === "full") await furnish(emulator);
        for (const view of VIEWS) {
          await visit.click(view, "link");
          await visit.find(view, "heading");
          found.push(...(await visit.barriers()).map((each) => `${view}, ${state}: ${each}`));
        }
      }
      await visit.click("Add fault");
      found.push(...(await visit.barriers()));
      expect(found).toEqual([]);
      // A pipe of events and all answers: nothing that the policy or the browser refused.
      expect(visit.complaints).toEqual([]);
    },
    90_000,
  );
});
