/** CDKTF programs on the real engines: synth, init, plan, apply, an empty plan, edit, rename, destroy. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
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
interface Existing {
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

/** Every pattern, and a construct of every kind. */
class Company extends Construct {
  constructor(
    scope: Construct,
    id: string,
    existing: Existing,
    { version = "17.0", fleet }: Shape,
  ) {
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
      recipient: existing.recipient,
    }).output.overrideLogicalId("pipeline");
    new RotatedApiKey(this, "old", { key: ApiKey.fromApiKeyId(this, "made", existing.keyId) });
    new Server(this, "plain", { name: "plain" });
    new Team(this, "team", { name: "support" });
    Server.fromServerName(this, "elsewhere", "erp-elsewhere");
  }
}

function synth(existing: Existing, shape: Shape = {}): string {
  const stack = new TerraformStack(Testing.app(), "erp");
  new LocalBackend(stack, { path: "terraform.tfstate" });
  new ErphostProvider(stack, "provider");
  const { id = "production", was } = shape;
  const now = new Company(stack, id, existing, shape);
  if (was !== undefined) moveConstruct(new Company(stack, was, existing, shape), now);
  new Server(stack, "adopted").resource.importFrom(existing.serverId);
  return Testing.synth(stack, true);
}

describe.each<EngineName>(["tofu", "terraform"])("%s", (engine) => {
  const testWithEngine = hasEngine(engine) ? test : test.skip;
  let emulator: Emulator;
  let workspace: TerraformWorkspace;
  let identity: string;
  let existing: Existing;
  const write = (shape: Shape = {}): void => {
    workspace.write("cdk.tf.json", synth(existing, shape));
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
    existing = {
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

  testWithEngine(
    "applying a program creates and imports its objects, after which the plan is empty",
    async () => {
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
    },
  );

  testWithEngine(
    "a sealed key's secret can be decrypted by its recipient and is not in the state",
    async () => {
      const { stdout } = await workspace.run("output", "-raw", "pipeline");
      const decrypter = new Decrypter();
      decrypter.addIdentity(identity);
      const secret = await decrypter.decrypt(armor.decode(stdout), "text");
      const headers = { authorization: `Bearer ${secret}` };
      expect(await fetch(`${emulator.baseUrl}/servers`, { headers })).toMatchObject({
        status: 200,
      });
      expect(workspace.stateText()).not.toContain(secret);
    },
  );

  testWithEngine(
    "an upgrade takes a backup first, and a server can be removed from a fleet",
    async () => {
      const shape = { version: "18.0", fleet: ["a", "c"] };
      write(shape);
      expect((await actions()).sort()).toEqual([
        "backup delete",
        "instance update",
        "server delete",
      ]);
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
    },
  );

  testWithEngine("renaming a construct changes nothing in the plan or in the service", async () => {
    const shape = { version: "18.0", fleet: ["a", "c"], id: "main" };
    const before = everything();
    write({ ...shape, was: "production" });
    expect(await actions()).toEqual([]);
    await expectApplied();
    write(shape);
    await expectNothingToDo();
    expect(everything()).toEqual(before);
  });

  testWithEngine("destroying a program deletes what the service can delete", async () => {
    const { code, output } = await workspace.destroy();
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(emulator.counts()).toMatchObject({ server: 1, instance: 0, team: 2 });
  });
});
