/** Failures, slow objects, protection and components on the real engine. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import { PulumiStack, type CommandResult } from "../../harness/pulumi-stack";
import { expectDone, unwrapped } from "../support/output";
import { placePlugin } from "../support/pulumi-plugin";

const PROVISION_MS = 60_000;

const expectRefused = ({ code, output }: CommandResult, why: RegExp): void => {
  expect(code).not.toBe(0);
  expect(unwrapped(output)).toMatch(why);
};

describe("failures and slow objects", () => {
  let emulator: Emulator;
  let stack: PulumiStack;
  let resources: Record<string, object> = {};

  const write = (more: Record<string, object>): void => {
    resources = { ...resources, ...more };
    const text = `name: every-kind\nruntime: yaml\nresources: ${JSON.stringify(resources)}\n`;
    stack.write("Pulumi.yaml", text);
  };
  const server = (name: string, properties: object = {}, options: object = {}) => ({
    [name]: { type: "erphost:Server", properties: { name, ...properties }, options },
  });
  const one = (kind: string, name: string) =>
    emulator.objects(kind).find((record) => record["name"] === name);
  /** Reports that a server failed, as soon as it exists. */
  const fail = async (name: string): Promise<void> => {
    for (let tries = 0; !one("server", name) && tries < 600; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    emulator.changeObject("server", String(one("server", name)?.["id"]), { status: "failed" });
  };

  beforeAll(async () => {
    emulator = await startEmulator({ provisionMs: PROVISION_MS });
    stack = await PulumiStack.create({
      program: join(__dirname, "programs"),
      env: { ERPHOST_BASE_URL: emulator.baseUrl, ERPHOST_API_KEY: emulator.adminKey },
    });
    await placePlugin(stack);
  });
  afterAll(async () => {
    stack.remove();
    await emulator.close();
  });

  test("a slow object is kept with a warning, and an object with wait: false without one", async () => {
    write({
      ...server("slow", {}, { customTimeouts: { create: "1s" } }),
      ...server("unawaited", { wait: false }),
    });
    const begunAt = performance.now();
    const { output } = expectDone(await stack.up());
    expect(performance.now() - begunAt).toBeLessThan(PROVISION_MS);
    expect(unwrapped(output)).toMatch(/warning: .*\(slow\).* still provisioning/);
    expect(output).not.toMatch(/\(unawaited\)/);
    expect(emulator.objects("server")).toHaveLength(2);
    // They become ready later, without a change.
    emulator.advance("2m");
    expectDone(await stack.refresh());
    expectDone(await stack.up("--expect-no-changes"));
  });

  test("an object that fails is kept and reported, and the next run looks at it again", async () => {
    // More than Node sends in headers by default: errors carry the object.
    write(server("failing", { properties: { note: "n".repeat(80_000) } }));
    const [result] = await Promise.all([stack.up(), fail("failing")]);
    expectRefused(result, /\(failing\).* ended in the state failed/);
    const id = one("server", "failing")?.["id"];
    emulator.changeObject("server", String(id), { status: "running" });
    expectDone(await stack.up());
    expect(one("server", "failing")?.["id"]).toBe(id);
    expectDone(await stack.preview("--expect-no-changes"));
  });

  test("the option deleteBeforeReplace deletes an instance before it is replaced", async () => {
    emulator.setClock({ rate: 3_600 });
    const instance = (serverId: string) => ({
      moved: {
        type: "erphost:Instance",
        properties: { name: "moved", serverId },
        options: { deleteBeforeReplace: true },
      },
    });
    write(instance("${slow.id}"));
    expectDone(await stack.up());
    emulator.clearJournal();
    write(instance("${failing.id}"));
    expectDone(await stack.up());
    const written = emulator.journal().filter(({ method }) => method !== "GET");
    expect(written.map(({ method }) => method)).toEqual(["DELETE", "POST"]);
    expect(one("instance", "moved")?.["server_id"]).toBe(one("server", "failing")?.["id"]);
  });

  test("a protected object is neither destroyed nor replaced until an update removes the protection", async () => {
    emulator.setClock({ rate: 3_600 });
    const held = (serverId: string, deletionProtection: boolean) => ({
      held: {
        type: "erphost:Instance",
        properties: { name: "held", serverId, deletionProtection },
      },
    });
    write(server("slow", { deletionProtection: true }, {}));
    write(held("${slow.id}", true));
    expectDone(await stack.up());
    const kept = one("instance", "held");
    emulator.clearJournal();
    // Another server forces replacement; removing the protection in the same update is not enough.
    for (const deletionProtection of [true, false]) {
      write(held("${failing.id}", deletionProtection));
      const why = /deletionProtection prevents replacing/;
      if (deletionProtection) expectRefused(await stack.preview(), why);
      expectRefused(await stack.up(), why);
    }
    write(held("${slow.id}", true));
    expectRefused(await stack.destroy(), /deletionProtection prevents deleting/);
    expect(one("server", "slow")).toBeDefined();
    expect(emulator.objects("instance").filter(({ name }) => name === "held")).toEqual([kept]);
    const written = emulator.journal().filter(({ method }) => method !== "GET");
    expect(written.filter(({ path }) => path.includes(String(kept?.["id"])))).toEqual([]);
    expect(written.filter(({ method }) => method === "POST")).toEqual([]);
    write(server("slow", { deletionProtection: false }, {}));
    write(held("${slow.id}", false));
    expectDone(await stack.up());
    write(held("${failing.id}", false));
    expectDone(await stack.up());
    const moved = one("instance", "held");
    expect(moved?.["id"]).not.toBe(kept?.["id"]);
    expect(moved?.["server_id"]).toBe(one("server", "failing")?.["id"]);
    expectDone(await stack.destroy());
    for (const kind of ["server", "instance"]) expect(emulator.objects(kind)).toEqual([]);
  });

  test("the component in the documentation can be created and destroyed", async () => {
    const page = readFileSync(join(__dirname, "../../..", "docs", "pulumi-plugin.md"), "utf8");
    const text = /^```yaml\n([^]*?)^```$/m.exec(page)?.[1] ?? "";
    stack.write("Pulumi.yaml", text.replace("name: shop", "name: every-kind"));
    expectDone(await stack.up());
    expect(await stack.outputs()).toEqual({ instanceId: one("instance", "shop")?.["id"] });
    expectDone(await stack.destroy());
    expect(emulator.objects("server")).toEqual([]);
  });

  test("a component's options and secrets reach its resources", async () => {
    const CANARY = "canary-5c0d-note";
    const shop = (options: object): void => {
      resources = server("own");
      write({
        shop: {
          type: "erphost:Installation",
          properties: {
            serverId: "${own.id}",
            properties: { note: { "fn::secret": CANARY } },
            deletionProtection: false,
          },
          options,
        },
      });
    };
    shop({ protect: true });
    expectDone(await stack.preview());
    expectDone(await stack.up());
    expect(one("instance", "shop")).toMatchObject({ note: CANARY });
    expect(stack.stateText()).not.toContain(CANARY);
    // One process of the plugin serves them all.
    const providers = stack.stateText().match(/"type": *"pulumi:providers:erphost"/g);
    expect(providers).toHaveLength(1);
    expectRefused(await stack.destroy(), /shop-instance.* cannot be deleted.*protect/);
    shop({ protect: false });
    expectDone(await stack.up());
    expectDone(await stack.destroy());
    expect(emulator.objects("instance")).toEqual([]);
  });
});
