/** Every construct is in one account, as what it refers to is, and a computed key is for one. */
import { describe, expect, test } from "@jest/globals";
import { Testing, type TerraformStack } from "cdktf";
import { Construct } from "constructs";
import { Backup, Instance, Server, Team, ApiKey, RotatedApiKey } from "../../cdktf-bindings";
import { SealedApiKey, BackedUpInstance, BackupSchedule } from "../../cdktf-bindings";
import { ErpInstallation, InstanceFleet, ServerFleet, ErphostProvider } from "../../cdktf-bindings";
import { ErphostStack, ErphostStage, deployKeyFor, l1, scopesFor } from "../../cdktf-bindings";
import type { AccountSettings, IServer } from "../../cdktf-bindings";
import { EU, LIVE, newStack, RECIPIENT, synth, write } from "./support/stack";

function twoAccounts() {
  const stack = newStack();
  return { stack, provider: new ErphostProvider(stack, "second", { alias: "second" }) };
}

/** The providers that the resources and data sources of a stack name, without repetition. */
function providersOf(stack: TerraformStack): unknown[] {
  const { resource, data } = synth(stack);
  const blocks = [resource, data].flatMap((types) => Object.values(types ?? {}));
  return [...new Set(blocks.flatMap((each) => Object.values(each).map((of) => of["provider"])))];
}

type Make = (stack: Construct, provider: ErphostProvider, server: IServer) => unknown;
const made: Readonly<Record<string, Make>> = {
  "instances and backups of a server": (stack, provider) => {
    const server = new Server(stack, "web", { provider });
    server.addInstance("erp").addBackup("first");
    server.addBackup("all");
  },
  "the release backup of a BackedUpInstance": (stack, provider, server) =>
    new BackedUpInstance(stack, "it", { server, version: "17.0", provider }),
  "all of an ErpInstallation": (stack, provider) =>
    new ErpInstallation(stack, "it", { provider, members: [] }),
  "all servers of a ServerFleet": (stack, provider) =>
    new ServerFleet(stack, "it", { provider, servers: ["a", { name: "b" }] }),
  "the key of a SealedApiKey": (stack, provider) =>
    new SealedApiKey(stack, "it", { provider, permissions: ["read"], recipient: RECIPIENT }),
  "a RotatedApiKey and its lookup": (stack, provider) => {
    const key = ApiKey.fromApiKeyName(stack, "key", "dashboard", { provider });
    new RotatedApiKey(stack, "it", { key, provider });
  },
  "every lookup by name": (stack, provider) => {
    Server.fromServerName(stack, "server", "web", { provider });
    Instance.fromInstanceName(stack, "instance", "erp", { provider });
    Team.fromTeamName(stack, "team", "operations", { provider });
  },
  "what a program declares below a construct, however deep": (stack, provider) => {
    const server = new Server(stack, "web", { provider });
    const below = new Construct(server, "below");
    new Instance(below, "erp", { server });
    Team.fromTeamName(below, "team", "operations");
  },
};

test.each(Object.entries(made))("%s are in the account that is given", (_, make) => {
  const { stack, provider } = twoAccounts();
  make(stack, provider, Server.fromServerId(stack, "hosted", "srv_1", { provider }));
  expect(providersOf(stack)).toEqual(["erphost.second"]);
});

test("without a provider everything is in the account of the block without an alias", () => {
  const { stack } = twoAccounts();
  new ErpInstallation(stack, "it", { members: [] });
  expect(providersOf(stack)).toEqual([undefined]);
});

/** At the address of the other one, as accounts of one service are. */
const NEIGHBOUR = { ...LIVE, apiKeyVariable: "neighbour_key" };

/** A stack with both accounts, and one that its objects are referred to in: another one, or the same. */
function places(home: "erp" | "web", second = EU) {
  const app = Testing.app();
  const props = { account: LIVE, accounts: { second } };
  const stack = new ErphostStack(app, "erp", props);
  return { app, stack, home: home === "erp" ? stack : new ErphostStack(app, home, props) };
}

type Places = ReturnType<typeof places>;
type Refer = (places: Places, account: { readonly provider?: ErphostProvider }) => unknown;

