/** A runner is killed in the middle of an apply, and the next run of the same job continues by itself. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../../emulator";
import {
  buildMirror,
  fromMirrors,
  hasEngine,
  type EngineName,
} from "../../../harness/terraform-workspace";
import { snippet } from "../guide";
import { idsOf, killedUnanswered } from "../remote/killed";
import type { Place, Store } from "../remote/store";
import { stores } from "../remote/stores";
import { configuration, Jobs, projectOf } from "./jobs";
import type { Project, Rig, Run } from "./rig";

const SERVERS = ["one", "two", "three"];

/** @param create a repository on the forge */
export function testKilledRunner(
  forge: Rig["forge"],
  engine: EngineName,
  create: (project: Project) => Promise<Rig>,
): void {
  const { isThere, start } = stores.PostgreSQL;
  const isPossible = isThere && hasEngine(engine);
  const testWithAll = isPossible ? test : test.skip;

  describe(`state in PostgreSQL, jobs on ${forge} with ${engine}:`, () => {
    const machine = mkdtempSync(join(tmpdir(), "erphost-killed-"));
    let emulator: Emulator;
    let store: Store;
    let place: Place;
    let rig: Rig;
    let jobs: Jobs;

    beforeAll(async () => {
      if (!isPossible) return;
      buildMirror();
      emulator = await startEmulator({ provisionMs: 0 });
      store = await start();
      place = await store.place("pipeline");
      const env = { ...fromMirrors(machine), ...place.terraform };
      rig = await create(projectOf(emulator, engine, env));
      jobs = new Jobs(rig);
    });
    afterAll(async () => {
      rmSync(machine, { recursive: true, force: true, maxRetries: 3 });
      if (!isPossible) return;
      await rig.close();
      await store.close();
      await emulator.close();
    });

    /** Merges a release and kills the apply of it. @returns the ids of what it made next to the old ones */
    const killedApply = async (release: number, old: readonly string[] = []): Promise<string[]> => {
      const backend = snippet("pipelines", "terraform", "pg");
      rig.change({ "main.tf": configuration(backend, SERVERS, release) });
      await jobs.done("plan");
      rig.merge();
      let killed: Run | undefined;
      const begin = () => (killed = rig.start("apply"));
      const made = await killedUnanswered(emulator, SERVERS.length, begin, old);
      killed?.discard();
      return made;
    };

    testWithAll(
      "the next run of a killed apply continues to the same ids, even after one that failed",
      async () => {
        const made = await killedApply(1);
        expect(rig.records()).toMatchObject([{ isEnded: false }]);

        emulator.setFaults([
          { match: { method: "POST" }, effect: { type: "status", status: 422 } },
        ]);
        expect(await jobs.refused("apply")).toContain("was cut off");
        emulator.setFaults([]);
        expect(idsOf(emulator).sort()).toEqual(made);

        expect(await jobs.done("apply")).toContain("was cut off");
        expect(idsOf(emulator).sort()).toEqual(made);
        const after = await jobs.done("apply");
        expect(after).toContain("Nothing to change in prod");
        expect(after).not.toContain("was cut off");
      },
    );

    // What is left of a replacement is found in the plan alone, so that one forge is enough.
    if (forge !== "GitHub") return;
    testWithAll(
      "a replacement that was killed once its old objects were gone goes on to the new ones",
      async () => {
        const old = idsOf(emulator);
        expect(old).toHaveLength(SERVERS.length);
        const made = await killedApply(2, old);
        expect(made.filter((id) => old.includes(id))).toEqual([]);
        expect(await jobs.done("apply")).toContain("was cut off");
        expect(idsOf(emulator).sort()).toEqual(made);
      },
    );
  });
}
