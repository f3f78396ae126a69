/** Failures, slow objects, what updates leave alone, protection and components on the real engine. */
import { beforeAll, describe, expect, test } from "@jest/globals";
import type { Emulator } from "../../../../emulator";
import type { CommandResult, PulumiStack } from "../../../harness/pulumi-stack";
import { opened, openedEmulator } from "../../support/opened";
import { expectDone, unwrapped } from "../../support/output";
import { openStack } from "../../support/pulumi-plugin";
import { resourcesIn, server, yaml, type Resource } from "../../pulumi-plugin/program";

const PROVISION_MS = 60_000;
const CANARY = "canary-5c0d-note";
const LEFT = /region\W* is left as it is in the service and no longer managed/;

const expectRefused = ({ code, output }: CommandResult, why: RegExp): void => {
  expect(code).not.toBe(0);
  expect(unwrapped(output)).toMatch(why);
};

/** Each run does several things, of which each is a test of its own. */
describe("failures and slow objects", () => {
  let emulator: Emulator;
  let stack: PulumiStack;
  let result: CommandResult;
  let resources: Record<string, Resource> = {};

  const write = (more: Record<string, Resource>): void => {
    resources = { ...resources, ...more };
    stack.write("Pulumi.yaml", yaml({ resources }));
  };
  const instance = (name: string, serverId: string, more = {}, options = {}) => ({
    [name]: { type: "erphost:Instance", properties: { name, serverId, ...more }, options },
  });
  const held = (serverId: string, deletionProtection: boolean) =>
    instance("held", serverId, { deletionProtection });
  const shop = (options: object) => ({
    shop: {
      type: "erphost:Installation",
      properties: {
        serverId: "${failing.id}",
        properties: { note: { "fn::secret": CANARY } },
        deletionProtection: false,
      },
      options: { ...options },
    },
  });
  const one = (kind: string, name: string) =>
    emulator.objects(kind).find((record) => record["name"] === name);
  const idOf = (kind: string, name: string): string => String(one(kind, name)?.["id"]);
  const written = () => emulator.journal().filter(({ method }) => method !== "GET");
  /** Reports that a server failed, once all that are created with it exist. */
  const fail = async (name: string, count: number): Promise<void> => {
    for (let tries = 0; emulator.objects("server").length < count && tries < 600; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    emulator.changeObject("server", idOf("server", name), { status: "failed" });
  };

  beforeAll(async () => {
    emulator = await openedEmulator({ provisionMs: PROVISION_MS });
    stack = opened(await openStack(emulator));
  });

  test("a slow object is kept with a warning, and an object with wait: false without one", async () => {
    const properties = { tier: 1, region: "eu-central" };
    write({
      ...server("slow", { properties }, { customTimeouts: { create: "1s" } }),
      ...server("unawaited", { wait: false }),
      // More than Node sends in headers by default: errors carry the object.
      ...server("failing", { properties: { note: "n".repeat(80_000) } }),
    });
    const begunAt = performance.now();
    [result] = await Promise.all([stack.up(), fail("failing", 3)]);
    expect(performance.now() - begunAt).toBeLessThan(PROVISION_MS);
    expect(unwrapped(result.output)).toMatch(/warning: .*\(slow\).* still provisioning/);
    expect(result.output).not.toMatch(/\(unawaited\)/);
    expect(resourcesIn(stack, "srv_")).toHaveLength(3);
  });

  test("an object that fails is kept and reported, and the next run looks at it again", async () => {
    expectRefused(result, /\(failing\).* ended in the state failed/);
    const id = idOf("server", "failing");
    emulator.changeObject("server", id, { status: "running" });
    // The others become ready later, without a change.
    emulator.advance("2m");
    emulator.setClock({ rate: 3_600 });
    write({
      ...server("slow", { properties: { tier: 1 }, deletionProtection: true }),
      ...server("idle"),
      ...instance("moved", "${slow.id}", {}, { deleteBeforeReplace: true }),
      ...held("${slow.id}", true),
      ...shop({}),
    });
    emulator.clearJournal();
    result = expectDone(await stack.run("up", "--yes"));
    expect(idOf("server", "failing")).toBe(id);
    const later = await stack.preview("--refresh", "--expect-no-changes");
    expect(unwrapped(expectDone(later).output)).not.toMatch(LEFT);
  });

  test("with the plugin, a key taken out of properties is reported once, without a call, and later runs are silent", () => {
    const phases = result.output.split("Updating (");
    expect(phases).toHaveLength(2);
    for (const phase of phases) {
      const said = unwrapped(phase.split("Diagnostics:")[1] ?? "");
      expect(said.match(new RegExp(LEFT, "g"))).toHaveLength(1);
      expect(said).toContain("set it to null instead of leaving it out");
    }
    const slow = idOf("server", "slow");
    expect(written().filter(({ path }) => path.includes(slow))).toEqual([]);
    expect(one("server", "slow")).toMatchObject({ region: "eu-central", tier: 1 });
  });

  test("a protected object is neither destroyed nor replaced until an update removes the protection", async () => {
    const kept = one("instance", "held");
    emulator.clearJournal();
    // Another server forces replacement; removing the protection in the same update is not enough.
    write(held("${failing.id}", false));
    expectRefused(await stack.up(), /deletionProtection prevents replacing/);
    const urn = resourcesIn(stack, String(kept?.["id"]))[0]?.urn ?? "";
    const why = /deletionProtection prevents deleting/;
    expectRefused(await stack.destroy("--target", urn), why);
    expect(one("instance", "held")).toEqual(kept);
    expect(written()).toEqual([]);
  });

  test("with the plugin, a server that someone stopped is renamed without waiting for it, and the run succeeds", async () => {
    const idle = idOf("server", "idle");
    emulator.changeObject("server", idle, { status: "stopped" });
    write({
      ...server("slow", { properties: { tier: 1 }, deletionProtection: false }),
      idle: { type: "erphost:Server", properties: { name: "idle-2" } },
      ...instance("moved", "${failing.id}", {}, { deleteBeforeReplace: true }),
      ...held("${slow.id}", false),
      ...shop({ protect: true }),
    });
    const { output } = expectDone(await stack.up("--refresh"));
    expect(unwrapped(output)).toMatch(/was stopped before this update and is stopped now/);
    expect(one("server", "idle-2")).toMatchObject({ id: idle, status: "stopped" });
  });

  test("the option deleteBeforeReplace deletes an instance before it is replaced", () => {
    const instances = written().filter(({ path }) => path.startsWith("/instances"));
    expect(instances.map(({ method }) => method)).toEqual(["DELETE", "POST"]);
    expect(one("instance", "moved")?.["server_id"]).toBe(idOf("server", "failing"));
  });

  test("a component's options and secrets reach its resources", async () => {
    expect(one("instance", "shop")).toMatchObject({ note: CANARY });
    expect(stack.stateText()).not.toContain(CANARY);
    // One process of the plugin serves them all.
    const providers = stack.stateText().match(/"type": *"pulumi:providers:erphost"/g);
    expect(providers).toHaveLength(1);
    expectRefused(await stack.destroy(), /shop-instance.* cannot be deleted.*protect/);
  });

  test("without its protection an object is replaced, and everything is destroyed", async () => {
    const kept = idOf("instance", "held");
    write({ ...held("${failing.id}", false), ...shop({ protect: false }) });
    expectDone(await stack.up());
    const moved = one("instance", "held");
    expect(moved?.["id"]).not.toBe(kept);
    expect(moved?.["server_id"]).toBe(idOf("server", "failing"));
    expectDone(await stack.destroy());
    for (const kind of ["server", "instance"]) expect(emulator.objects(kind)).toEqual([]);
  });
});
