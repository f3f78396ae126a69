/** Patterns whose promise only a real engine shows: what a later run plans, and in which order. */
import { afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { Aspects, LocalBackend, TerraformStack, Testing } from "cdktf";
import {
  BackupSchedule,
  ErphostProvider,
  MaxKeyAge,
  NoAdminKeys,
  RequireBackup,
  Server,
} from "../../../cdktf-bindings";
import { startEmulator, type Emulator } from "../../../emulator";
import {
  buildMirror,
  hasEngine,
  TerraformWorkspace,
  type EngineName,
} from "../../harness/terraform-workspace";

const DAY_MS = 86_400_000;

describe.each<EngineName>(["tofu", "terraform"])("%s", (engine) => {
  const testWithEngine = hasEngine(engine) ? test : test.skip;
  let emulator: Emulator;
  let workspace: TerraformWorkspace;

  const write = (build: (stack: TerraformStack) => void): void => {
    const stack = new TerraformStack(Testing.app(), "erp");
    new LocalBackend(stack, { path: "terraform.tfstate" });
    new ErphostProvider(stack, "provider");
    build(stack);
    workspace.write("cdk.tf.json", Testing.synth(stack, true));
  };
  const expectDone = async (...words: [string, ...string[]]): Promise<string> => {
    const { code, output } = await workspace.run(...words);
    if (code !== 0) throw new Error(`${words.join(" ")}\n${output}`);
    return output;
  };
  const apply = ["apply", "-auto-approve", "-input=false"] as const;

  beforeAll(() => {
    if (hasEngine(engine)) buildMirror();
  });
  beforeEach(async () => {
    if (!hasEngine(engine)) return;
    emulator = await startEmulator({ provisionMs: 10 });
    const env = { ERPHOST_API_KEY: emulator.adminKey, ERPHOST_BASE_URL: emulator.baseUrl };
    workspace = await TerraformWorkspace.create({ engine, env }, "");
  });
  afterEach(async () => {
    if (!hasEngine(engine)) return;
    workspace.remove();
    await emulator.close();
  });

  testWithEngine(
    "a schedule plans one backup per period, keeps the earlier one, and refuses a period gone by",
    async () => {
      const today = Date.now();
      const at = (days: number): void => {
        write((stack) => {
          const instance = new Server(stack, "web").addInstance("erp");
          const now = new Date(today + days * DAY_MS);
          new BackupSchedule(stack, "nightly", { instance, every: "1d", now });
          // Rules that the program keeps add nothing to its plan.
          Aspects.of(stack.node.root).add(new RequireBackup({ by: ["schedule"] }));
          Aspects.of(stack.node.root).add(new MaxKeyAge("90d"));
          Aspects.of(stack.node.root).add(new NoAdminKeys());
        });
      };
      at(0);
      await expectDone("init");
      await expectDone(...apply);
      expect((await workspace.plan()).code).toBe(0);
      const [first] = emulator.objects("backup");

      at(1);
      const planned = await workspace.plan();
      expect(planned.output).toMatch(/Backup bak_\d+ will be\s+retained/);
      expect(await workspace.changes()).toEqual([
        { address: "erphost_backup.nightly", actions: ["delete", "create"], importing: false },
      ]);
      await expectDone(...apply);
      expect((await workspace.plan()).code).toBe(0);
      expect(emulator.objects("backup")).toEqual([first, expect.anything()]);

      // The clock jumps back, or yesterday's synthesis is applied.
      at(-1);
      emulator.clearJournal();
      const refused = await workspace.apply();
      expect(refused).toMatchObject({ code: 1 });
      expect(refused.output.replace(/\s+│?\s*/g, " ")).toMatch(
        /erp\/nightly is for the period from .* but there is a backup from after it, so none is taken/i,
      );
      expect(emulator.journal().filter(({ method }) => method !== "GET")).toEqual([]);
      await expectDone("destroy", "-auto-approve", "-input=false");
    },
  );
});
