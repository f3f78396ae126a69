/** A fleet, whose promise only a real engine shows: what a later run plans, and in which order. */
import { beforeAll, describe, expect, test } from "@jest/globals";
import { InstanceFleet, Server, type InstanceFleetProps } from "../../../../cdktf-bindings";
import type { Emulator } from "../../../../emulator";
import { hasEngine, ONE_ENGINE } from "../../../harness/terraform-workspace";
import type { CommandResult, TerraformWorkspace } from "../../../harness/terraform-workspace";
import { deployment, type Deployment } from "../../support/cdktf";
import { expectDone, refusal } from "../../support/output";

// With each engine a fleet is in the program of every construct (every.test.ts); the demo has schedules.
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

    test("a canary that fails, or is not ready in time, stops every later wave, in later runs as well, until it is ready", async () => {
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
      await expectApplied();
      inWaves(written("update"), "bc", "de");
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
  });
});
