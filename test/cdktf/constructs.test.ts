import { describe, expect, test } from "@jest/globals";
import { Fn, TerraformVariable } from "cdktf";
import { ApiKey, Backup, Instance, l1, RotatedApiKey, Server, Team } from "../../cdktf-bindings";
import { newStack, only, synth, written } from "./support/stack";

const RECIPIENT = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p";

describe("constructs", () => {
  test("a construct's resource is its default child, with the construct's own address", () => {
    const stack = newStack();
    const server = new Server(stack, "web");
    expect(server.node.defaultChild).toBe(server.resource);
    expect(server.resource).toBeInstanceOf(l1.server.Server);
    expect(server.resource.friendlyUniqueId).toBe("web");
  });

  test("a server without props has a name and an identity", () => {
    const stack = newStack();
    new Server(stack, "web");
    expect(only(synth(stack).resource, "erphost_server")).toEqual({
      name: "web",
      idempotency_token: "erp/web of ${terraform.workspace}",
    });
  });

  test("constructs refer to each other without ids", () => {
    const stack = newStack();
    const server = new Server(stack, "web");
    const instance = server.addInstance("erp", { version: "17.0" });
    const backup = new Backup(stack, "nightly", { instance, triggers: { day: "1" } });
    const { resource } = synth(stack);
    expect(only(resource, "erphost_instance")).toMatchObject({
      name: "erp",
      server_id: `\${erphost_server.${server.resource.friendlyUniqueId}.id}`,
      backup_before_upgrade: true,
      idempotency_token: "erp/web/erp of ${terraform.workspace}",
    });
    expect(only(resource, "erphost_backup")).toMatchObject({
      instance_id: `\${erphost_instance.${instance.resource.friendlyUniqueId}.id}`,
    });
    expect(backup.node.path).toBe("erp/nightly");
  });

  test("the constructs synthesise what they did before", () => {
    const stack = newStack();
    const server = new Server(stack, "web", {
      properties: { region: "eu-central" },
      secretProperties: { password: "given" },
      deletionProtection: true,
      timeouts: { create: "5m" },
    });
    const instance = new Instance(stack, "erp", { server, version: "17.0", edition: "community" });
    new Backup(stack, "of-instance", { instance });
    new Backup(stack, "of-server", { server });
    new Team(stack, "operations", { members: [{ email: "ada@example.com", role: "admin" }] });
    new ApiKey(stack, "pipeline", {
      permissions: ["servers:read"],
      rotateAfter: "90d",
      recipient: RECIPIENT,
    });
    new RotatedApiKey(stack, "dashboard", { key: ApiKey.fromApiKeyId(stack, "old", "key_1") });
    expect(synth(stack).resource).toMatchSnapshot();
  });

  test("existing objects are referred to by id, or by a name that the plan looks up", () => {
    const stack = newStack();
    const byId = Server.fromServerId(stack, "by-id", "srv_1");
    const byName = Server.fromServerName(stack, "by-name", "erp-production");
    new Instance(stack, "one", { server: byId });
    new Instance(stack, "two", { server: byName });
    Instance.fromInstanceName(stack, "instance", "erp");
    Team.fromTeamName(stack, "team", "operations");
    ApiKey.fromApiKeyName(stack, "key", "pipeline");
    const { resource, data } = synth(stack);
    expect(only(data, "erphost_server")).toEqual({ name: "erp-production" });
    expect(only(data, "erphost_instance")).toEqual({ name: "erp" });
    expect(only(data, "erphost_team")).toEqual({ name: "operations" });
    expect(only(data, "erphost_api_key")).toEqual({ name: "pipeline" });
    const ids = Object.values(resource?.["erphost_instance"] ?? {}).map(
      (each) => each["server_id"],
    );
    expect(ids).toEqual(["srv_1", expect.stringMatching(/^\$\{data\.erphost_server\..+\.id\}$/)]);
  });

  test("what the service decides of an object can be read from its construct and its lookup", () => {
    const stack = newStack();
    const server = new Server(stack, "web");
    const instance = server.addInstance("erp");
    const key = new ApiKey(stack, "key", { permissions: ["read"] });
    const found = Server.fromServerName(stack, "found", "erp-production");
    const address = (value: unknown) => written(stack, value);
    expect([server.name, server.status, server.createdAt, server.properties].map(address)).toEqual([
      "${erphost_server.web.name}",
      "${erphost_server.web.status}",
      "${erphost_server.web.created_at}",
      "${erphost_server.web.properties}",
    ]);
    expect([instance.name, instance.version, instance.edition].map(address)).toEqual([
      expect.stringMatching(/^\$\{erphost_instance\..*\.name\}$/),
      expect.stringMatching(/^\$\{erphost_instance\..*\.version\}$/),
      expect.stringMatching(/^\$\{erphost_instance\..*\.edition\}$/),
    ]);
    expect([key.rotationDue, key.rotatedAt, key.previousKeyExpiresAt].map(address)).toEqual([
      "${erphost_api_key.key.rotation_due}",
      "${erphost_api_key.key.rotated_at}",
      "${erphost_api_key.key.previous_key_expires_at}",
    ]);
    expect(address(found.data.status)).toBe("${data.erphost_server.found.status}");
  });

  test("a program's own lifecycle and idempotency token are kept", () => {
    const stack = newStack();
    new Server(stack, "web", {
      idempotencyToken: "mine",
      lifecycle: { ignoreChanges: ["name"], preventDestroy: true },
    });
    expect(only(synth(stack).resource, "erphost_server")).toMatchObject({
      idempotency_token: "mine",
      lifecycle: { ignore_changes: ["name"], prevent_destroy: true },
    });
  });
});

