import { beforeEach, describe, expect, test } from "@jest/globals";
import { Fn, TerraformIterator, Token, type TerraformStack } from "cdktf";
import { Backup, Instance, Server, Team, ApiKey, RotatedApiKey } from "../../cdktf-bindings";
import { ErpInstallation, ErphostProvider, l1 } from "../../cdktf-bindings";
import { newStack, only, synth, synthOf, variable } from "./support/stack";

let stack: TerraformStack;
beforeEach(() => void (stack = newStack()));
const key = (stack: TerraformStack, id: string) => ApiKey.fromApiKeyId(stack, `of-${id}`, "key_1");
const secret = { password: "p" };
const unencrypted = { alias: "eu", baseUrl: "http://erp.example/v1" };

describe("synthesis refuses", () => {
  type Build = (stack: TerraformStack) => unknown;
  const failing: Readonly<Record<string, readonly [Build, string | RegExp]>> = {
    "an address of the service without its version": [
      (stack) => new ErphostProvider(stack, "it", { alias: "a", baseUrl: "https://erp.example" }),
      "[erp/it] baseUrl must end in /v1; did you mean https://erp.example/v1?",
    ],
    "a folder of intents that is relative to where the engine runs": [
      (stack) => new ErphostProvider(stack, "it", { alias: "a", intentsDir: "./.erphost" }),
      "[erp/it] intentsDir is relative",
    ],
    "an API key of another form": [
      (stack) => new ErphostProvider(stack, "it", { alias: "a", apiKey: "secret" }),
      "[erp/it] apiKey is not a valid API key;",
    ],
    "a setting of the generated provider class that is out of range": [
      (stack) => new l1.provider.ErphostProvider(stack, "it", { alias: "a", share: 2 }),
      "[erp/it] share must be a number above 0 and at most 1",
    ],
    "an argument of a generated construct, by its prop": [
      (stack) => new l1.instance.Instance(stack, "it", { name: "it", serverId: "" }),
      "[erp/it] serverId must not be empty.",
    ],
    "two rotators of one key, known by its id": [
      (stack) => ["a", "b"].map((id) => new RotatedApiKey(stack, id, { key: key(stack, id) })),
      "[erp] erp/a and erp/b rotate the same key. Remove one of them.",
    ],
    "a generated rotation of a key that a construct declares": [
      (stack) => {
        const own = new ApiKey(stack, "own", { permissions: ["read"] });
        return new l1.apiKeyRotation.ApiKeyRotation(stack, "it", { keyId: own.currentKeyId });
      },
      "[erp] erp/it rotates the key that erp/own declares, which already rotates it.",
    ],
    "two objects with the same token": [
      (stack) => ["a", "b"].map((id) => new Server(stack, id, { idempotencyToken: "mine" })),
      "[erp] erp/a and erp/b have the same idempotencyToken. Give each one of its own, or leave it out.",
    ],
    "props of a team that is not created": [
      (stack) => new ErpInstallation(stack, "it", { teamProps: { name: "ops" } }),
      "[erp/it] teamProps has no effect, because members is not set. Remove teamProps.",
    ],
    "an instance without props": [
      (stack) => new Instance(stack, "it", undefined as never),
      "[erp/it] server is required. Pass a construct of the class Server.",
    ],
    "a live key that would travel unencrypted": [
      (stack) => new ErphostProvider(stack, "eu", { ...unencrypted, apiKey: "acme_live_4f9c2b7d" }),
      /\[erp\/eu\] baseUrl .*live/,
    ],
    "a timeout that is not a duration": [
      (stack) => new Server(stack, "web", { timeouts: { create: "5 minutes" } }),
      /\[erp\/web\] timeouts\.create must be a duration such as 90s, 5m or 1h30m\. For example timeouts: \{ create: "5m" \}\./,
    ],
    "a timeout of nothing": [
      (stack) => new Server(stack, "web", { timeouts: { create: "0s" } }),
      "[erp/web] timeouts.create must be a duration",
    ],
    "a secret that is set twice": [
      (stack) => new Server(stack, "web", { secretProperties: secret, secretPropertiesWo: secret }),
      /\[erp\/web\] secretProperties and secretPropertiesWo set the same value\. Remove one of them\./,
    ],
    "an override of an unknown attribute": [
      (stack) => new Server(stack, "web").resource.addOverride("nmae", "x"),
      /\[erp\/web\] nmae is not an input of a server \(did you mean name\?\)/,
    ],
    "a count that would share one identity": [
      (stack) => Object.assign(new Server(stack, "web").resource, { count: 3 }),
      /\[erp\/web\] The argument count would give several objects the same identity\. Declare one construct per object/,
    ],
  };

  test.each(Object.entries(failing))("%s", (_, [build, message]) => {
    expect(() => synthOf(build)).toThrow(message);
  });

  test("a fault in a secret does not repeat its value", () => {
    new Server(stack, "web").resource.addOverride("secret_properties", "hunter2");
    expect(() => synth(stack)).toThrow(/\[erp\/web\] secretProperties /);
    expect(() => synth(stack)).not.toThrow(/hunter2/);
  });

  test("an id in place of a construct, where it is written", () => {
    // @ts-expect-error It does not compile, either.
    expect(() => new Instance(stack, "it", { server: "srv_1" })).toThrow(
      '[erp/it] server must be a construct that refers to a server, not an id or a name. For an object that exists already: Server.fromServerId(scope, "existing", id).',
    );
    const server = new Team(stack, "team");
    // @ts-expect-error It does not compile, either.
    expect(() => new Backup(stack, "b", { server })).toThrow(/\[erp\/b\] server must/);
  });

  test("words that the service does not have, when they are compiled and when they run", () => {
    // @ts-expect-error A misspelt scope.
    new ApiKey(stack, "key", { permissions: ["servers:raed"] });
    // @ts-expect-error A kind of key that does not exist.
    new ErphostProvider(stack, "a", { alias: "a", environment: "production" });
    // @ts-expect-error A choice that does not exist.
    new ErphostProvider(stack, "b", { alias: "b", sameName: "adopt" });
    // @ts-expect-error A plan cannot do that.
    new ErphostProvider(stack, "c", { alias: "c", preflight: "maybe" });
    // @ts-expect-error A backup of nothing.
    new Backup(stack, "backup", { triggers: { day: "1" } });
    const backup = "[erp/backup] Exactly one of instance and server";
    const choices = ["[erp/a] environment", "[erp/b] sameName", "[erp/c] preflight", backup];
    for (const fault of ["[erp/key] permissions[0]", ...choices]) {
      expect(() => synth(stack)).toThrow(fault);
    }
  });
});

