/** Keys with exactly the scopes that a stack needs. */
import { describe, expect, test } from "@jest/globals";
import { Aspects, type TerraformStack, TerraformVariable, Testing, type IResolvable } from "cdktf";
import {
  ApiKey,
  BackedUpInstance,
  Backup,
  deployKeyFor,
  ErphostStack,
  ErphostStage,
  Instance,
  l1,
  moveConstruct,
  ProtectFromDeletion,
  RotatedApiKey,
  scopesFor,
  SealedApiKey,
  Server,
  Team,
} from "../../cdktf-bindings";
import { newStack, only, RECIPIENT, synth } from "./support/stack";

const hosted = (stack: TerraformStack) => Server.fromServerId(stack, "hosted", "srv_1");

describe("the scopes that a stack needs", () => {
  type Build = (stack: TerraformStack) => unknown;
  const SERVER = ["servers:read", "servers:write", "servers:delete"];
  const INSTANCE = ["instances:read", "instances:write", "instances:delete"];
  const BACKUP = ["backups:read", "backups:write"];
  const KEY = ["api-keys:read", "api-keys:write", "api-keys:delete"];
  const cases: Readonly<Record<string, readonly [Build, string[], string[]]>> = {
    "a server": [(stack) => new Server(stack, "it"), SERVER, ["servers:read"]],
    "a generated one": [
      (stack) => new l1.server.Server(stack, "it", { name: "it" }),
      SERVER,
      ["servers:read"],
    ],
    "a server that is protected from deletion": [
      (stack) => new Server(stack, "it", { deletionProtection: true }),
      ["servers:read", "servers:write"],
      ["servers:read"],
    ],
    "a server whose protection is known only later": [
      (stack) =>
        new Server(stack, "it", {
          deletionProtection: new TerraformVariable(stack, "safe", { type: "bool" }).booleanValue,
        }),
      SERVER,
      ["servers:read"],
    ],
    "one protected server and another": [
      (stack) => [
        new Server(stack, "it", { deletionProtection: true }),
        new Server(stack, "other"),
      ],
      SERVER,
      ["servers:read"],
    ],
    "an instance without a version, on a server that is known by its id": [
      (stack) => new Instance(stack, "it", { server: hosted(stack) }),
      INSTANCE,
      ["instances:read"],
    ],
    "an instance that is backed up before an upgrade": [
      (stack) => new Instance(stack, "it", { server: hosted(stack), version: "17.0" }),
      [...INSTANCE, ...BACKUP],
      ["instances:read"],
    ],
    "an instance that may be backed up, as a variable says": [
      (stack) =>
        new Instance(stack, "it", {
          server: hosted(stack),
          version: "17.0",
          backupBeforeUpgrade: new TerraformVariable(stack, "safe", { type: "bool" }).booleanValue,
        }),
      [...INSTANCE, ...BACKUP],
      ["instances:read"],
    ],
    "an instance that is never backed up": [
      (stack) =>
        new Instance(stack, "it", {
          server: hosted(stack),
          version: "17.0",
          backupBeforeUpgrade: false,
        }),
      INSTANCE,
      ["instances:read"],
    ],
    "a backed-up instance": [
      (stack) => new BackedUpInstance(stack, "it", { server: hosted(stack), version: "17.0" }),
      [...INSTANCE, ...BACKUP],
      ["instances:read", "backups:read"],
    ],
    "a backup, which the service cannot delete": [
      (stack) => new Backup(stack, "it", { server: hosted(stack) }),
      BACKUP,
      ["backups:read"],
    ],
    "a team, which the service cannot delete": [
      (stack) => new Team(stack, "it"),
      ["teams:read", "teams:write"],
      ["teams:read"],
    ],
    "a key": [
      (stack) => new ApiKey(stack, "it", { permissions: ["admin"] }),
      KEY,
      ["api-keys:read"],
    ],
    "a rotation, which deletes nothing": [
      (stack) => new RotatedApiKey(stack, "it", { key: ApiKey.fromApiKeyId(stack, "k", "key_1") }),
      ["api-keys:read", "api-keys:write"],
      ["api-keys:read"],
    ],
    "a lookup by name": [
      (stack) => Team.fromTeamName(stack, "it", "operations"),
      ["teams:read"],
      ["teams:read"],
    ],
    "a lookup of several": [
      (stack) => Backup.lookupAll(stack, "it"),
      ["backups:read"],
      ["backups:read"],
    ],
    "invoices and cloud providers": [
      (stack) => [
        new l1.dataErphostInvoices.DataErphostInvoices(stack, "it"),
        new l1.dataErphostCloudProviders.DataErphostCloudProviders(stack, "that"),
      ],
      ["billing:read", "providers:read"],
      ["billing:read", "providers:read"],
    ],
    "the key in use, which anyone may ask about": [
      (stack) => new l1.dataErphostAuth.DataErphostAuth(stack, "it"),
      [],
      [],
    ],
    "a reference by id, which makes no call": [hosted, [], []],
  };

  test.each(Object.entries(cases))("%s needs them", (_, [build, apply, plan]) => {
    const stack = newStack();
    build(stack);
    expect(scopesFor(stack)).toEqual(apply);
    expect(scopesFor(stack, { for: "plan" })).toEqual(plan);
  });

  test("an Aspect that protects from deletion counts before and after it has run", () => {
    const app = Testing.app();
    const stack = new ErphostStack(app, "erp");
    Aspects.of(app).add(new ProtectFromDeletion());
    new Server(stack, "web");
    const open = new Server(stack, "open", { deletionProtection: false });
    expect(scopesFor(stack)).toContain("servers:delete");
    open.resource.deletionProtection = true;
    expect(scopesFor(stack)).toEqual(["servers:read", "servers:write"]);
    synth(stack);
    expect(scopesFor(stack)).toEqual(["servers:read", "servers:write"]);
  });

  test("what an override says counts, and what has moved counts once", () => {
    const stack = newStack();
    const server = new Server(stack, "web", { deletionProtection: true });
    server.resource.addOverride("deletion_protection", false);
    expect(scopesFor(stack)).toEqual(SERVER);
    const moved = newStack();
    const to = new Server(moved, "to", { name: "web", deletionProtection: true });
    moveConstruct(new Server(moved, "from", { name: "web" }), to);
    expect(scopesFor(moved)).toEqual(["servers:read", "servers:write"]);
  });

  test("a stack's are its own, without those of the stacks in it; a stage's are those of its stacks", () => {
    const stage = new ErphostStage(Testing.app(), "live");
    const outer = new ErphostStack(stage, "outer");
    new Team(outer, "team");
    new Backup(new ErphostStack(outer, "inner"), "backup", { server: hosted(outer) });
    new Server(new ErphostStack(new ErphostStage(stage, "eu"), "erp"), "web");
    expect(scopesFor(outer)).toEqual(["teams:read", "teams:write"]);
    expect(scopesFor(stage, { for: "plan" })).toEqual([
      "servers:read",
      "backups:read",
      "teams:read",
    ]);
  });

  test("a part of a stack can be meant as well", () => {
    const stack = newStack();
    const server = new Server(stack, "web");
    server.addInstance("erp");
    new Team(stack, "team");
    expect(scopesFor(server, { for: "plan" })).toEqual(["servers:read", "instances:read"]);
  });
});

