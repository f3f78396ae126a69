import { beforeEach, expect, test } from "@jest/globals";
import { Fn, Token, type TerraformStack } from "cdktf";
import {
  BackedUpInstance,
  Backup,
  ErpInstallation,
  RotatedApiKey,
  SealedApiKey,
  Server,
  ServerFleet,
} from "../../cdktf-bindings";
import {
  allOf,
  neverNull,
  newStack,
  only,
  RECIPIENT,
  synth,
  synthOf,
  variable,
  written,
} from "./support/stack";

let stack: TerraformStack;
beforeEach(() => void (stack = newStack()));

const hosted = (stack: TerraformStack) => Server.fromServerId(stack, "server", "srv_1");
const permissions = ["servers:read"] as const;

test("an installation declares a server, an instance, a first backup and a team", () => {
  const members = [{ email: "ada@example.com", role: "admin" }];
  const given = { version: "17.0", edition: "community", members };
  const { resource } = synthOf((stack) => new ErpInstallation(stack, "production", given));
  expect(resource).toMatchSnapshot();
});

test("an installation can run on an existing server", () => {
  const { resource } = synthOf(
    (stack) => new ErpInstallation(stack, "trial", { server: hosted(stack) }),
  );
  expect(Object.keys(resource ?? {})).toEqual(["erphost_backup", "erphost_instance"]);
  expect(only(resource, "erphost_instance")["server_id"]).toBe("srv_1");
});

test("an installation refuses server props together with an existing server", () => {
  new ErpInstallation(stack, "trial", { server: hosted(stack), serverProps: { wait: false } });
  expect(() => synth(stack)).toThrow(/\[erp\/trial\] serverProps .* Remove serverProps\./);
});

test("a backed-up instance is backed up before and after an upgrade, passes its props on, and is an instance like any other", () => {
  const given = { properties: { kept: "1y" }, wait: false };
  const backupProps = { triggers: { month: "1" }, ...given };
  const of = { server: hosted(stack), version: "18.0", backupProps };
  const erp = new BackedUpInstance(stack, "erp", of);
  new Backup(stack, "own", { instance: erp });
  const { resource } = synth(stack);
  expect(only(resource, "erphost_instance")).toMatchObject({ backup_before_upgrade: true });
  expect(allOf(stack, "backup")).toMatchObject([
    { triggers: { month: "1", release: "18.0" }, ...given },
    { instance_id: written(stack, erp.instanceId) },
  ]);
  expect(written(stack, erp.status)).toMatch(/^\$\{erphost_instance\..*\.status\}$/);
});

test("an installation passes props on to all that it declares, and its server is a whole one", () => {
  const { server } = new ErpInstallation(stack, "it", {
    ...{ serverProps: { timeouts: { create: "5m" } }, instanceProps: { properties: { a: 1 } } },
    backupProps: { timeouts: { create: "6m" } },
    ...{ members: [], teamProps: { name: "ops", properties: { b: 1 } } },
  });
  server.addInstance("second", { name: server.status });
  const { resource } = synth(stack);
  expect(only(resource, "erphost_server")).toMatchObject({ timeouts: { create: "5m" } });
  expect(only(resource, "erphost_backup")).toMatchObject({ timeouts: { create: "6m" } });
  expect(only(resource, "erphost_team")).toMatchObject({ name: "ops", properties: { b: 1 } });
  expect(Object.keys(resource?.["erphost_instance"] ?? {})).toHaveLength(2);
});

test("a fleet's servers keep their addresses when others are removed or reordered", () => {
  const names = (servers: readonly string[]): string[] => {
    const { resource } = synthOf((stack) => new ServerFleet(stack, "fleet", { servers }));
    return Object.keys(resource?.["erphost_server"] ?? {}).sort();
  };
  const [, ...rest] = names(["a", "b", "c"]);
  expect(names(["c", "b"])).toEqual(rest);
});

test("a fleet shares its common props, and a member's own props win", () => {
  const servers = ["eu/1", { name: "us", properties: { region: "us" } }];
  const common = { properties: { region: "eu" } };
  const fleet = new ServerFleet(stack, "fleet", { servers, common });
  expect(Object.keys(fleet.servers)).toEqual(["eu/1", "us"]);
  expect(allOf(stack, "server")).toMatchObject([
    { name: "eu/1", properties: { region: "eu" } },
    { name: "us", properties: { region: "us" } },
  ]);
});

test("a fleet's common properties are extended by a member's own, key by key", () => {
  new ServerFleet(stack, "fleet", {
    servers: [
      { name: "a", properties: { size: "large" }, secretProperties: { two: "2" } },
      { name: "b", properties: Token.asAnyMap(Fn.merge([{ x: 1 }, { y: 2 }])) },
    ],
    common: { properties: { region: "eu", size: "small" }, secretProperties: { one: "1" } },
  });
  const [a, b] = allOf(stack, "server");
  expect(a).toMatchObject({
    properties: { region: "eu", size: "large" },
    secret_properties: { one: "1", two: "2" },
  });
  expect(b?.["properties"]).toMatch(/^\$\{merge\(\{"region" = "eu", "size" = "small"\}, merge\(/);
});

test("a member of a fleet without an id and a name is refused", () => {
  const servers = ["a", { wait: true }];
  const fleet = () => synthOf((stack) => new ServerFleet(stack, "fleet", { servers }));
  expect(fleet).toThrow(/\[erp\/fleet\] servers\[1\]\.id is required/);
});

test("a sealed key is a key like any other", () => {
  const key = new SealedApiKey(stack, "pipeline", { permissions, recipient: RECIPIENT });
  const ids = [key.apiKeyId, key.currentKeyId, key.encryptedValue];
  expect(ids.map((id) => written(stack, id))).toEqual([
    expect.stringMatching(/\.id\}$/),
    expect.stringMatching(/\.current_key_id\}$/),
    expect.stringMatching(/\.encrypted_value\}$/),
  ]);
  new RotatedApiKey(stack, "again", { key });
  expect(() => synth(stack)).toThrow(/erp\/again rotates the key that erp\/pipeline\/Key declares/);
});

test("a sealed key whose recipient is null in the end has an empty one, which the provider refuses", () => {
  const recipient = variable(stack).stringValue;
  const key = new SealedApiKey(stack, "pipeline", { permissions, recipient });
  expect(allOf(stack, "api_key")).toMatchObject([{ recipient: neverNull("var.given") }]);
  const texts = key.deliverTo("store", (_scope, _id, { text }) => text);
  expect(written(stack, texts)).toMatch(/\.encrypted_value\}$/);
});

test("a sealed key has the encrypted secret as its only output", () => {
  const { resource, output } = synthOf(
    (stack) => new SealedApiKey(stack, "pipeline", { permissions, recipient: RECIPIENT }),
  );
  const given = { rotate_after: "90d", grace_period: "7d", recipient: RECIPIENT };
  expect(only(resource, "erphost_api_key")).toMatchObject(given);
  expect(Object.values(output ?? {}).map(({ value }) => value)).toEqual([
    expect.stringMatching(/\.encrypted_value\}$/),
  ]);
});
