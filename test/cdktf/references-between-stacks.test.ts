/** What a stack has of another one is in the same account, because an id is one of an account. */
import { describe, expect, test } from "@jest/globals";
import { Testing } from "cdktf";
import { Construct } from "constructs";
import {
  type AccountSettings,
  ApiKey,
  BackedUpInstance,
  Backup,
  BackupSchedule,
  deployKeyFor,
  ErphostStack,
  ErphostStage,
  Instance,
  InstanceFleet,
  l1,
  RotatedApiKey,
  SealedApiKey,
  Server,
} from "../../cdktf-bindings";
import { EU, LIVE, RECIPIENT, synth, write } from "./support/stack";

/** At the address of the other one, as accounts of one service are. */
const NEIGHBOUR = { ...LIVE, apiKeyVariable: "neighbour_key" };

/** Two stacks with both accounts: the objects of `web` are in the first one by default. */
function twoStacks(second = EU) {
  const app = Testing.app();
  const web = new ErphostStack(app, "web", { account: LIVE, accounts: { second } });
  const erp = new ErphostStack(app, "erp", { account: LIVE, accounts: { second } });
  return { app, web, erp };
}

type Stacks = ReturnType<typeof twoStacks>;
type Provider = Stacks["erp"]["provider"] | undefined;
type Refer = (stacks: Stacks, provider: Provider) => unknown;
const props = <P extends object>(given: P, provider: Provider) =>
  provider ? { ...given, provider } : given;

/** Each declares `it`, which refers to an object in the default account of `web`. */
const references: Readonly<Record<string, Refer>> = {
  "an instance on a server": ({ web, erp }, provider) =>
    new Instance(erp, "it", props({ server: new Server(web, "web") }, provider)),
  "a backup of a server that was looked up": ({ web, erp }, provider) =>
    new Backup(erp, "it", props({ server: Server.fromServerName(web, "web", "x") }, provider)),
  "an instance on a server whose account is stated with its id": ({ web, erp }, provider) => {
    const server = Server.fromServerId(web, "web", "srv_1", { provider: web.provider });
    return new Instance(erp, "it", props({ server }, provider));
  },
  "a schedule for a pattern": ({ web, erp }, provider) => {
    const server = Server.fromServerId(web, "hosted", "srv_1");
    const instance = new BackedUpInstance(web, "web", { server, version: "17.0" });
    return new BackupSchedule(erp, "it", props({ instance, every: "1d" }, provider));
  },
  "a fleet": ({ web, erp }, provider) => {
    const given = { instances: ["a"], version: "17.0", common: { server: new Server(web, "web") } };
    return new InstanceFleet(erp, "it", props(given, provider));
  },
  "a rotation of a key that was looked up": ({ web, erp }, provider) => {
    const key = ApiKey.fromApiKeyName(web, "web", "dashboard");
    return new RotatedApiKey(erp, "it", props({ key }, provider));
  },
  "a generated construct": ({ web, erp }, provider) => {
    const { serverId } = new Server(web, "web");
    const below = new Construct(erp, "it");
    return new l1.instance.Instance(below, "x", props({ name: "x", serverId }, provider));
  },
};

describe.each([
  ["at another address", EU],
  ["at the same address", NEIGHBOUR],
])("a reference to another stack's object, in an account %s,", (_, second) => {
  test.each(Object.entries(references))(
    "is refused, and in the same account it is not: %s",
    (__, refer) => {
      const same = twoStacks(second);
      refer(same, undefined);
      expect(write(same.app)).not.toThrow();
      const other = twoStacks(second);
      refer(other, other.erp.account("second"));
      // The block of the other account tells the two apart at one address.
      expect(() => synth(other.erp)).toThrow(
        /\[erp\] erp\/it\S* is in the account of erp\/provider-second, but its \S+, web\/web, is in that of web\/provider\. Declare erp\/it\S* and web\/web in the same account\./,
      );
      expect(() => synth(other.erp)).not.toThrow(/is in the account[\s\S]*is in the account/);
    },
  );
});

/** An instance on the server of another stack, each stack with one account. */
function oneInstance(first: AccountSettings, second: AccountSettings) {
  const app = Testing.app();
  const server = new Server(new ErphostStack(app, "web", { account: first }), "web");
  new Instance(new ErphostStack(app, "erp", { account: second }), "it", { server });
  return app;
}

test("a reference to another stack's object at another address is refused where neither stack has both", () => {
  const fault = "erp/it is in the account of erp/provider, but its server, web/web,";
  expect(write(oneInstance(LIVE, EU))).toThrow(fault);
});

describe("a reference to another stack's object is accepted", () => {
  test.each([
    ["stacks have keys of their own at one address", LIVE, NEIGHBOUR],
    ["one of the addresses comes from the environment", LIVE, {}],
  ])("where %s", (_, first, second) => {
    expect(write(oneInstance(first, second))).not.toThrow();
  });

  test("where an id is of no stated account", () => {
    const { app, web, erp } = twoStacks();
    const server = Server.fromServerId(web, "web", "srv_1");
    new Instance(erp, "it", { server, provider: erp.account("second") });
    expect(write(app)).not.toThrow();
  });
});

describe("a key with computed permissions", () => {
  const given = () => {
    const stacks = twoStacks();
    new Server(stacks.erp, "eu-web", { provider: stacks.erp.account("second") });
    return { ...stacks, permissions: deployKeyFor(stacks.erp) };
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
