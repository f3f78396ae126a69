/** Stages on the real engines: two accounts in one stack, and a key with exactly the scopes that it needs. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { LocalBackend, TerraformOutput, Testing, type TerraformStack } from "cdktf";
import {
  ApiKey,
  deployKeyFor,
  ErphostStack,
  ErphostStage,
  l1,
  RotatedApiKey,
  scopesFor,
  Server,
  Team,
  type Scope,
} from "../../../cdktf-bindings";
import { startEmulator, type Emulator } from "../../../emulator";
import type { CommandResult } from "../../harness/command";
import {
  buildMirror,
  hasEngine,
  ONE_ENGINE,
  TerraformWorkspace,
  type EngineName,
} from "../../harness/terraform-workspace";

interface Accounts {
  readonly main: Emulator;
  readonly eu: Emulator;
  /** Id of a key that was made in the dashboard. */
  readonly made: string;
}

/** An environment with every kind of object and lookup, and the stack of its keys. */
function environment({ main, eu, made }: Accounts, release = "17.0", name = "live") {
  const stage = new ErphostStage(Testing.app(), name, {
    namePrefix: "live-",
    account: { baseUrl: main.baseUrl, apiKeyVariable: "live_key" },
    accounts: { eu: { baseUrl: eu.baseUrl, apiKeyVariable: "eu_key" } },
    backend: (stack) => new LocalBackend(stack, { path: "terraform.tfstate" }),
  });
  const erp = new ErphostStack(stage, "erp");
  const keys = new ErphostStack(stage, "keys");
  const options = { provider: erp.provider };
  for (const purpose of ["plan", "apply"] as const) {
    const props = deployKeyFor(erp, { ...options, for: purpose });
    const { value } = new ApiKey(keys, purpose, props);
    new TerraformOutput(keys, `${purpose}-key`, { value, sensitive: true }).overrideLogicalId(
      purpose,
    );
  }
  const server = new Server(erp, "web", { properties: { release } });
  server.addInstance("erp", { version: release }).addBackup("first", { triggers: { release } });
  new Server(erp, "spare");
  new Server(erp, "eu-web", { provider: erp.account("eu") });
  new Team(erp, "team", { members: [{ email: "ada@example.com", role: release }] });
  new ApiKey(erp, "key", { permissions: ["servers:read"], notificationEmail: `a${release}@b.com` });
  new RotatedApiKey(erp, "rotation", { key: ApiKey.fromApiKeyId(erp, "made", made) });
  Server.fromServerName(erp, "elsewhere", "erp-elsewhere");
  new l1.dataErphostInvoices.DataErphostInvoices(erp, "invoices");
  new l1.dataErphostCloudProviders.DataErphostCloudProviders(erp, "clouds");
  return { erp, keys, needed: scopesFor(erp, options) };
}

const program = (stack: TerraformStack): string => Testing.synth(stack, true);

