/** Every construct is in one account, that of a provider block, and a computed key is for one. */
import { describe, expect, test } from "@jest/globals";
import { TerraformStack, Testing } from "cdktf";
import { Construct } from "constructs";
import {
  type AccountSettings,
  ApiKey,
  BackedUpInstance,
  Backup,
  deployKeyFor,
  ErphostProvider,
  ErphostStack,
  ErphostStage,
  ErpInstallation,
  Instance,
  type IServer,
  l1,
  RotatedApiKey,
  scopesFor,
  SealedApiKey,
  Server,
  ServerFleet,
  Team,
} from "../../cdktf-bindings";
import { EU, LIVE, newStack, RECIPIENT, synth } from "./support/stack";

/** A stack with two accounts, and a server in the second one. */
function twoAccounts() {
  const stack = newStack();
  const provider = new ErphostProvider(stack, "second", { alias: "second" });
  const second = () => new Server(stack, "web", { provider });
  return { stack, provider, second };
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

describe("a child construct is in its parent's account", () => {
  test.each(Object.entries(made))("%s are in the account that is given", (_, make) => {
    const { stack, provider } = twoAccounts();
    const server = Server.fromServerId(stack, "hosted", "srv_1", { provider });
    make(stack, provider, server);
    expect(providersOf(stack)).toEqual(["erphost.second"]);
  });

  test("without a provider everything is in the account of the block without an alias", () => {
    const { stack } = twoAccounts();
    new ErpInstallation(stack, "it", { members: [] });
    expect(providersOf(stack)).toEqual([undefined]);
  });
});

describe("a reference into another account", () => {
  type Refer = (stack: TerraformStack, server: Server, provider: ErphostProvider) => unknown;
  const refer: Readonly<Record<string, Refer>> = {
    "an instance on a server": (stack, server) => new Instance(stack, "it", { server }),
    "a backup of a server": (stack, server) => new Backup(stack, "it", { server }),
    "a child with a provider of its own": (stack, server) => {
      const provider = new ErphostProvider(stack, "third", { alias: "third" });
      return server.addInstance("it", { provider });
    },
    "a generated construct": (stack, server) =>
      new l1.instance.Instance(stack, "it", { name: "it", serverId: server.serverId }),
    "a rotation of a key that was looked up": (stack, _, provider) => {
      const key = ApiKey.fromApiKeyName(stack, "key", "dashboard", { provider });
      return new RotatedApiKey(stack, "it", { key });
    },
    "a pattern": (stack, server) => new BackedUpInstance(stack, "it", { server, version: "17.0" }),
    "an expression that a program has written": (stack) =>
      new l1.instance.Instance(stack, "it", { name: "it", serverId: "${erphost_server.web.id}" }),
    "an override of the provider": (stack, server) => {
      server.resource.addOverride("provider", "erphost");
      server.addInstance("it");
    },
  };

  test.each(Object.entries(refer))("%s in another account is refused", (_, make) => {
    const { stack, provider, second } = twoAccounts();
    make(stack, second(), provider);
    const fault =
      /\[erp\] erp\/\S*it\S* is in the account of .* (?:server, erp\/web|key, erp\/key),/;
    expect(() => synth(stack)).toThrow(fault);
  });

  test("the sentence names both constructs, both providers and the remedy", () => {
    const { stack, second } = twoAccounts();
    new Instance(stack, "trial", { server: second() });
    expect(() => synth(stack)).toThrow(
      "[erp] erp/trial is in the account of the default provider, but its server, erp/web, is in that of the provider erphost.second. Give erp/trial and erp/web the same provider.",
    );
  });

  test("an id that is stated to be of another account is refused, and one of no stated account is not", () => {
    const { stack, provider } = twoAccounts();
    const stated = Server.fromServerId(stack, "stated", "srv_1", { provider });
    const open = Server.fromServerId(stack, "open", "srv_2");
    new Instance(stack, "on-open", { server: open, provider });
    expect(() => synth(stack)).not.toThrow();
    new Instance(stack, "on-stated", { server: stated });
    expect(() => synth(stack)).toThrow(/erp\/on-stated is in .* erp\/stated, is in that of/);
  });

  test("the default account can be given by its provider, and by none", () => {
    const stack = new TerraformStack(Testing.app(), "erp");
    const server = new Server(stack, "web", { provider: new ErphostProvider(stack, "provider") });
    new Instance(stack, "erp", { server });
    expect(() => synth(stack)).not.toThrow();
  });
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
