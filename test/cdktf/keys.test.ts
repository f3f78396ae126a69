import { describe, expect, test } from "@jest/globals";
import { Aspects, type TerraformStack, Testing, type IResolvable } from "cdktf";
import { Backup, Instance, Server, Team, ApiKey, RotatedApiKey } from "../../cdktf-bindings";
import { SealedApiKey, BackedUpInstance, ErphostStack, ErphostStage } from "../../cdktf-bindings";
import { ProtectFromDeletion, deployKeyFor, l1, moveConstruct } from "../../cdktf-bindings";
import { scopesFor, type InstanceProps } from "../../cdktf-bindings";
import { allOf, hosted, newStack, only, RECIPIENT, synth, variable } from "./support/stack";

const KEY = ["api-keys:read", "api-keys:write", "api-keys:delete"];

describe("the scopes that a stack needs", () => {
  type Build = (stack: TerraformStack) => unknown;
  /** What plans need is left out where that is every scope to read. */
  type Case = readonly [build: Build, apply: readonly string[], plan?: readonly string[]];
  const SERVER = ["servers:read", "servers:write", "servers:delete"];
  const SAFE = ["servers:read", "servers:write"];
  const INSTANCE = ["instances:read", "instances:write", "instances:delete"];
  const BACKUP = ["backups:read", "backups:write"];
  const UPGRADED = [[...INSTANCE, ...BACKUP], ["instances:read"]] as const;
  const TEAM = ["teams:read", "teams:write"];
  const version = "17.0";
  const flag = (stack: TerraformStack) => variable(stack, "safe", "bool").booleanValue;
  const server =
    (props = {}): Build =>
    (stack) =>
      new Server(stack, "it", props);
  const instance =
    (more: Partial<InstanceProps> = {}): Build =>
    (stack) =>
      new Instance(stack, "it", { server: hosted(stack), ...more });
  const cases: Readonly<Record<string, Case>> = {
    "a server": [server(), SERVER],
    "a generated one": [(stack) => new l1.server.Server(stack, "it", { name: "it" }), SERVER],
    "a server that is protected from deletion": [server({ deletionProtection: true }), SAFE],
    "a server whose protection is known only later": [
      (stack) => new Server(stack, "it", { deletionProtection: flag(stack) }),
      SERVER,
    ],
    "one protected server and another": [
      (stack) =>
        [{ deletionProtection: true }, {}].map((props, at) => new Server(stack, `it-${at}`, props)),
      SERVER,
    ],
    "an instance without a version, on a server that is known by its id": [instance(), INSTANCE],
    "an instance that is backed up before an upgrade": [instance({ version }), ...UPGRADED],
    "an instance that may be backed up, as a variable says": [
      (stack) => instance({ version, backupBeforeUpgrade: flag(stack) })(stack),
      ...UPGRADED,
    ],
    "an instance that is never backed up": [
      instance({ version, backupBeforeUpgrade: false }),
      INSTANCE,
    ],
    "a backed-up instance": [
      (stack) => new BackedUpInstance(stack, "it", { server: hosted(stack), version }),
      [...INSTANCE, ...BACKUP],
    ],
    "a backup, which the service cannot delete": [
      (stack) => new Backup(stack, "it", { server: hosted(stack) }),
      BACKUP,
    ],
    "a team, which the service cannot delete": [(stack) => new Team(stack, "it"), TEAM],
    "a key": [(stack) => new ApiKey(stack, "it", { permissions: ["admin"] }), KEY],
    "a rotation, which deletes nothing": [
      (stack) => new RotatedApiKey(stack, "it", { key: ApiKey.fromApiKeyId(stack, "k", "key_1") }),
      ["api-keys:read", "api-keys:write"],
    ],
    "a lookup by name": [(stack) => Team.fromTeamName(stack, "it", "ops"), ["teams:read"]],
    "a lookup of several": [(stack) => Backup.lookupAll(stack, "it"), ["backups:read"]],
    "invoices and cloud providers": [
      (stack) => [
        new l1.dataErphostInvoices.DataErphostInvoices(stack, "it"),
        new l1.dataErphostCloudProviders.DataErphostCloudProviders(stack, "that"),
      ],
      ["billing:read", "providers:read"],
    ],
    "the key in use, which anyone may ask about": [
      (stack) => new l1.dataErphostAuth.DataErphostAuth(stack, "it"),
      [],
    ],
    "a reference by id, which makes no call": [hosted, []],
  };

  test.each(Object.entries(cases))("%s needs them", (_, [build, apply, plan]) => {
    const stack = newStack();
    build(stack);
    expect(scopesFor(stack)).toEqual(apply);
    const reading = apply.filter((scope) => scope.endsWith(":read"));
    expect(scopesFor(stack, { for: "plan" })).toEqual(plan ?? reading);
  });

  test("an Aspect that protects from deletion counts before and after it has run", () => {
    const app = Testing.app();
    const stack = new ErphostStack(app, "erp");
    Aspects.of(app).add(new ProtectFromDeletion());
    new Server(stack, "web");
    const open = new Server(stack, "open", { deletionProtection: false });
    expect(scopesFor(stack)).toContain("servers:delete");
    open.resource.deletionProtection = true;
    expect(scopesFor(stack)).toEqual(SAFE);
    synth(stack);
    expect(scopesFor(stack)).toEqual(SAFE);
  });

  test("what an override says counts, and what has moved counts once", () => {
    const stack = newStack();
    const server = new Server(stack, "web", { deletionProtection: true });
    server.resource.addOverride("deletion_protection", false);
    expect(scopesFor(stack)).toEqual(SERVER);
    const moved = newStack();
    const to = new Server(moved, "to", { name: "web", deletionProtection: true });
    moveConstruct(new Server(moved, "from", { name: "web" }), to);
    expect(scopesFor(moved)).toEqual(SAFE);
  });

  test("a stack's are its own, without those of the stacks in it; a stage's are those of its stacks", () => {
    const stage = new ErphostStage(Testing.app(), "live");
    const outer = new ErphostStack(stage, "outer");
    new Team(outer, "team");
    new Backup(new ErphostStack(outer, "inner"), "backup", { server: hosted(outer) });
    new Server(new ErphostStack(new ErphostStage(stage, "eu"), "erp"), "web");
    expect(scopesFor(outer)).toEqual(TEAM);
    const reading = ["servers:read", "backups:read", "teams:read"];
    expect(scopesFor(stage, { for: "plan" })).toEqual(reading);
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
  const twoStacks = (app = Testing.app()) => ({
    keys: new ErphostStack(app, "keys"),
    stack: new ErphostStack(app, "erp"),
  });

  test("a key has the scopes of what is declared after it", () => {
    const { keys, stack } = twoStacks();
    new ApiKey(keys, "apply", deployKeyFor(stack));
    const reading = deployKeyFor(stack, { for: "plan", also: ["billing:read"] });
    new SealedApiKey(keys, "plan", { ...reading, recipient: RECIPIENT });
    new Server(stack, "web");
    expect(allOf(keys, "api_key").map(({ permissions }) => permissions)).toEqual([
      ["servers:read", "servers:write", "servers:delete"],
      ["servers:read", "billing:read"],
    ]);
  });

  test("a key may be declared in the stack that it is for", () => {
    const stack = new ErphostStack(Testing.app(), "erp");
    new ApiKey(stack, "own", deployKeyFor(stack));
    expect(only(synth(stack).resource, "erphost_api_key")).toMatchObject({ permissions: KEY });
  });

  test("a key for a stack that needs no scope is refused", () => {
    const { keys, stack } = twoStacks();
    new ApiKey(keys, "apply", deployKeyFor(stack));
    expect(() => synth(keys)).toThrow(/Nothing in erp needs a scope/);
  });

  test("permissions can be added to a key, whatever it has", () => {
    const { keys, stack } = twoStacks();
    const later = variable(keys, "scopes", "list(string)").value as IResolvable;
    const given = [["servers:read"] as const, deployKeyFor(stack).permissions, later];
    for (const [index, permissions] of given.entries()) {
      const key = new ApiKey(keys, `key-${index}`, { permissions });
      key.allow("teams:read");
      key.allow("teams:read", "billing:read");
    }
    new Server(stack, "web", { deletionProtection: true });
    expect(allOf(keys, "api_key").map(({ permissions }) => permissions)).toEqual([
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