/** Each declares `it`, which refers to an object in the default account. */
const references: Readonly<Record<string, Refer>> = {
  "an instance on a server": ({ home, stack }, account) =>
    new Instance(stack, "it", { server: new Server(home, "web"), ...account }),
  "a backup of a server that was looked up": ({ home, stack }, account) =>
    new Backup(stack, "it", { server: Server.fromServerName(home, "web", "x"), ...account }),
  "an instance on a server whose account is stated with its id": ({ home, stack }, account) => {
    const server = Server.fromServerId(home, "web", "srv_1", { provider: home.provider });
    return new Instance(stack, "it", { server, ...account });
  },
  "a schedule for a pattern": ({ home, stack }, account) => {
    const server = Server.fromServerId(home, "hosted", "srv_1");
    const instance = new BackedUpInstance(home, "web", { server, version: "17.0" });
    return new BackupSchedule(stack, "it", { instance, every: "1d", ...account });
  },
  "a fleet": ({ home, stack }, account) => {
    const common = { server: new Server(home, "web") };
    const given = { instances: ["a"], version: "17.0", common };
    return new InstanceFleet(stack, "it", { ...given, ...account });
  },
  "a rotation of a key that was looked up": ({ home, stack }, account) => {
    const key = ApiKey.fromApiKeyName(home, "web", "dashboard");
    return new RotatedApiKey(stack, "it", { key, ...account });
  },
  "a generated construct": ({ home, stack }, account) => {
    const { serverId } = new Server(home, "web");
    const below = new Construct(stack, "it");
    return new l1.instance.Instance(below, "x", { name: "x", serverId, ...account });
  },
};

const inOneStack: Readonly<Record<string, Refer>> = {
  "a child with a provider of its own": ({ home }, account) =>
    new Server(home, "web").addInstance("it", account),
  "an expression that a program has written": ({ home, stack }, account) => {
    new Server(home, "web");
    const given = { name: "it", serverId: "${erphost_server.web.id}" };
    return new l1.instance.Instance(stack, "it", { ...given, ...account });
  },
  "an override of the provider": ({ home, stack }, { provider }) => {
    const { resource } = new Instance(stack, "it", { server: new Server(home, "web") });
    if (provider) resource.addOverride("provider", provider.fqn);
  },
};

const OF_ONE_STACK =
  /\[erp\] erp\/\S*it\S* is in the account of the provider erphost\.second, but its \S+, erp\/web\S*, is in that of the default provider\. Give erp\/\S*it\S* and erp\/web\S* the same provider\./;
/** The block of the other account tells the two apart at one address. */
const OF_TWO_STACKS =
  /\[erp\] erp\/it\S* is in the account of erp\/provider-second, but its \S+, web\/web, is in that of web\/provider\. Declare erp\/it\S* and web\/web in the same account\./;

const allCases = { ...references, ...inOneStack };
const ofTheSame = { home: "erp", cases: allCases, fault: OF_ONE_STACK } as const;
const ofAnother = { home: "web", cases: references, fault: OF_TWO_STACKS } as const;
describe.each([
  { of: "the same stack's object", second: EU, ...ofTheSame },
  { of: "another stack's object, at another address", second: EU, ...ofAnother },
  { of: "another stack's object, at the same address", second: NEIGHBOUR, ...ofAnother },
])("a reference to $of, in another account", ({ home, second, cases, fault }) => {
  test.each(Object.entries(cases))("is refused, and in the same one it is not: %s", (_, refer) => {
    const same = places(home, second);
    refer(same, {});
    expect(write(same.app)).not.toThrow();
    const other = places(home, second);
    refer(other, { provider: other.stack.account("second") });
    expect(() => synth(other.stack)).toThrow(fault);
    expect(() => synth(other.stack)).not.toThrow(/is in the account[\s\S]*is in the account/);
  });

  test("is accepted where its id is of no stated account", () => {
    const { app, stack, home: of } = places(home, second);
    const server = Server.fromServerId(of, "web", "srv_1");
    new Instance(stack, "it", { server, provider: stack.account("second") });
    expect(write(app)).not.toThrow();
  });
});

/** An instance on the server of another stack, each stack with one account. */
function oneInstance(first: AccountSettings, second: AccountSettings) {
  const app = Testing.app();
  const server = new Server(new ErphostStack(app, "web", { account: first }), "web");
  new Instance(new ErphostStack(app, "erp", { account: second }), "it", { server });
  return write(app);
}

