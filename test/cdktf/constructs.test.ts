/** What a construct writes, has and takes. */
import { beforeEach, describe, expect, test } from "@jest/globals";
import type { TerraformStack, IResolvable } from "cdktf";
import { Backup, Instance, Server, Team, ApiKey, RotatedApiKey } from "../../cdktf-bindings";
import { SealedApiKey, BackedUpInstance, ErpInstallation } from "../../cdktf-bindings";
import { snake } from "../../provider/contract";
import { allOf, newStack, only, RECIPIENT, synth, variable, expressionIn } from "./support/stack";

let stack: TerraformStack;
beforeEach(() => void (stack = newStack()));

describe("constructs", () => {
  test("the constructs synthesise what they did before", () => {
    const given = { deletionProtection: true, timeouts: { create: "5m" } };
    const free = { properties: { region: "eu-central" }, secretProperties: { password: "given" } };
    const server = new Server(stack, "web", { ...free, ...given });
    const instance = new Instance(stack, "erp", { server, version: "17.0", edition: "community" });
    new Backup(stack, "of-instance", { instance });
    new Backup(stack, "of-server", { server });
    new Team(stack, "operations", { members: [{ email: "ada@example.com", role: "admin" }] });
    const permissions = ["servers:read"] as const;
    new ApiKey(stack, "pipeline", { permissions, rotateAfter: "90d", recipient: RECIPIENT });
    new RotatedApiKey(stack, "dashboard", { key: ApiKey.fromApiKeyId(stack, "old", "key_1") });
    expect(synth(stack).resource).toMatchSnapshot();
  });

  test("what the service decides of an object can be read from its construct and its lookup", () => {
    const server = new Server(stack, "web");
    const instance = server.addInstance("erp");
    const key = new ApiKey(stack, "key", { permissions: ["read"] });
    const found = Server.fromServerName(stack, "found", "erp-production");
    const readable = [
      [server, ["name", "status", "createdAt", "properties"]],
      [instance, ["name", "version", "edition"]],
      [key, ["rotationDue", "rotatedAt", "previousKeyExpiresAt"]],
    ] as const;
    for (const [object, names] of readable) {
      const { terraformResourceType: type, friendlyUniqueId: id } = object.resource;
      expect(names.map((name) => expressionIn(stack, Reflect.get(object, name)))).toEqual(
        names.map((name) => `\${${type}.${id}.${snake(name)}}`),
      );
    }
    expect(expressionIn(stack, found.data.status)).toBe("${data.erphost_server.found.status}");
  });

  test("a program's own lifecycle and idempotency token are kept", () => {
    const lifecycle = { ignoreChanges: ["name"], preventDestroy: true };
    new Server(stack, "web", { idempotencyToken: "mine", lifecycle });
    expect(only(synth(stack).resource, "erphost_server")).toMatchObject({
      idempotency_token: "mine",
      lifecycle: { ignore_changes: ["name"], prevent_destroy: true },
    });
  });
});

test("constructs, patterns and found objects can be depended on", () => {
  const server = new Server(stack, "web");
  const permissions = ["servers:read"] as const;
  const dependsOn = [
    server,
    server.addInstance("erp"),
    server.addBackup("all"),
    new Team(stack, "before"),
    new ApiKey(stack, "key", { permissions }),
    new SealedApiKey(stack, "sealed", { permissions, recipient: RECIPIENT }),
    new BackedUpInstance(stack, "safe", { server, version: "17.0" }),
    new ErpInstallation(stack, "all", { server }),
    Server.fromServerName(stack, "found", "web"),
    Team.lookupAll(stack, "teams"),
  ];
  new Team(stack, "after", { dependsOn });
  expect(allOf(stack, "team").find(({ name }) => name === "after")?.["depends_on"]).toEqual([
    "erphost_server.web",
    expect.stringMatching(/^erphost_instance\.web_erp_/),
    expect.stringMatching(/^erphost_backup\.web_all_/),
    "erphost_team.before",
    "erphost_api_key.key",
    expect.stringMatching(/^erphost_api_key\.sealed_Key_/),
    // What comes after a pattern comes after its last part.
    expect.stringMatching(/^erphost_backup\.safe_Instance_Release_/),
    expect.stringMatching(/^erphost_backup\.all_Instance_First_/),
    "data.erphost_server.found",
    "data.erphost_teams.teams",
  ]);
});

describe("members of a team", () => {
  const ada = { email: "ada@example.com" };
  test("members can be added, and a member that is there already is refused", () => {
    const team = new Team(stack, "team", { members: [ada] });
    const bob = { email: "bob@example.com", role: "admin" };
    team.addMember(bob);
    expect(allOf(stack, "team")).toMatchObject([{ members: [ada, bob] }]);
    team.addMember({ ...ada, role: "member" });
    expect(() => synth(stack)).toThrow(/\[erp\/team\] members/);
  });

  test("members can be added to none, and to those of a variable", () => {
    new Team(stack, "none").addMember(ada);
    // A variable may be anything.
    const members = variable(stack, "people", "list(map(string))").value as IResolvable;
    new Team(stack, "some", { members }).addMember(ada);
    expect(allOf(stack, "team").map((block) => block["members"])).toEqual([
      [ada],
      '${concat(var.people, [{"email" = "ada@example.com"}])}',
    ]);
  });
});

test("a prop that a construct does not know is refused at synthesis, by name and with the nearest one", () => {
  // What a variable or a spread, or a program in JavaScript, brings past the types.
  const misspelt = { deletionProtecton: true, id: "srv_1", wait: false };
  const server = new Server(stack, "server", misspelt);
  new Instance(stack, "erp", { server, ...misspelt, lifecycle: { preventDestroy: true } });
  expect(() => synth(stack)).toThrow(
    /\[erp\/server\] deletionProtecton is not an input of a server \(did you mean deletionProtection\?\)[^]*\[erp\/server\] id is not [^]*\[erp\/erp\] deletionProtecton/,
  );
});
