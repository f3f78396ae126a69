/** CDKTF programs on the real engines: synth, init, plan, apply, nothing to do, edit, rename, destroy. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { LocalBackend, TerraformStack, Testing } from "cdktf";
import { generateIdentity, identityToRecipient } from "age-encryption";
import {
  ErphostProvider,
  ErpInstallation,
  moveConstruct,
  SealedApiKey,
  Server,
  ServerFleet,
} from "../../../cdktf-bindings";
import { startEmulator, type Emulator } from "../../../emulator";
import {
  buildMirror,
  hasEngine,
  TerraformWorkspace,
  type EngineName,
} from "../../../scripts/support/terraform-workspace";

interface Shape {
  readonly version?: string;
  readonly id?: string;
  /** The id before. */
  readonly was?: string;
}

/** The program of a small company. */
function synth(
  recipient: string,
  { version = "17.0", id = "production", was }: Shape = {},
): string {
  const stack = new TerraformStack(Testing.app(), "erp");
  new LocalBackend(stack, { path: "terraform.tfstate" });
  new ErphostProvider(stack, "provider");
  const installation = (name: string): ErpInstallation =>
    new ErpInstallation(stack, name, {
      name: "erp",
      version,
      members: [{ email: "ada@example.com", role: "admin" }],
    });
  const now = installation(id);
  if (was !== undefined) moveConstruct(installation(was), now);
  new ServerFleet(stack, "fleet", {
    servers: ["a", "b"],
    common: { properties: { region: "eu-central", tags: ["x"], size: 2 } },
  });
  new SealedApiKey(stack, "pipeline", { permissions: ["servers:read"], recipient });
  Server.fromServerName(stack, "found", "erp-elsewhere").node.addDependency(now);
  return Testing.synth(stack, true);
}

describe.each<EngineName>(["tofu", "terraform"])("%s", (engine) => {
  const life = hasEngine(engine) ? it : it.skip;
  let emulator: Emulator;
  let workspace: TerraformWorkspace;
  let recipient: string;
  const write = (shape: Shape = {}): void => {
    workspace.write("cdk.tf.json", synth(recipient, shape));
  };
  const everything = () =>
    ["server", "instance", "backup", "team", "api_key"].map((kind) => emulator.objects(kind));
  const expectNothingToDo = async (): Promise<void> => {
    const { code, output } = await workspace.plan();
    if (code !== 0) throw new Error(output);
  };
  const expectApplied = async (): Promise<void> => {
    const { code, output } = await workspace.apply();
    if (code !== 0) throw new Error(output);
  };

  beforeAll(async () => {
    if (!hasEngine(engine)) return;
    buildMirror();
    recipient = await identityToRecipient(await generateIdentity());
    emulator = await startEmulator({ provisionMs: 10 });
    emulator.createObjects("server", [{ name: "erp-elsewhere" }]);
    const env = { ERPHOST_API_KEY: emulator.adminKey, ERPHOST_BASE_URL: emulator.baseUrl };
    workspace = await TerraformWorkspace.create({ engine, env }, "");
    write();
    const { code, output } = await workspace.run("init");
    if (code !== 0) throw new Error(output);
  });
  afterAll(async () => {
    if (!hasEngine(engine)) return;
    workspace.remove();
    await emulator.close();
  });

  life("creates what is declared, and then has nothing to do", async () => {
    expect(await workspace.changes()).toHaveLength(7);
    await expectApplied();
    await expectNothingToDo();
    expect(emulator.counts()).toMatchObject({ server: 4, instance: 1, backup: 1, team: 1 });
    expect(workspace.stateText()).toContain("erp/production/Server of default");
    expect(workspace.stateText()).toContain("BEGIN AGE ENCRYPTED FILE");
  });

  life("edits in place, with a backup before", async () => {
    write({ version: "18.0" });
    const changes = await workspace.changes();
    expect(changes.map(({ actions }) => actions)).toEqual([["update"]]);
    await expectApplied();
    await expectNothingToDo();
    expect(emulator.counts()).toMatchObject({ instance: 1, backup: 2 });
  });

  life("renames a construct without any change, in the plan or in the service", async () => {
    const before = everything();
    write({ version: "18.0", id: "main", was: "production" });
    expect(await workspace.changes()).toEqual([]);
    await expectApplied();
    write({ version: "18.0", id: "main" });
    await expectNothingToDo();
    expect(everything()).toEqual(before);
  });

  life("destroys what can be destroyed", async () => {
    const { code, output } = await workspace.destroy();
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(emulator.counts()).toMatchObject({ server: 1, instance: 0, team: 1 });
  });
});