describe("a bad argument", () => {
  const failing: [string, (stack: ReturnType<typeof newStack>) => unknown, RegExp][] = [
    [
      "an empty name",
      (stack) => new Server(stack, "web", { name: "" }),
      /\[erp\/web\] name .*Name of the server\. For example name: "erp-production"\./,
    ],
    [
      "a period of weeks",
      (stack) => new ApiKey(stack, "key", { permissions: ["servers:read"], rotateAfter: "2w" }),
      /\[erp\/key\] rotateAfter .*For example rotateAfter: "90d"\./,
    ],
    [
      "a backup of nothing",
      (stack) => new Backup(stack, "backup", {} as never),
      /\[erp\/backup\] Exactly one of instance and server is required\./,
    ],
    [
      "a backup of two things",
      (stack) => {
        const server = Server.fromServerId(stack, "server", "srv_1");
        const instance = Instance.fromInstanceId(stack, "instance", "ins_1");
        return new Backup(stack, "backup", { server, instance } as never);
      },
      /\[erp\/backup\] Exactly one of instance and server is required\./,
    ],
    [
      "a member's invalid email address",
      (stack) => new Team(stack, "team", { members: [{ email: "ada" }] }),
      /\[erp\/team\] members\[0\]\.email .*For example members: /,
    ],
    [
      "a timeout that is not a duration",
      (stack) => new Server(stack, "web", { timeouts: { create: "5 minutes" } }),
      /\[erp\/web\] timeouts\.create must be a duration such as 90s, 5m or 1h30m\. For example timeouts: \{ create: "5m" \}\./,
    ],
    [
      "a secret that is set twice",
      (stack) => {
        const secret = { password: "p" };
        new Server(stack, "web", { secretProperties: secret, secretPropertiesWo: secret });
      },
      /\[erp\/web\] secretProperties and secretPropertiesWo set the same value\. Remove one of them\./,
    ],
    [
      "a property with the name of a field",
      (stack) => new Server(stack, "web", { properties: { name: "other" } }),
      /\[erp\/web\] properties\.name /,
    ],
    [
      "an override of an unknown attribute",
      (stack) => new Server(stack, "web").resource.addOverride("nmae", "x"),
      /\[erp\/web\] nmae is not an input of a server \(did you mean name\?\)/,
    ],
    [
      "a key with two rotators",
      (stack) => {
        const key = new ApiKey(stack, "own", { permissions: ["servers:read"] });
        return new RotatedApiKey(stack, "key", { key });
      },
      /\[erp\] erp\/key rotates the key that erp\/own declares, which already rotates it\. Set rotateAfter or triggers on erp\/own, and remove erp\/key\./,
    ],
    [
      "a count that would share one identity",
      (stack) => {
        new Server(stack, "web").resource.count = 3;
      },
      /\[erp\/web\] The argument count would give several objects the same identity\. Declare one construct per object/,
    ],
    [
      "an empty id",
      (stack) => Server.fromServerId(stack, "web", ""),
      /\[erp\/web\] serverId must not be empty\. Or use fromServerName\./,
    ],
  ];

  test.each(failing)(
    "%s is refused at synthesis with path, field and remedy",
    (_, build, message) => {
      const stack = newStack();
      build(stack);
      expect(() => synth(stack)).toThrow(message);
    },
  );

  test("a fault in a secret does not repeat its value", () => {
    const stack = newStack();
    const server = new Server(stack, "web");
    server.resource.addOverride("secret_properties", "hunter2");
    expect(() => synth(stack)).toThrow(/\[erp\/web\] secretProperties /);
    expect(() => synth(stack)).not.toThrow(/hunter2/);
  });

  test("a value that is known only later passes synthesis", () => {
    const stack = newStack();
    const name = new TerraformVariable(stack, "name", { type: "string" });
    const server = new Server(stack, "web", {
      name: name.stringValue,
      properties: { count: Fn.lengthOf(["a"]), first: Fn.upper("a"), more: "${var.name}" },
      readyStates: Fn.split(",", name.stringValue),
    });
    new ApiKey(stack, "key", { permissions: ["servers:read"], rotateAfter: "${var.name}" });
    expect(server.serverId).toContain("TOKEN");
    expect(() => synth(stack)).not.toThrow();
  });
});
