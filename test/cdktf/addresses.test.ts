/** A construct's id is its address and its identity; a move is another address of one object. */
import { beforeEach, describe, expect, test } from "@jest/globals";
import { TerraformOutput, type TerraformStack } from "cdktf";
import { Construct } from "constructs";
import { Backup, Instance, Server, Team, ApiKey, SealedApiKey } from "../../cdktf-bindings";
import { BackedUpInstance, ErpInstallation, InstanceFleet } from "../../cdktf-bindings";
import { ServerFleet, ErphostProvider, moveConstruct } from "../../cdktf-bindings";
import { allOf, newStack, only, RECIPIENT, synth, synthOf, variable } from "./support/stack";

let stack: TerraformStack;
beforeEach(() => void (stack = newStack()));

describe("a construct id that is known only when Terraform runs", () => {
  const tokens: Readonly<Record<string, (stack: TerraformStack) => string>> = {
    "a variable": (stack) => variable(stack).stringValue,
    "a text with a variable in it": (stack) => `web-${variable(stack).stringValue}`,
    "an element of a list": (stack) => variable(stack, "given", "list(string)").listValue[0] ?? "",
    "a text with a number in it": (stack) => `web-${variable(stack, "n", "number").numberValue}`,
    "an attribute of another object": (stack) => new Server(stack, "first").serverId,
  };

  test.each(Object.entries(tokens))("%s is refused as an id, with the remedy", (_, token) => {
    expect(() => new Server(stack, token(stack))).toThrow(
      /^The id given to Server in erp is a value that is known only when Terraform runs.* new Server\(scope, "web", \{ name: value \}\)\.$/,
    );
  });

  type Make = (stack: TerraformStack, id: string) => unknown;
  const constructs: Readonly<Record<string, Make>> = {
    Team: (stack, id) => new Team(stack, id),
    ErpInstallation: (stack, id) => new ErpInstallation(stack, id),
    SealedApiKey: (stack, id) =>
      new SealedApiKey(stack, id, { permissions: ["read"], recipient: RECIPIENT }),
    BackedUpInstance: (stack, id) => {
      const server = Server.fromServerId(stack, "server", "srv_1");
      return new BackedUpInstance(stack, id, { server, version: "17.0" });
    },
    Existing: (stack, id) => ApiKey.fromApiKeyName(stack, id, "pipeline"),
    Construct: (stack, id) => new Server(new Construct(stack, id), "web"),
  };

  test.each(Object.entries(constructs))("such an id of %s is refused by name", (name, make) => {
    const id = variable(stack).stringValue;
    expect(() => make(stack, id)).toThrow(`The id given to ${name} in erp is a value`);
  });

  test("such a name of a fleet's member is refused, with the remedy", () => {
    const name = variable(stack).stringValue;
    for (const member of [name, { name }]) {
      const members = ["a", member];
      expect(() => new ServerFleet(stack, "fleet", { servers: members })).toThrow(
        /\[erp\/fleet\] servers\[1\] has a name that is known only when .* \{ id: "web", name: value \}\./,
      );
      stack.node.tryRemoveChild("fleet");
      const given = { instances: members, version: "17.0" };
      expect(() => new InstanceFleet(stack, "fleet", given)).toThrow(/instances\[1\] has a name/);
      stack.node.tryRemoveChild("fleet");
    }
  });

  test("such a name is accepted with an id, and no identity has a token in it", () => {
    const name = variable(stack).stringValue;
    const fleet = new ServerFleet(stack, "fleet", { servers: [{ id: "web", name }] });
    new Server(stack, "single", { name });
    expect(Object.keys(fleet.servers)).toEqual(["web"]);
    const token = (path: string) => `${path} of \${terraform.workspace}`;
    expect(allOf(stack, "server")).toMatchObject([
      { name: "${var.given}", idempotency_token: token("erp/fleet/web") },
      { name: "${var.given}", idempotency_token: token("erp/single") },
    ]);
  });
});

