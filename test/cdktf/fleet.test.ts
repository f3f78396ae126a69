import { expect, test } from "@jest/globals";
import { ErphostProvider, InstanceFleet, Server, ServerFleet } from "../../cdktf-bindings";
import type { InstanceFleetProps } from "../../cdktf-bindings";
import { allOf, newStack, synth, variable } from "./support/stack";

/** A fleet, and what it synthesises. */
function fleet(names: readonly string[], props: Partial<InstanceFleetProps> = {}) {
  const stack = newStack();
  const server = Server.fromServerId(stack, "server", "srv_1");
  const given = { instances: names, version: "17.0", common: { server }, ...props };
  const { waves } = new InstanceFleet(stack, "shops", given);
  return { waves, blocks: synth(stack).resource?.["erphost_instance"] ?? {} };
}

/** The blocks without their order. */
const objectsOf = (blocks: ReturnType<typeof fleet>["blocks"]) =>
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
  const upgraded = fleet(["a", "b", "c", "d", "e"], props).waves;
  expect(upgraded.map((wave) => wave.join("")).join(" ")).toBe(waves);
});

test("each wave waits for the one before to be ready, and the first for none", () => {
  const { blocks } = fleet(["a", "b", "c"], { waveSize: 1 });
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
  const one = fleet(["a", "b", "c", "d"], { waveSize: 1 });
  const other = fleet(["d", "c", "b", "a"], { canaries: ["c"], waveSize: "50%" });
  expect(objectsOf(other.blocks)).toEqual(objectsOf(one.blocks));
});

test("a member that is added or removed does not affect the others", () => {
  const all = objectsOf(fleet(["a", "b", "c"]).blocks);
  const [, second = ""] = Object.keys(all);
  const { [second]: __, ...others } = all;
  expect(objectsOf(fleet(["a", "c"]).blocks)).toEqual(others);
});

test("members have props of their own, and keep what they bring of order and conditions", () => {
  const stack = newStack();
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
  [{ common: {} }, /\[erp\/shops\/a\] server is required/],
])("a fleet with %j is refused with what to do", (props, fault) => {
  expect(() => fleet(["a", "b"], props)).toThrow(fault);
});

test("a fleet without members has no canary to name", () => {
  expect(fleet([], { canaries: [] }).waves).toEqual([]);
});

test("a fleet without props, as a program in JavaScript may declare it, is refused with what is missing", () => {
  const stack = newStack();
  new InstanceFleet(stack, "shops", undefined as never);
  new ServerFleet(stack, "trials", undefined as never);
  for (const missing of ["shops] instances", "shops] version", "trials] servers"]) {
    expect(() => synth(stack)).toThrow(`[erp/${missing} is required.`);
  }
});

test("a member whose name only Terraform knows needs an id", () => {
  const stack = newStack();
  const name = variable(stack, "name").stringValue;
  const make = (instances: InstanceFleetProps["instances"]) => () =>
    new InstanceFleet(stack, `fleet-${instances.length}`, { instances, version: "17.0" });
  expect(make([name])).toThrow(/instances\[0\] has a name that is known only when Terraform runs/);
  expect(make(["a", { id: "b", name }])).not.toThrow();
});