describe("synthesis accepts", () => {
  test("a value that is known only later passes synthesis", () => {
    const name = variable(stack, "name");
    const server = new Server(stack, "web", {
      name: name.stringValue,
      properties: { count: Fn.lengthOf(["a"]), first: Fn.upper("a"), more: "${var.name}" },
      readyStates: Fn.split(",", name.stringValue),
    });
    new ApiKey(stack, "key", { permissions: ["servers:read"], rotateAfter: "${var.name}" });
    expect(server.serverId).toContain("TOKEN");
    expect(() => synth(stack)).not.toThrow();
  });

  test("settings of the provider that are known only later", () => {
    const later = (stack: TerraformStack) => {
      const given = variable(stack);
      const limits = Fn.split(",", given.stringValue);
      const [apiKey, share] = [given.stringValue, Token.asNumber(given.value)];
      new ErphostProvider(stack, "second", { alias: "second", apiKey, limits, share });
    };
    expect(() => synthOf(later)).not.toThrow();
  });

  test("the remedy for several objects of one construct: a token with each.key in it", () => {
    const forEach = TerraformIterator.fromList(["a", "b"]);
    const name = String(forEach.key);
    const idempotencyToken = `t ${name}`;
    new l1.server.Server(stack, "web", { name, forEach, idempotencyToken });
    new l1.team.Team(stack, "team", { name, forEach, idempotencyToken });
    const { idempotency_token } = only(synth(stack).resource, "erphost_server");
    expect(idempotency_token).toBe("t ${each.key}");
    new l1.server.Server(stack, "same", { name, forEach, idempotencyToken: "t" });
    expect(() => synth(stack)).toThrow(/\[erp\/same\] The argument forEach would give several/);
  });

  test("permissions that are known only later", () => {
    // A variable's value has no type of its own.
    const permissions = Token.asAny(variable(stack, "given", "list(string)").value);
    new ApiKey(stack, "key", { permissions });
    expect(only(synth(stack).resource, "erphost_api_key")["permissions"]).toBe("${var.given}");
  });
});
