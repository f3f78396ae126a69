/** What people who know aws-cdk expect of constructs. */
import { describe, expect, test } from "@jest/globals";
import { TerraformVariable, type IResolvable, type TerraformStack } from "cdktf";
import {
  ApiKey,
  BackedUpInstance,
  Backup,
  ErphostProvider,
  ErpInstallation,
  Instance,
  SealedApiKey,
  Server,
  Team,
} from "../../cdktf-bindings";
import { newStack, only, synth, written } from "./support/stack";

const RECIPIENT = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p";

/** One found object of each kind, by name where that is possible, with how it was found. */
const found = {
  "a server by name": (stack: TerraformStack) => Server.fromServerName(stack, "it", "web"),
  "a server": (stack: TerraformStack) => Server.fromLookup(stack, "it", { status: "running" }),
  "an instance by name": (stack: TerraformStack) => Instance.fromInstanceName(stack, "it", "erp"),
  "an instance": (stack: TerraformStack) => Instance.fromLookup(stack, "it", { version: "17.0" }),
  "a backup": (stack: TerraformStack) => Backup.fromLookup(stack, "it", { mostRecent: true }),
  "a team by name": (stack: TerraformStack) => Team.fromTeamName(stack, "it", "operations"),
  "a team": (stack: TerraformStack) => Team.fromLookup(stack, "it", { mostRecent: true }),
  "a key by name": (stack: TerraformStack) => ApiKey.fromApiKeyName(stack, "it", "pipeline"),
  "a key": (stack: TerraformStack) => ApiKey.fromLookup(stack, "it", { mostRecent: true }),
};

const attributes: Readonly<Record<string, readonly string[]>> = {
  server: ["status", "createdAt", "properties"],
  instance: ["version", "edition", "status", "createdAt", "properties"],
  backup: ["status", "createdAt", "properties"],
  team: ["members", "createdAt", "properties"],
  api_key: ["permissions", "createdAt", "properties"],
};

describe("a found object", () => {
  test.each(Object.entries(found))("%s has the attributes that the plan reads", (_, find) => {
    const stack = newStack();
    const object = find(stack);
    const kind = object.data.terraformResourceType.replace("erphost_", "");
    for (const name of attributes[kind] ?? ["no such kind"]) {
      const attribute = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      // Of a set, the expression says that it is a list.
      const read = written(stack, Reflect.get(object, name));
      expect(read).toContain(`data.erphost_${kind}.it.${attribute}`);
    }
  });

  test("what a program does not use of a found object is not made", () => {
    const stack = newStack();
    const server = Server.fromServerName(stack, "it", "web");
    new Instance(stack, "erp", { server, version: server.status });
    expect(only(synth(stack).resource, "erphost_instance")).toMatchObject({
      version: "${data.erphost_server.it.status}",
    });
    expect(Object.keys(only(synth(stack).data, "erphost_server"))).toEqual(["name"]);
  });
});

test("constructs, patterns and found objects can be depended on", () => {
  const stack = newStack();
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
  const blocks = Object.values(synth(stack).resource?.["erphost_team"] ?? {});
  const after = blocks.find(({ name }) => name === "after");
  expect(after?.["depends_on"]).toEqual([
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
  test("members can be added, and a member that is there already is refused", () => {
    const stack = newStack();
    const team = new Team(stack, "team", { members: [{ email: "ada@example.com" }] });
    team.addMember({ email: "bob@example.com", role: "admin" });
    expect(only(synth(stack).resource, "erphost_team")["members"]).toEqual([
      { email: "ada@example.com" },
      { email: "bob@example.com", role: "admin" },
    ]);
    team.addMember({ email: "ada@example.com", role: "member" });
    expect(() => synth(stack)).toThrow(/\[erp\/team\] members/);
  });

  test("members can be added to none, and to those of a variable", () => {
    const stack = newStack();
    new Team(stack, "none").addMember({ email: "ada@example.com" });
    const given = new TerraformVariable(stack, "people", { type: "list(map(string))" });
    // A variable may be anything.
    const members = given.value as IResolvable;
    new Team(stack, "some", { members }).addMember({ email: "ada@example.com" });
    const blocks = Object.values(synth(stack).resource?.["erphost_team"] ?? {});
    expect(blocks.map((block) => block["members"])).toEqual([
      [{ email: "ada@example.com" }],
      '${concat(var.people, [{"email" = "ada@example.com"}])}',
    ]);
  });
});

test("props with a fixed choice take nothing else", () => {
  const stack = newStack();
  const settings = { alias: "second", environment: "test", preflight: "off" } as const;
  new ErphostProvider(stack, "second", { ...settings, sameName: "error" });
  new Team(stack, "team");
  expect(() => synth(stack)).not.toThrow();
  // @ts-expect-error There is no such kind of key.
  new ErphostProvider(stack, "third", { alias: "third", environment: "staging" });
  // @ts-expect-error A plan cannot do that.
  new ErphostProvider(stack, "fourth", { alias: "fourth", preflight: "maybe" });
  // @ts-expect-error There is no such scope.
  new ApiKey(stack, "key", { permissions: ["servers:reed"] });
  expect(() => synth(stack)).toThrow(
    /erp\/third\] environment [\s\S]*erp\/fourth\] preflight [\s\S]*erp\/key\] permissions\[0\]/,
  );
});
