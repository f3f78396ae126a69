/** The guide's component by gitlab-ci-local, on a stand-in for GitLab. */
import { describe, expect } from "@jest/globals";
import { GitLabRig } from "../support/pipelines/gitlab";
import { SECRET, tools } from "../support/pipelines/programs";
import { testLife } from "../support/pipelines/suite";
import { idsOf, killedUnanswered } from "../support/remote/killed";
import { stores } from "../support/remote/stores";

const SERVERS = ["web", "one", "two", "three"];

const place = stores.S3.isThere ? "S3" : "a folder";

describe(`on GitLab, with pulumi and its state in ${place}:`, () => {
  testLife({
    tool: tools.pulumi,
    create: (project) => GitLabRig.create(project),
    storesKey: true,
    heard: async (_, work) => {
      await work();
      return undefined;
    },
    more: (stack, testHere) => {
      testHere(
        "the encrypted key in an output is a variable of the environment after the apply, and no state has it or another secret",
        async () => {
          await stack().expectStored();
          expect((await stack().program.state()).includes(SECRET)).toBe(false);
        },
      );

      testHere(
        "a killed apply leaves Pulumi's lock, and once that is removed the next run continues to the same ids",
        async () => {
          const { rig, emulator, program } = stack();
          stack().change({ servers: SERVERS });
          await stack().done("plan");
          rig.merge();
          const begin = () => rig.start("apply");
          const made = await killedUnanswered(emulator, SERVERS.length, begin);
          expect(await stack().refused("apply")).toContain(
            "the stack is currently locked by 1 lock(s)",
          );
          expect(idsOf(emulator).sort()).toEqual(made);
          await program.unlock?.();
          expect(await stack().done("apply")).toContain("was cut off");
          expect(idsOf(emulator).sort()).toEqual(made);
          expect(await stack().done("apply")).toContain(
            `Nothing to change in ${tools.pulumi.stack}`,
          );
        },
      );
    },
  });
});
