/** Lookups by constructs, synthesised and run on the real engines. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { LocalBackend, TerraformOutput, TerraformStack, Testing } from "cdktf";
import { Backup, ErphostProvider, Instance, Server } from "../../../cdktf-bindings";
import { startEmulator, type Emulator } from "../../../emulator";
import { furnish } from "../../support/finding";
import {
  buildMirror,
  hasEngine,
  TerraformWorkspace,
  type EngineName,
} from "../../harness/terraform-workspace";
import { expectDone } from "../support/output";

function program(): string {
  const stack = new TerraformStack(Testing.app(), "erp");
  new LocalBackend(stack, { path: "terraform.tfstate" });
  new ErphostProvider(stack, "provider");
  const instance = Instance.fromLookup(stack, "erp", { name: "erp", version: "17.0" });
  const newest = Backup.fromLookup(stack, "newest", {
    instance,
    status: "completed",
    mostRecent: true,
  });
  const own = new Server(stack, "own").addInstance("own");
  const server = Server.fromServerId(stack, "first", "srv_1");
  const onFirst = Instance.lookupAll(stack, "on-first", { server, createdBefore: "2027-01-01" });
  const outputs = { newestId: newest.backupId, onFirst: onFirst.ids, ownId: own.instanceId };
  for (const [name, value] of Object.entries(outputs)) new TerraformOutput(stack, name, { value });
  return Testing.synth(stack, true);
}

describe.each<EngineName>(["tofu", "terraform"])("%s", (engine) => {
  const testWithEngine = hasEngine(engine) ? test : test.skip;
  let emulator: Emulator;
  let workspace: TerraformWorkspace;
  beforeAll(async () => {
    if (!hasEngine(engine)) return;
    buildMirror();
    emulator = await startEmulator({ provisionMs: 10 });
    furnish(emulator);
    const env = { ERPHOST_API_KEY: emulator.adminKey, ERPHOST_BASE_URL: emulator.baseUrl };
    workspace = await TerraformWorkspace.create({ engine, env }, "");
    workspace.write("cdk.tf.json", program());
    expectDone(await workspace.run("init"));
  });
  afterAll(async () => {
    if (!hasEngine(engine)) return;
    workspace.remove();
    await emulator.close();
  });

  testWithEngine("constructs find the newest backup and what is on a server", async () => {
    expectDone(await workspace.apply());
    const { stdout } = await workspace.run("output", "-json");
    expect(JSON.parse(stdout)).toMatchObject({
      newestId: { value: "bak_2" },
      onFirst: { value: ["ins_2", "ins_1"] },
    });
    expectDone(await workspace.plan());
  });
});
