/** Data sources that select, on the real engines: what the guide shows, and what plans refuse. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import { furnish } from "../../support/finding";
import {
  buildMirror,
  hasEngine,
  HEADER,
  ONE_ENGINE,
  TerraformWorkspace,
  type EngineName,
} from "../../harness/terraform-workspace";
import { expectDone, unwrapped } from "../support/output";

const guide = readFileSync(join(__dirname, "../../../docs/guides/finding.md"), "utf8");
const shown = /^```terraform\n([^]*?)^```$/m.exec(guide)?.[1] ?? "";

/** A backup that is looked up by an instance of the same program. */
const own = `
resource "erphost_server" "web" {
  name = "own"
}
resource "erphost_instance" "own" {
  name      = "own"
  server_id = erphost_server.web.id
}
resource "erphost_backup" "own" {
  instance_id = erphost_instance.own.id
}
data "erphost_backup" "own" {
  instance_id   = erphost_instance.own.id
  created_after = erphost_instance.own.created_at
  most_recent   = true
  depends_on    = [erphost_backup.own]
}
output "own" {
  value = data.erphost_backup.own.id == erphost_backup.own.id
}
`;

describe.each<EngineName>(["tofu", "terraform"])("%s", (engine) => {
  const testWithEngine = hasEngine(engine) ? test : test.skip;
  const testOnOneEngine = engine === ONE_ENGINE ? testWithEngine : undefined;
  let emulator: Emulator;
  let workspace: TerraformWorkspace;

  beforeAll(async () => {
    if (!hasEngine(engine)) return;
    buildMirror();
    emulator = await startEmulator({ provisionMs: 10 });
    furnish(emulator);
    const env = { ERPHOST_API_KEY: emulator.adminKey, ERPHOST_BASE_URL: emulator.baseUrl };
    workspace = await TerraformWorkspace.create({ engine, env }, `${HEADER}${shown}`);
  });
  afterAll(async () => {
    if (!hasEngine(engine)) return;
    workspace.remove();
    await emulator.close();
  });

  const outputs = async (): Promise<Readonly<Record<string, unknown>>> => {
    const { stdout } = await workspace.run("output", "-json");
    // As the engines document it.
    const all = JSON.parse(stdout) as Record<string, { value: unknown }>;
    return Object.fromEntries(Object.entries(all).map(([name, { value }]) => [name, value]));
  };

  testOnOneEngine?.(
    "the guide's data sources find the newest completed backup, and the newest of all",
    async () => {
      expectDone(await workspace.apply());
      expect(await outputs()).toEqual({
        restore_from: "bak_2",
        recent: ["bak_5", "bak_4", "bak_3", "bak_2"],
      });
    },
  );

  testWithEngine(
    "a lookup by what the run creates is read during the apply, and plans nothing afterwards",
    async () => {
      workspace.write("main.tf", `${HEADER}${own}`);
      expectDone(await workspace.apply());
      expect(await outputs()).toMatchObject({ own: true });
      expectDone(await workspace.plan());
    },
  );

  testOnOneEngine?.("a time that is none is refused in the plan, before any call", async () => {
    workspace.write(
      "main.tf",
      `${HEADER}data "erphost_backups" "all" {\n  created_before = "31.1.2026"\n}\n`,
    );
    emulator.clearJournal();
    const { code, output } = await workspace.plan();
    expect(code).toBe(1);
    expect(unwrapped(output)).toContain(
      "created_before must be an ISO 8601 timestamp or date, such as 2026-01-31",
    );
    expect(emulator.journal()).toEqual([]);
  });

  testOnOneEngine?.("several matches are an error at the argument, with their ids", async () => {
    workspace.write(
      "main.tf",
      `${HEADER}data "erphost_backup" "one" {\n  instance_id = "ins_1"\n}\n`,
    );
    const { code, output } = await workspace.plan();
    expect(code).toBe(1);
    expect(unwrapped(output)).toContain('3 backups match instance_id "ins_1": bak_3, bak_2, bak_1');
    expect(output).toMatch(/on main\.tf line \d+, in data "erphost_backup" "one"/);
  });
});
