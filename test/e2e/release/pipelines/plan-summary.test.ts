/**
 * What a summary says of a plan of a real engine, held against what its apply does to the service.
 * test/cli/plan-summary.test.ts finds the same calls in the recorded plan of each other engine.
 */
import { expect, test } from "@jest/globals";
import { summarySchema } from "../../../../cli/plan-summary/schema";
import { erphost } from "../../../cli/support";
import { hasEngine } from "../../../harness/terraform-workspace";
import { terraformPlanner } from "../../../plans/engines";
import { everything, SECRETS } from "../../../plans/scenario";
import { opened, openedEmulator } from "../../support/opened";

const engine = (["tofu", "terraform"] as const).find(hasEngine);

(engine ? test : test.skip)(
  "a summary counts the calls that the apply makes, names what happens, and holds no secret",
  async () => {
    if (!engine) return;
    const emulator = await openedEmulator();
    const here = opened(await terraformPlanner(engine, emulator));
    const { id, value } = emulator.createKey({ permissions: ["servers:read"] });
    await here.apply(everything.before(id));
    everything.meanwhile(emulator);
    const plan = await here.plan(everything.after(id));
    const summarise = (format: string) =>
      erphost(["plan-summary", "plan", "--check-key", "--format", format], {
        env: { ERPHOST_API_KEY: emulator.adminKey, ERPHOST_BASE_URL: emulator.baseUrl },
        readFile: () => plan,
      });
    const [json, markdown] = [await summarise("json"), await summarise("markdown")];
    const { calls, plans, key } = summarySchema.parse(JSON.parse(json.out.join("")));
    expect(key?.missingScopes).toEqual([]);
    expect(plans[0]?.drift.map(({ what }) => what).toSorted()).toEqual(["changed", "gone"]);
    for (const secret of [...Object.values(SECRETS), value, emulator.adminKey]) {
      expect([...json.out, ...markdown.out].join("\n")).not.toContain(secret);
    }
    emulator.clearJournal();
    await here.apply(everything.after(id));
    const made = emulator.journal().map(({ method }) => method);
    expect(made.filter((method) => method !== "GET")).toHaveLength(calls.writes);
    expect(made.filter((method) => method === "GET").length).toBeGreaterThanOrEqual(1);
    expect(markdown.out.join("\n")).toContain("#### Rotated");
  },
);
