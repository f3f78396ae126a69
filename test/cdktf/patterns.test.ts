/** Patterns: what one construct declares of many objects, and fleets that are upgraded in waves. */
import { beforeEach, expect, test } from "@jest/globals";
import { Fn, Testing, Token, type TerraformStack } from "cdktf";
import { Backup, Server, RotatedApiKey, SealedApiKey } from "../../cdktf-bindings";
import { BackedUpInstance, ErpInstallation, InstanceFleet } from "../../cdktf-bindings";
import { ServerFleet, ErphostProvider, type InstanceFleetProps } from "../../cdktf-bindings";
import { allOf, neverNull, newStack, only, RECIPIENT, synth, synthOf } from "./support/stack";
import { hosted, permissions, variable, expressionIn } from "./support/stack";

let stack: TerraformStack;
beforeEach(() => void (stack = newStack()));

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
    { instance_id: expressionIn(stack, erp.instanceId) },
  ]);
  expect(expressionIn(stack, erp.status)).toMatch(/^\$\{erphost_instance\..*\.status\}$/);
});

test("a backed-up instance takes triggers that Terraform alone knows, as a value and as a map", () => {
  const given = variable(stack, "given", "map(string)");
  // A variable's value has no type of its own.
  const forms = { value: Token.asAny(given.value) as never, map: Token.asStringMap(given.value) };
  for (const [id, triggers] of Object.entries(forms)) {
    const props = { server: Server.fromServerId(stack, `of-${id}`, "srv_1"), version: "17.0" };
    new BackedUpInstance(stack, id, { ...props, backupProps: { triggers } });
  }
  const all = '${merge(var.given, {"release" = "17.0"})}';
  expect(allOf(stack, "backup")).toMatchObject([{ triggers: all }, { triggers: all }]);
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

test("a fleet's common properties are extended by a member's own, key by key, and its own win", () => {
  const { servers } = new ServerFleet(stack, "fleet", {
    servers: [
      "eu/1",
      { name: "a", properties: { size: "large" }, secretProperties: { two: "2" } },
      { name: "b", properties: Token.asAnyMap(Fn.merge([{ x: 1 }, { y: 2 }])) },
    ],
    common: { properties: { region: "eu", size: "small" }, secretProperties: { one: "1" } },
  });
  expect(Object.keys(servers)).toEqual(["eu/1", "a", "b"]);
  const [a, b, eu] = allOf(stack, "server");
  const properties = { region: "eu", size: "small" };
  expect(eu).toMatchObject({ name: "eu/1", properties, secret_properties: { one: "1" } });
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
  expect(ids.map((id) => expressionIn(stack, id))).toEqual([
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
  const empty = neverNull("var.given");
  expect(allOf(stack, "api_key")).toMatchObject([{ recipient: empty }]);
  const hcl = String(Testing.synthHcl(stack, true)).replace(/ +/g, " ");
  expect(hcl).toContain(`recipient = "${empty}"`);
  const texts = key.deliverTo("store", (_scope, _id, { text }) => text);
  expect(expressionIn(stack, texts)).toMatch(/\.encrypted_value\)\}$/);
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

/** A fleet, and what it synthesises. */
function fleetOf(names: readonly string[], props: Partial<InstanceFleetProps> = {}) {
  const stack = newStack();
  const common = { server: hosted(stack) };
  const given = { instances: names, version: "17.0", common, ...props };
  const { waves } = new InstanceFleet(stack, "shops", given);
  return { waves, blocks: synth(stack).resource?.["erphost_instance"] ?? {} };
}

/** The blocks without their order. */
const objectsOf = (blocks: ReturnType<typeof fleetOf>["blocks"]) =>
  Object.fromEntries(
    Object.entries(blocks).map(([at, { depends_on: _, lifecycle: __, ...rest }]) => [at, rest]),
  );

test.each<[string, Partial<InstanceFleetProps>, string]>([
  ["the first one, then all others", {}, "a bcde"],
  ["its canaries, and then waves of a number", { canaries: ["c", "b"], waveSize: 2 }, "bc ad e"],
  ["waves of a share of the others, rounded up", { waveSize: "30%" }, "a bc de"],
  ["one by one where the share is small", { waveSize: "1%" }, "a b c d e"],
  ["all as canaries", { canaries: ["e", "d", "c", "b", "a"] }, "abcde"],
])("a fleet upgrades %s", (_, props, waves) => {
  const upgraded = fleetOf(["a", "b", "c", "d", "e"], props).waves;
  expect(upgraded.map((wave) => wave.join("")).join(" ")).toBe(waves);
});

test("each wave waits for the one before to be ready, and the first for none", () => {
  const { blocks } = fleetOf(["a", "b", "c"], { waveSize: 1 });
  const of = (name: string) => Object.entries(blocks).find(([, each]) => each["name"] === name);
  const [[a = ""] = [], [b = "", second] = [], [, third] = []] = ["a", "b", "c"].map(of);
  expect(blocks[a]).not.toHaveProperty("lifecycle");
  expect(blocks[a]).not.toHaveProperty("depends_on");
  const precondition = {
    condition: `\${alltrue([contains(["running", "stopped"], erphost_instance.${a}.status)])}`,
    error_message: `Wave 2 of erp/shops is left as it is, because wave 1 is not ready: a is \${erphost_instance.${a}.status}. Mend what is not running, or go back to the version before, and apply again.`,
  };
  expect(second).toMatchObject({
    ...{ backup_before_upgrade: true, depends_on: [`erphost_instance.${a}`] },
    lifecycle: { precondition: [precondition] },
  });
  expect(third).toMatchObject({ depends_on: [`erphost_instance.${b}`] });
});

test("another layout of the waves changes nothing but the order", () => {
  const one = fleetOf(["a", "b", "c", "d"], { waveSize: 1 });
  const other = fleetOf(["d", "c", "b", "a"], { canaries: ["c"], waveSize: "50%" });
  expect(objectsOf(other.blocks)).toEqual(objectsOf(one.blocks));
});

test("a member that is added or removed does not affect the others", () => {
  const all = objectsOf(fleetOf(["a", "b", "c"]).blocks);
  const [, second = ""] = Object.keys(all);
  const { [second]: __, ...others } = all;
  expect(objectsOf(fleetOf(["a", "c"]).blocks)).toEqual(others);
});

test("members have props of their own, and keep what they bring of order and conditions", () => {
  const provider = new ErphostProvider(stack, "second", { alias: "second" });
  const server = new Server(stack, "web", { provider });
  const precondition = [{ condition: true, errorMessage: "never" }];
  const own = {
    ...{ name: "b", version: "16.0", properties: { size: "l" }, readyStates: ["up"] },
    ...{ dependsOn: [server], lifecycle: { preventDestroy: true, precondition } },
  };
  const common = { server, properties: { region: "eu" } };
  const given = { instances: ["a", own, "c"], version: "17.0", waveSize: 1, common, provider };
  new InstanceFleet(stack, "shops", given);
  const blocks = allOf(stack, "instance");
  const [b, c] = ["b", "c"].map((name) => blocks.find((each) => each["name"] === name));
  expect(blocks.map((each) => each["provider"])).toEqual(Array(3).fill("erphost.second"));
  expect(b).toMatchObject({
    version: "16.0",
    properties: { region: "eu", size: "l" },
    depends_on: ["erphost_server.web", expect.stringMatching(/^erphost_instance\.shops_a_/)],
    lifecycle: { prevent_destroy: true, precondition: [{ condition: true }, {}] },
  });
  expect(JSON.stringify(c?.["lifecycle"])).toContain(
    'contains(concat([\\"up\\"], [\\"stopped\\"]), erphost_instance.shops_b_',
  );
});

test.each<[Partial<InstanceFleetProps>, RegExp]>([
  [{ canaries: [] }, /\[erp\/shops\] canaries is empty, so an upgrade .* Name at least one/],
  [{ canaries: ["z"] }, /\[erp\/shops\] canaries names "z", .* none of the members\. .* a or b\./],
  [{ waveSize: 0 }, /\[erp\/shops\] waveSize must be a whole number from 1, or a share/],
  [{ waveSize: 1.5 }, /waveSize must be/],
  [{ waveSize: "0%" }, /waveSize must be/],
  [{ waveSize: "101%" }, /waveSize must be/],
  [{ waveSize: "x%" as never }, /waveSize must be/],
  [{ instances: ["a", "a"] }, /\[erp\/shops\] instances lists a more than once/],
])("a fleet with %j is refused with what to do", (props, fault) => {
  expect(() => fleetOf(["a", "b"], props)).toThrow(fault);
});

test("a fleet without members has no canary to name", () => {
  expect(fleetOf([], { canaries: [] }).waves).toEqual([]);
});

test("a fleet without props, as a program in JavaScript may declare it, is refused with what is missing", () => {
  new InstanceFleet(stack, "shops", undefined as never);
  new ServerFleet(stack, "trials", undefined as never);
  for (const missing of ["shops] instances", "shops] version", "trials] servers"]) {
    expect(() => synth(stack)).toThrow(`[erp/${missing} is required.`);
  }
  new ServerFleet(stack, "map", { servers: { a: {} } as never });
  expect(() => synth(stack)).toThrow("[erp/map] servers must be a list.");
});