describe("a key for a stack", () => {
  test("a key has the scopes of what is declared after it", () => {
    const app = Testing.app();
    const keys = new ErphostStack(app, "keys");
    const stack = new ErphostStack(app, "erp");
    new ApiKey(keys, "apply", deployKeyFor(stack));
    new SealedApiKey(keys, "plan", {
      ...deployKeyFor(stack, { for: "plan", also: ["billing:read"] }),
      recipient: RECIPIENT,
    });
    new Server(stack, "web");
    const blocks = Object.values(synth(keys).resource?.["erphost_api_key"] ?? {});
    expect(blocks.map(({ permissions }) => permissions)).toEqual([
      ["servers:read", "servers:write", "servers:delete"],
      ["servers:read", "billing:read"],
    ]);
  });

  test("a key may be declared in the stack that it is for", () => {
    const stack = new ErphostStack(Testing.app(), "erp");
    new ApiKey(stack, "own", deployKeyFor(stack));
    expect(only(synth(stack).resource, "erphost_api_key")["permissions"]).toEqual([
      "api-keys:read",
      "api-keys:write",
      "api-keys:delete",
    ]);
  });

  test("a key for a stack that needs no scope is refused", () => {
    const app = Testing.app();
    const keys = new ErphostStack(app, "keys");
    new ApiKey(keys, "apply", deployKeyFor(new ErphostStack(app, "erp")));
    expect(() => synth(keys)).toThrow(/Nothing in erp needs a scope/);
  });

  test("permissions can be added to a key, whatever it has", () => {
    const app = Testing.app();
    const keys = new ErphostStack(app, "keys");
    const stack = new ErphostStack(app, "erp");
    const list = new TerraformVariable(keys, "scopes", { type: "list(string)" });
    const given = [
      ["servers:read"] as const,
      deployKeyFor(stack).permissions,
      list.value as IResolvable,
    ];
    for (const [index, permissions] of given.entries()) {
      const key = new ApiKey(keys, `key-${index}`, { permissions });
      key.allow("teams:read");
      key.allow("teams:read", "billing:read");
    }
    new Server(stack, "web", { deletionProtection: true });
    const blocks = Object.values(synth(keys).resource?.["erphost_api_key"] ?? {});
    expect(blocks.map(({ permissions }) => permissions)).toEqual([
      ["servers:read", "teams:read", "billing:read"],
      ["servers:read", "servers:write", "teams:read", "billing:read"],
      expect.stringMatching(/^\$\{concat\(.*var\.scopes.*"teams:read".*"billing:read".*\)\}$/),
    ]);
  });

  test("a permission that there is not is refused at synthesis, when it is added as well", () => {
    const stack = newStack();
    new ApiKey(stack, "key", { permissions: ["servers:read"] }).allow("servers:reed" as never);
    expect(() => synth(stack)).toThrow(/\[erp\/key\] permissions\[1\] .*servers:reed/);
  });
});
