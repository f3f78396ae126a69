/** Patterns whose promise only a real engine shows: what a later run plans, and in which order. */
import { beforeAll, describe, expect, test } from "@jest/globals";
import { Aspects, TerraformVariable } from "cdktf";
import {
  BackupSchedule,
  InstanceFleet,
  MaxKeyAge,
  NoAdminKeys,
  RequireBackup,
  SealedApiKey,
  Server,
  type InstanceFleetProps,
} from "../../../../cdktf-bindings";
import type { Emulator } from "../../../../emulator";
import { RECIPIENT } from "../../../cdktf/support/stack";
import { hasEngine, ONE_ENGINE } from "../../../harness/terraform-workspace";
import type { CommandResult, TerraformWorkspace } from "../../../harness/terraform-workspace";
import { deployment, type Deployment } from "../../support/cdktf";
import { expectDone, refusal } from "../../support/output";

const DAY_MS = 86_400_000;

// With each engine every pattern is in the program of every construct (every.test.ts).
(hasEngine(ONE_ENGINE) ? describe : describe.skip)(ONE_ENGINE, () => {
  let deployed: Deployment;
  let emulator: Emulator;
  let workspace: TerraformWorkspace;

  beforeAll(async () => {
    deployed = await deployment(ONE_ENGINE);
    ({ emulator, workspace } = deployed);
    deployed.write(() => undefined);
    expectDone(await workspace.run("init"));
  });

  describe("a fleet", () => {
    type Layout = Pick<InstanceFleetProps, "canaries" | "instances" | "waveSize">;
    const LAYOUT: Layout = { instances: ["a", "b", "c", "d", "e"], waveSize: 2 };
    const program = (version: string, layout = LAYOUT, host = "one"): void => {
      deployed.write((stack) => {
        const servers = ["one", "two"].map((name) => new Server(stack, name));
        const server = servers.find(({ node }) => node.id === host) as Server; // One of these.
        const common = { server, timeouts: { update: "1s" } };
        new InstanceFleet(stack, "shops", { ...layout, version, common });
      });
    };
    const ids = () =>
      Object.fromEntries(
        emulator.objects("instance").map(({ id, name }) => [String(id), String(name)]),
      );
    const idOf = (name: string): string =>
      Object.entries(ids()).find(([, each]) => each === name)?.[0] ?? "";
    /** An upgrade of one member takes long enough for another to overtake it, and ends so. */
    const upgradeOf = (name: string, outcome: "failed" | "never" | "ready") => ({
      match: { method: "PATCH", path: `/instances/${idOf(name)}` },
      effect: { type: "provision" as const, outcome, ms: 150 },
    });
    /** What was written to instances, by name in the order of the calls. */
    const written = (operation: string): string =>
      emulator
        .journal()
        .filter((entry) => entry.operation === `instance.${operation}`)
        .map(({ path }) => names[path.split("/").at(-1) ?? ""])
        .join("");
    let names: Readonly<Record<string, string>> = {};
    const applied = (): Promise<CommandResult> => {
      emulator.clearJournal();
      names = { ...names, ...ids() };
      return workspace.apply();
    };
    const expectApplied = async () => void expectDone(await applied());
    const expectStopped = async (why: RegExp) => expect(refusal(await applied())).toMatch(why);
    const writes = () => emulator.journal().filter(({ method }) => method !== "GET");
    const inWaves = (text: string, ...waves: string[]): void => {
      expect([...text].map((name) => waves.findIndex((wave) => wave.includes(name)))).toEqual(
        waves.flatMap((wave, index) => [...wave].map(() => index)),
      );
    };

    test("a canary that fails, or is not ready in time, stops every later wave, in later runs as well", async () => {
      program("17.0");
      await expectApplied();
      program("18.0");
      emulator.setFaults([upgradeOf("a", "failed")]);
      await expectStopped(/ins_\d+ \(a\).* failed/);
      expect(written("update")).toBe("a");
      emulator.setFaults([]);

      // It has its version now, so that a retry has nothing to change there.
      await expectStopped(/because wave 1 is not ready: a is failed/);
      expect(writes()).toEqual([]);

      // The version before can be set again, and upgrades the canary alone.
      program("17.0");
      emulator.setFaults([upgradeOf("a", "ready")]);
      await expectApplied();
      expect(written("update")).toBe("a");

      // Time is up: a warning for a single instance, and the end for a fleet.
      program("18.0");
      emulator.setFaults([upgradeOf("a", "never")]);
      await expectStopped(/because wave 1 is not ready: a is provisioning/);
      expect(written("update")).toBe("a");
      emulator.setFaults([]);
      emulator.changeObject("instance", idOf("a"), { status: "running" });
    });

    test("members are backed up and upgraded wave by wave", async () => {
      program("17.0");
      await expectApplied();
      program("18.0");
      emulator.setFaults([..."abcde"].map((name) => upgradeOf(name, "ready")));
      await expectApplied();
      inWaves(written("update"), "a", "bc", "de");
      const updates = emulator.journal().filter((each) => each.operation === "instance.update");
      const backups = emulator.objects("backup").slice(-5);
      for (const { path, started_at } of updates) {
        const own = backups.find(({ instance_id: id }) => path.endsWith(`/${String(id)}`));
        expect(String(own?.["created_at"]) < started_at).toBe(true);
      }
    });

    const other = { instances: ["e", "d", "b", "a"], canaries: ["e"], waveSize: 1 } as const;

    test("another layout plans nothing but the member that is gone, and orders the next upgrade", async () => {
      program("18.0", other);
      expect((await workspace.changes()).map(({ actions }) => actions)).toEqual([["delete"]]);
      // The order is another one, even where a wave between has nothing to change.
      program("19.0", { ...other, instances: ["e", { name: "d", version: "18.0" }, "b", "a"] });
      emulator.setFaults([..."abe"].map((name) => upgradeOf(name, "ready")));
      await expectApplied();
      inWaves(written("update"), "e", "b", "a");
      expect(written("delete")).toBe("c");
    });

    test("an order that is turned round in the run that replaces the members is a cycle, and one after the other is not", async () => {
      const turned = { ...other, canaries: ["a"] };
      program("19.0", turned, "two");
      // The state knows the order before.
      await expectStopped(/Error: Cycle/);
      expect(writes()).toEqual([]);
      program("19.0", { ...turned, instances: ["e", { name: "d", version: "18.0" }, "b", "a"] });
      await expectApplied();
      program("19.0", turned, "two");
      await expectApplied();
      expect([...written("delete")].toSorted().join("")).toBe("abde");
    });

    test("an order that was never applied is that of the destroy", async () => {
      program("19.0", other, "two");
      names = { ...names, ...ids() };
      emulator.clearJournal();
      expectDone(await workspace.destroy());
      inWaves(written("delete"), "a", "b", "d", "e");
    });
  });

  test("a schedule plans one backup per period, keeps the earlier one, and refuses a period gone by", async () => {
    const today = Date.now();
    const at = (days: number): void => {
      deployed.write((stack) => {
        const instance = new Server(stack, "web").addInstance("erp");
        const now = new Date(today + days * DAY_MS);
        new BackupSchedule(stack, "nightly", { instance, every: "1d", now });
        // Rules that the program keeps add nothing to its plan.
        Aspects.of(stack.node.root).add(new RequireBackup({ by: ["schedule"] }));
        Aspects.of(stack.node.root).add(new MaxKeyAge("90d"));
        Aspects.of(stack.node.root).add(new NoAdminKeys());
      });
    };
    at(0);
    await deployed.applied();
    expectDone(await workspace.plan());
    const first = emulator.objects("backup");

    at(1);
    const { output, changes } = await workspace.planned();
    expect(output).toMatch(/Backup bak_\d+ will be\s+retained/);
    expect(changes).toEqual([
      { address: "erphost_backup.nightly", actions: ["delete", "create"], importing: false },
    ]);
    expectDone(await workspace.applyPlanned());
    expectDone(await workspace.plan());
    expect(emulator.objects("backup")).toEqual([...first, expect.anything()]);

    // The clock jumps back, or yesterday's synthesis is applied.
    at(-1);
    emulator.clearJournal();
    expect(refusal(await workspace.apply())).toMatch(
      /erp\/nightly is for the period from .* but there is a backup from after it, so none is taken/i,
    );
    expect(emulator.journal().filter(({ method }) => method !== "GET")).toEqual([]);
  });

  test("a sealed key is not created while its recipient is null, and its state has no plain secret", async () => {
    deployed.write((stack) => {
      const { stringValue } = new TerraformVariable(stack, "recipient", { type: "string" });
      const permissions = ["servers:read"] as const;
      new SealedApiKey(stack, "sealed", { permissions, recipient: stringValue });
    });
    workspace.write("given.auto.tfvars", "recipient = null\n");
    const before = emulator.objects("api_key");
    expect(refusal(await workspace.apply())).toMatch(/recipient must be an age public/);
    expect(emulator.objects("api_key")).toEqual(before);

    workspace.write("given.auto.tfvars", `recipient = "${RECIPIENT}"\n`);
    await deployed.applied();
    const [key] = Object.values(await workspace.state());
    expect(key).toMatchObject({ value: null, recipient: RECIPIENT });
    expectDone(await workspace.plan());
  });
});