test("a reference to another stack's object is refused where neither stack has both addresses, and only then", () => {
  const fault = "erp/it is in the account of erp/provider, but its server, web/web,";
  expect(oneInstance(LIVE, EU)).toThrow(fault);
  // Stacks have keys of their own at one address, or one of the addresses comes from the environment.
  for (const account of [NEIGHBOUR, {}]) expect(oneInstance(LIVE, account)).not.toThrow();
});

describe("the scopes that a key needs", () => {
  const accounts = { eu: EU };
  const TEAM = ["teams:read", "teams:write"];
  /** A stage with a server in one stack and a team in another one. */
  function twoStacks(account: AccountSettings = {}, own: AccountSettings = {}) {
    const live = new ErphostStage(Testing.app(), "live", { account, accounts });
    const erp = new ErphostStack(live, "erp");
    const ops = new ErphostStack(live, "ops", { account: own });
    new Server(erp, "web", { deletionProtection: true });
    new Team(ops, "team");
    return { live, erp, ops };
  }

  test("of several accounts, one has to be named, and all in one further account is that account's", () => {
    const stack = new ErphostStack(Testing.app(), "erp", { accounts });
    const provider = stack.account("eu");
    new Team(stack, "team", { provider });
    expect(scopesFor(stack)).toEqual(TEAM);
    new Server(stack, "web");
    expect(() => scopesFor(stack)).toThrow(
      "Erp is in several accounts, those of erp/provider and erp/provider-eu, and a key belongs to one. Say which one: deployKeyFor(stack, { provider }).",
    );
    expect(scopesFor(stack, { provider })).toEqual(TEAM);
    const server = ["servers:read", "servers:write", "servers:delete"];
    expect(scopesFor(stack, { provider: stack.provider })).toEqual(server);
  });

  test("the stacks of a stage are in one account where their address and their key are the same", () => {
    const { live, erp, ops } = twoStacks(LIVE);
    new Team(erp, "eu-team", { provider: erp.account("eu") });
    const reading = { for: "plan", provider: ops.provider } as const;
    expect(scopesFor(live, reading)).toEqual(["servers:read", "teams:read"]);
    expect(scopesFor(live, { ...reading, provider: erp.account("eu") })).toEqual(["teams:read"]);
  });

  test.each([
    ["address", { ...LIVE, baseUrl: "https://other.example/v1" }],
    ["key", { apiKeyVariable: "other_key" }],
  ])("stacks of a stage with another %s are in several accounts", (_, account) => {
    const { live, erp, ops } = twoStacks(LIVE, account);
    expect(() => scopesFor(live)).toThrow(
      "Live is in several accounts, those of live-erp/provider and live-ops/provider, and",
    );
    expect(scopesFor(live, { provider: ops.provider })).toEqual(TEAM);
    const key = new ApiKey(ops, "key", deployKeyFor(erp, { provider: ops.provider }));
    expect(() => synth(key.resource.cdktfStack)).toThrow(
      "Nothing in live-erp in the account of live-ops/provider needs a scope",
    );
  });

  test("an override of a provider block decides about its account", () => {
    const { live, ops } = twoStacks();
    expect(scopesFor(live, { for: "plan" })).toEqual(["servers:read", "teams:read"]);
    ops.provider.addOverride("base_url", "https://other.example/v1");
    expect(() => scopesFor(live)).toThrow(/Live is in several accounts/);
  });
});

describe("a key with computed permissions", () => {
  const given = () => {
    const { app, home: web, stack } = places("web");
    new Server(stack, "eu-web", { provider: stack.account("second") });
    return { app, web, permissions: deployKeyFor(stack) };
  };

  test("is refused in another account than what it is for, where it would open nothing", () => {
    const { web, permissions } = given();
    new ApiKey(web, "key", permissions);
    new SealedApiKey(web, "sealed", { ...permissions, recipient: RECIPIENT });
    for (const path of ["web/key", "web/sealed/Key"]) {
      expect(() => synth(web)).toThrow(
        `[${path}] The key is in the account of web/provider, but erp, which it is for, is in that of erp/provider-second. Declare it in that account.`,
      );
    }
  });

  test("is accepted in the account of what it is for, with another key as well", () => {
    const { app, web, permissions } = given();
    new ApiKey(web, "key", { ...permissions, provider: web.account("second") });
    const account = { ...EU, apiKeyVariable: "admin_key" };
    const admin = new ErphostStack(new ErphostStage(app, "admin", { account }), "keys");
    new ApiKey(admin, "key", permissions).allow("teams:read");
    expect(write(app)).not.toThrow();
  });
});