describe.each<EngineName>(["tofu", "terraform"])("%s", (engine) => {
  const testWithEngine = hasEngine(engine) ? test : test.skip;
  let accounts: Accounts;
  let workspace: TerraformWorkspace;
  let keys: TerraformWorkspace;
  const secrets: Record<string, string> = {};

  const run = (key: string, ...words: [string, ...string[]]): Promise<CommandResult> => {
    const variables = { TF_VAR_live_key: key, TF_VAR_eu_key: accounts.eu.adminKey };
    return workspace.start([...words], variables).finished;
  };
  const expectCode = async (code: number, result: Promise<CommandResult>): Promise<void> => {
    const { code: found, output } = await result;
    if (found !== code) throw new Error(`exited with ${String(found)}:\n${output}`);
  };
  const secret = (name: string): string => secrets[name] ?? "";
  const plan = ["plan", "-input=false", "-detailed-exitcode"] as const;
  const apply = ["apply", "-auto-approve", "-input=false"] as const;
  const destroy = ["destroy", "-auto-approve", "-input=false"] as const;

  beforeAll(async () => {
    if (!hasEngine(engine)) return;
    buildMirror();
    const main = await startEmulator({ provisionMs: 10 });
    const eu = await startEmulator({ provisionMs: 10 });
    main.createObjects("server", [{ name: "erp-elsewhere" }]);
    const { id: made } = main.createKey({ name: "dashboard", permissions: ["servers:read"] });
    accounts = { main, eu, made };
    const env = { TF_VAR_live_key: main.adminKey };
    workspace = await TerraformWorkspace.create({ engine, env: {} }, "");
    keys = await TerraformWorkspace.create({ engine, env }, "");
    const { erp, keys: stackOfKeys } = environment(accounts);
    workspace.write("cdk.tf.json", program(erp));
    keys.write("cdk.tf.json", program(stackOfKeys));
    await expectCode(0, workspace.run("init"));
    await expectCode(0, keys.run("init"));
    await expectCode(0, keys.apply());
    for (const name of ["plan", "apply"]) {
      secrets[name] = (await keys.run("output", "-raw", name)).stdout;
    }
  });
  afterAll(async () => {
    if (!hasEngine(engine)) return;
    workspace.remove();
    keys.remove();
    await Promise.all([accounts.main.close(), accounts.eu.close()]);
  });

  testWithEngine(
    "a key with the computed scopes applies the stack, one for planning plans it, and each account has its own objects",
    async () => {
      await expectCode(2, run(secret("plan"), ...plan));
      await expectCode(0, run(secret("apply"), ...apply));
      await expectCode(0, run(secret("plan"), ...plan));
      const names = ({ main, eu }: Accounts) =>
        [main, eu].map((each) => each.objects("server").map(({ name }) => name));
      expect(names(accounts)).toEqual([
        expect.arrayContaining(["live-web", "live-spare", "erp-elsewhere"]),
        ["live-eu-web"],
      ]);
      expect(workspace.stateText()).toContain("live-erp/web of default");
      const { code, output } = await run(secret("plan"), ...apply, "-replace=erphost_server.spare");
      expect([code, output]).toEqual([1, expect.stringMatching(/servers:(?:write|delete)/)]);
    },
  );

  testWithEngine(
    "a stage with another name plans nothing on the state of the first, if names keep their prefix",
    async () => {
      workspace.write("cdk.tf.json", program(environment(accounts, "17.0", "production").erp));
      await expectCode(0, run(secret("apply"), ...plan));
      workspace.write("cdk.tf.json", program(environment(accounts).erp));
    },
  );

  testWithEngine("a key that is not given is never the key of the environment", async () => {
    const variables = { TF_VAR_live_key: secret("apply"), ERPHOST_API_KEY: accounts.eu.adminKey };
    const blank = workspace.start([...plan], { ...variables, TF_VAR_eu_key: "" }).finished;
    expect((await blank).output).toMatch(/api_key is empty/);
    workspace.write("none.auto.tfvars", "eu_key = null\n");
    const none = workspace.start([...plan], variables).finished;
    expect((await none).output).toMatch(/Required variable not set/);
    workspace.write("none.auto.tfvars", "");
  });

  const testOnOneEngine = engine === ONE_ENGINE ? testWithEngine : undefined;

  // These are about what the provider is given, which is the same from both engines.
  testOnOneEngine?.(
    "a key that HCL or an unrotated key leaves empty is never the key of the environment",
    async () => {
      const variables = { TF_VAR_live_key: secret("apply"), ERPHOST_API_KEY: accounts.eu.adminKey };
      // In HCL the library does not write that the variable must not be null.
      const { erp } = environment(accounts);
      workspace.write("none.auto.tfvars", "eu_key = null\n");
      workspace.write("cdk.tf.json", "{}");
      workspace.write("main.tf", String(Testing.synthHcl(erp, true)));
      accounts.eu.clearJournal();
      const asHcl = workspace.start([...plan], variables).finished;
      expect((await asHcl).output).toMatch(/api_key is empty/);
      expect(accounts.eu.journal()).toEqual([]);
      workspace.write("none.auto.tfvars", "");
      await expectCode(0, run(secret("apply"), ...plan));
      workspace.write("main.tf", "");

      // The value of a rotation that has not run yet.
      const { erp: later } = environment(accounts);
      const { id } = accounts.main.createKey({ name: "later", permissions: ["servers:read"] });
      const key = ApiKey.fromApiKeyId(later, "unrotated", id);
      const rotation = new RotatedApiKey(later, "later", { key, rotateOnCreate: false });
      later.account("eu").apiKey = rotation.value;
      workspace.write("cdk.tf.json", program(later));
      accounts.eu.clearJournal();
      const given = { ...variables, TF_VAR_eu_key: "unused" };
      const address = "erphost_api_key_rotation.later";
      await expectCode(0, workspace.start([...apply, `-target=${address}`], given).finished);
      expect((await workspace.start([...plan], given).finished).output).toMatch(/api_key is empty/);
      await expectCode(0, workspace.run("state", "rm", address));
      expect(accounts.eu.journal()).toEqual([]);
      workspace.write("cdk.tf.json", program(erp));
    },
  );

  /**
   * What fails without a scope, with the program as it was applied or with another release. Scopes for
   * objects that do not depend on each other are missing in the same run.
   */
  const decisive: readonly (readonly [scopes: readonly Scope[], ...words: string[]])[] = [
    [["servers:read"], ...plan],
    [["instances:read"], ...plan],
    [["backups:read"], ...plan],
    [["teams:read", "api-keys:read", "billing:read", "providers:read"], ...plan],
    [["servers:write"], ...apply, "-target=erphost_server.web"],
    [["instances:write"], ...apply, "-target=erphost_server.web", "-target=INSTANCE"],
    [["backups:write"], ...apply, "-target=INSTANCE"],
    [
      ["teams:write", "api-keys:write"],
      ...[...apply, "-target=erphost_team.team", "-target=erphost_api_key.key"],
    ],
    [
      ["servers:delete", "api-keys:delete"],
      ...[...destroy, "-target=erphost_server.spare", "-target=erphost_api_key.key"],
    ],
    [["instances:delete"], ...destroy, "-target=INSTANCE"],
  ];

  // What a scope is for is the provider's doing, whatever the engine.
  testOnOneEngine?.(
    "each of the computed scopes is needed: without it a plan, an apply or a destroy is refused",
    async () => {
      const { erp, needed } = environment(accounts, "18.0");
      expect(decisive.flatMap(([scopes]) => scopes).toSorted()).toEqual([...needed].toSorted());
      workspace.write("cdk.tf.json", program(erp));
      const instance = Object.keys(await workspace.state()).find((address) =>
        address.startsWith("erphost_instance."),
      );
      for (const [missing, command = "", ...rest] of decisive) {
        const permissions = needed.filter((scope: Scope) => !missing.includes(scope));
        const { value } = accounts.main.createKey({ permissions });
        const args = rest.map((word) => word.replace("INSTANCE", String(instance)));
        const { code, output } = await run(value, command, ...args);
        const errors = output.split(/(?=Error: |Warning: )/).filter((each) => /^Error/.test(each));
        const named = missing.filter((scope) => errors.some((each) => each.includes(scope)));
        expect({ missing, code, named }).toEqual({ missing, code: 1, named: missing });
      }
    },
  );

  testWithEngine("a key with the computed scopes upgrades and destroys the stack", async () => {
    const { erp } = environment(accounts, "18.0");
    workspace.write("cdk.tf.json", program(erp));
    await expectCode(0, run(secret("apply"), ...apply));
    await expectCode(0, run(secret("apply"), ...destroy));
    const { main, eu } = accounts;
    expect([main, eu].map((each) => each.counts()["server"])).toEqual([1, 0]);
    expect(main.counts()["instance"]).toBe(0);
  });
});