describe("ids that are easily mistaken for each other", () => {
  test("names of a fleet's servers that differ only in their separators do not clash", () => {
    const servers = ["a/b", "a--b", "a%2Fb", "a b"];
    const declared = Object.values(new ServerFleet(stack, "fleet", { servers }).servers);
    expect(new Set(declared.map(({ node }) => node.path)).size).toBe(servers.length);
    const names = allOf(stack, "server").map((each) => each["name"]);
    expect(names).toEqual(expect.arrayContaining(servers));
  });

  test("two constructs with one address are refused, because the library would merge them", () => {
    expect(() => synthOf((stack) => ["web.1", "web1"].map((id) => new Server(stack, id)))).toThrow(
      /\[erp\] erp\/web\.1 and erp\/web1 have the same address in Terraform.* Rename one of them\./,
    );
  });

  test("an id that looks like an expression is an id like any other", () => {
    new Server(stack, "${x}", { name: "x" });
    const { idempotency_token } = only(synth(stack).resource, "erphost_server");
    expect(idempotency_token).toBe("erp/$${x} of ${terraform.workspace}");
  });
});

describe("moving a construct", () => {
  const hostedOn = (id: string) => ({ server: Server.fromServerId(stack, id, id), name: "erp" });
  test.each<[string, () => readonly [from: Construct, to: Construct], RegExp]>([
    [
      "that would rename the object in the service",
      () => [new Server(stack, "old"), new Server(stack, "new")],
      /\[erp\/new\] The move from erp\/old would change the object in the service: name is "new" here and "old" there\. Give both the same name\./,
    ],
    [
      "to another server, which would replace the instance,",
      () => [
        new Instance(stack, "old", hostedOn("srv_1")),
        new Instance(stack, "new", hostedOn("srv_2")),
      ],
      /The move from erp\/old would change the object in the service: server is "srv_2" here and "srv_1" there/,
    ],
    [
      "that would take another backup",
      () => {
        const { server } = hostedOn("srv_1");
        const of = (month: string) => ({ server, triggers: { month } });
        return [new Backup(stack, "old", of("1")), new Backup(stack, "new", of("2"))];
      },
      /erp\/old would change the object in the service: triggers/,
    ],
    [
      "into another account",
      () => {
        const provider = new ErphostProvider(stack, "second", { alias: "second" });
        const old = new Server(stack, "old", { name: "erp" });
        return [old, new Server(stack, "new", { name: "erp", provider })];
      },
      /The move from erp\/old would take the object for one of another account.*Give both the same provider\./,
    ],
  ])("a move %s is refused", (_, make, fault) => {
    moveConstruct(...make());
    expect(() => synth(stack)).toThrow(fault);
  });

  test("a move to another stack is refused, because that has another state", () => {
    const erp = newStack("erp");
    const old = new Server(erp, "web", { name: "web" });
    const other = new Server(newStack("shop"), "web", { name: "web" });
    expect(() => moveConstruct(old, other)).toThrow(
      "erp/web cannot be moved to shop/web, because another stack has another state.",
    );
    expect(() => synth(erp)).not.toThrow();
  });

  test("what a lookup below finds is the same after a move, unless it selects something else", () => {
    const made = (stack: TerraformStack, id: string, name: string) => {
      const below = new Construct(stack, id);
      const server = Server.fromServerName(below, "host", name);
      const erp = Instance.fromLookup(below, "erp", { server, name: "erp" });
      new Instance(below, "trial", { server });
      new Backup(below, "audit", { instance: erp });
      return below;
    };
    const moving = (before: string, after: string) => () =>
      synthOf((stack) => void moveConstruct(made(stack, "old", before), made(stack, "new", after)));
    expect(moving("web", "web")).not.toThrow();
    expect(moving("web", "other")).toThrow(
      /\[erp\/new\/trial\] The move from erp\/old\/trial would change.*server is .*\n.*\[erp\/new\/audit\].* instance is /s,
    );
  });

  test("a move to a construct without a counterpart is refused, and names the missing object", () => {
    expect(() => moveConstruct(new Server(stack, "old"), new Team(stack, "new"))).toThrow(
      /erp\/old cannot be moved to erp\/new, because there is no Server at erp\/new/,
    );
  });

  test("what still refers to the construct that was moved is refused, by either's path", () => {
    const old = new Server(stack, "old", { name: "erp" });
    const web = new Server(stack, "web", { name: "erp" });
    new Instance(stack, "trial", { server: old });
    new TerraformOutput(stack, "id", { value: old.serverId });
    moveConstruct(old, web);
    const fault = (path: string) =>
      `[erp] ${path} refers to erp/old, which declares nothing since it was moved to erp/web. Refer to erp/web.`;
    expect(() => synth(stack)).toThrow(fault("erp/trial"));
    expect(() => synth(stack)).toThrow(fault("erp/id"));
  });
});
