/** CDKTF programs on the real engines: synth, init, plan, apply, nothing to do, edit, rename, destroy. */
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { armor, Decrypter, generateIdentity, identityToRecipient } from "age-encryption";
import { LocalBackend, TerraformStack, Testing } from "cdktf";
import { Construct } from "constructs";
import {
  ApiKey,
  BackedUpInstance,
  ErphostProvider,
  ErpInstallation,
  moveConstruct,
  RotatedApiKey,
  SealedApiKey,
  Server,
  ServerFleet,
  Team,
} from "../../../cdktf-bindings";
import { startEmulator, type Emulator } from "../../../emulator";
import {
  buildMirror,
  hasEngine,
  TerraformWorkspace,
  type EngineName,
} from "../../harness/terraform-workspace";

/** What exists before the program runs. */
interface Found {
  readonly recipient: string;
  readonly serverId: string;
  readonly keyId: string;
}

interface Shape {
  readonly version?: string;
  readonly fleet?: readonly string[];
  readonly id?: string;
  /** The id before. */
  readonly was?: string;
}

/** Every pattern, and L2 of every kind. */
class Company extends Construct {
  constructor(scope: Construct, id: string, found: Found, { version = "17.0", fleet }: Shape) {
    super(scope, id);
    const production = new ErpInstallation(this, "production", {
      name: "erp",
      version: "17.0",
      members: [{ email: "ada@example.com", role: "admin" }],
    });
    const { server } = production;
    new BackedUpInstance(this, "accounting", { name: "accounting", server, version });
    new ServerFleet(this, "fleet", {
      servers: fleet ?? ["a", "b", "c"],
      common: { properties: { region: "eu-central", tags: ["x"], size: 2 } },
    });
    new SealedApiKey(this, "pipeline", {
      permissions: ["servers:read"],
      recipient: found.recipient,
    }).output.overrideLogicalId("pipeline");
    new RotatedApiKey(this, "old", { key: ApiKey.fromApiKeyId(this, "made", found.keyId) });
    new Server(this, "plain", { name: "plain" });
    new Team(this, "team", { name: "support" });
    Server.fromServerName(this, "found", "erp-elsewhere");
  }
}

function synth(found: Found, shape: Shape = {}): string {
  const stack = new TerraformStack(Testing.app(), "erp");
  new LocalBackend(stack, { path: "terraform.tfstate" });
  new ErphostProvider(stack, "provider");
  const { id = "production", was } = shape;
  const now = new Company(stack, id, found, shape);
  if (was !== undefined) moveConstruct(new Company(stack, was, found, shape), now);
  new Server(stack, "adopted").resource.importFrom(found.serverId);
  return Testing.synth(stack, true);
}

describe.each<EngineName>(["tofu", "terraform"])("%s", (engine) => {
  const life = hasEngine(engine) ? it : it.skip;
  let emulator: Emulator;
  let workspace: TerraformWorkspace;
  let identity: string;
  let found: Found;
  const write = (shape: Shape = {}): void => {
    workspace.write("cdk.tf.json", synth(found, shape));
  };
  const actions = async () =>
    (await workspace.changes()).map(({ address, actions: [action], importing }) => {
      const [type = ""] = address.split(".");
      return `${type.replace("erphost_", "")} ${importing ? "import" : String(action)}`;
    });
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
    identity = await generateIdentity();
    emulator = await startEmulator({ provisionMs: 10 });
    const [adopted] = emulator.createObjects("server", [
      { name: "adopted" },
      { name: "erp-elsewhere" },
    ]);
    found = {
      recipient: await identityToRecipient(identity),
      serverId: String(adopted?.["id"]),
      keyId: emulator.createKey({ name: "dashboard", permissions: ["servers:read"] }).id,
    };
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

  life("creates what is declared, adopts what was there, and then has nothing to do", async () => {
    expect((await actions()).sort()).toEqual([
      "api_key create",
      "api_key_rotation create",
      ...["backup create", "backup create", "instance create", "instance create"],
      ...Array.from({ length: 5 }, () => "server create"),
      "server import",
      ...["team create", "team create"],
    ]);
    await expectApplied();
    await expectNothingToDo();
    expect(emulator.counts()).toMatchObject({ server: 7, instance: 2, backup: 2, team: 2 });
    expect(workspace.stateText()).toContain("erp/production/plain of default");
  });

  life("hands a secret to the owner of the recipient, and to nobody else", async () => {
    const { stdout } = await workspace.run("output", "-raw", "pipeline");
    const decrypter = new Decrypter();
    decrypter.addIdentity(identity);
    const secret = await decrypter.decrypt(armor.decode(stdout), "text");
    const headers = { authorization: `Bearer ${secret}` };
    expect(await fetch(`${emulator.baseUrl}/servers`, { headers })).toMatchObject({ status: 200 });
    expect(workspace.stateText()).not.toContain(secret);
  });

  life("upgrades with a backup first, and takes one out of a fleet", async () => {
    const shape = { version: "18.0", fleet: ["a", "c"] };
    write(shape);
    expect((await actions()).sort()).toEqual(["backup delete", "instance update", "server delete"]);
    emulator.clearJournal();
    await expectApplied();
    await expectNothingToDo();
    const upgrade = emulator
      .journal()
      .flatMap(({ operation }) =>
        operation === "backup.create" || operation === "instance.update" ? [operation] : [],
      );
    expect(upgrade).toEqual(["backup.create", "instance.update", "backup.create"]);
    const names = emulator.objects("server").map((each) => each["name"]);
    expect(names).not.toContain("b");
    expect(names).toEqual(expect.arrayContaining(["a", "c", "adopted"]));
  });

  life("renames constructs without any change, in the plan or in the service", async () => {
    const shape = { version: "18.0", fleet: ["a", "c"], id: "main" };
    const before = everything();
    write({ ...shape, was: "production" });
    expect(await actions()).toEqual([]);
    await expectApplied();
    write(shape);
    await expectNothingToDo();
    expect(everything()).toEqual(before);
  });

  life("destroys what can be destroyed", async () => {
    const { code, output } = await workspace.destroy();
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(emulator.counts()).toMatchObject({ server: 1, instance: 0, team: 2 });
  });
});
