/** A construct's id is its address and its identity, so it is the same in every run. */
import { describe, expect, test } from "@jest/globals";
import { TerraformVariable, type TerraformStack } from "cdktf";
import { Construct } from "constructs";
import {
  ApiKey,
  BackedUpInstance,
  Declared,
  ErpInstallation,
  SealedApiKey,
  Server,
  ServerFleet,
  Team,
} from "../../cdktf-bindings";
import { newStack, only, synth } from "./support/stack";

const RECIPIENT = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p";
const variable = (stack: TerraformStack, type = "string") =>
  new TerraformVariable(stack, "given", { type });

describe("a construct id that is known only when Terraform runs", () => {
  const tokens: Readonly<Record<string, (stack: TerraformStack) => string>> = {
    "a variable": (stack) => variable(stack).stringValue,
    "a text with a variable in it": (stack) => `web-${variable(stack).stringValue}`,
    "an element of a list": (stack) => variable(stack, "list(string)").listValue[0] ?? "",
    "a text with a number in it": (stack) => `web-${variable(stack, "number").numberValue}`,
    "an attribute of another object": (stack) => new Server(stack, "first").serverId,
  };

  test.each(Object.entries(tokens))("%s is refused as an id, with the remedy", (_, token) => {
    const stack = newStack();
    const id = token(stack);
    expect(() => new Server(stack, id)).toThrow(
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

  test.each(Object.entries(constructs))(
    "such an id of %s is refused by that name",
    (name, make) => {
      const stack = newStack();
      const id = variable(stack).stringValue;
      expect(() => make(stack, id)).toThrow(`The id given to ${name} in erp is a value`);
    },
  );

  test("such a name of a fleet's server is refused, with the remedy", () => {
    const stack = newStack();
    const name = variable(stack).stringValue;
    for (const member of [name, { name }]) {
      const servers = ["a", member];
      expect(() => new ServerFleet(stack, "fleet", { servers })).toThrow(
        /\[erp\/fleet\] servers\[1\] has a name that is known only when .* \{ id: "web", name: value \}\./,
      );
      stack.node.tryRemoveChild("fleet");
    }
  });

  test("such a name is accepted with an id, and no identity has a token in it", () => {
    const stack = newStack();
    const name = variable(stack).stringValue;
    const servers = [{ id: "web", name }];
    const fleet = new ServerFleet(stack, "fleet", { servers });
    new Server(stack, "single", { name });
    expect(Object.keys(fleet.servers)).toEqual(["web"]);
    const blocks = Object.values(synth(stack).resource?.["erphost_server"] ?? {});
    expect(blocks.map((each) => [each["name"], each["idempotency_token"]])).toEqual([
      ["${var.given}", "erp/fleet/web of ${terraform.workspace}"],
      ["${var.given}", "erp/single of ${terraform.workspace}"],
    ]);
  });
});

describe("ids that are easily mistaken for each other", () => {
  test("names of a fleet's servers that differ only in their separators do not clash", () => {
    const stack = newStack();
    const servers = ["a/b", "a--b", "a%2Fb", "a b"];
    const fleet = new ServerFleet(stack, "fleet", { servers });
    const declared = Object.values(fleet.servers);
    expect(new Set(declared.map(({ node }) => node.path)).size).toBe(servers.length);
    const { resource } = synth(stack);
    expect(Object.values(resource?.["erphost_server"] ?? {}).map((each) => each["name"])).toEqual(
      expect.arrayContaining(servers),
    );
  });

  test("two constructs with one address are refused, because the library would merge them", () => {
    const stack = newStack();
    new Server(stack, "web.1");
    new Server(stack, "web1");
    expect(() => synth(stack)).toThrow(
      /\[erp\] erp\/web\.1 and erp\/web1 have the same address in Terraform.* Rename one of them\./,
    );
  });

  test("an id that looks like an expression is an id like any other", () => {
    const stack = newStack();
    new Server(stack, "${x}", { name: "x" });
    expect(only(synth(stack).resource, "erphost_server")["idempotency_token"]).toBe(
      "erp/$${x} of ${terraform.workspace}",
    );
  });
});

test("every declared object can be listed in dependsOn", () => {
  const stack = newStack();
  const server = new Server(stack, "web");
  const erp = new BackedUpInstance(stack, "erp", { server, version: "17.0" });
  const key = new SealedApiKey(stack, "key", { permissions: ["read"], recipient: RECIPIENT });
  new Team(stack, "team", { dependsOn: [server, erp, key] });
  expect(only(synth(stack).resource, "erphost_team")["depends_on"]).toEqual([
    "erphost_server.web",
    expect.stringMatching(/^erphost_backup\.erp_Instance_Release_\w+$/),
    expect.stringMatching(/^erphost_api_key\.key_Key_\w+$/),
  ]);
  expect(stack.node.findAll().filter((each) => each instanceof Declared)).toHaveLength(5);
});
