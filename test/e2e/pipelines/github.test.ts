/** The guide's workflow by act, on a stand-in for GitHub. */
import { describe, expect, test } from "@jest/globals";
import { GitHubRig } from "../support/pipelines/github";
import { tools } from "../support/pipelines/programs";
import type { Project } from "../support/pipelines/rig";
import { Stack, testLife } from "../support/pipelines/suite";
import { idsOf, killedUnanswered } from "../support/remote/killed";

const SERVERS = ["web", "one", "two"];
const create = (project: Project) => GitHubRig.create(project);

describe("on GitHub, with tofu:", () => {
  testLife({
    tool: tools.tofu,
    create,
    storesKey: false,
    // `erphost listen` posts what a webhook of the service says.
    heard: ({ rig, emulator }, work) => rig.heard(emulator, work),
    more: (stack, testHere) => {
      testHere(
        "a replacement that was killed once its old objects were gone goes on to the new ones, even after a run that failed",
        async () => {
          const { rig, emulator } = stack();
          stack().change({ servers: SERVERS, release: 2 });
          await stack().done("plan");
          rig.merge();
          const old = idsOf(emulator);
          const begin = () => rig.start("apply");
          const made = await killedUnanswered(emulator, SERVERS.length, begin, old);
          expect(made.filter((id) => old.includes(id))).toEqual([]);
          expect(rig.records()).toMatchObject([{ isEnded: true }, { isEnded: false }]);

          emulator.setFaults([
            { match: { method: "POST" }, effect: { type: "status", status: 422 } },
          ]);
          expect(await stack().refused("apply")).toContain("was cut off");
          emulator.setFaults([]);
          expect(idsOf(emulator).sort()).toEqual(made);

          expect(await stack().done("apply")).toContain("was cut off");
          expect(idsOf(emulator).sort()).toEqual(made);
        },
      );
    },
  });
});

(tools.cdktf.isHere ? test : test.skip)(
  "on GitHub, a merge of a CDKTF program applies its plan, and its encrypted key becomes the environment's secret, in no state",
  async () => {
    const stack = await Stack.start(tools.cdktf, create, true);
    try {
      stack.change({ servers: ["web"] });
      await stack.done("plan");
      expect(stack.rig.comments()).toMatchObject([
        { body: expect.stringContaining(`\`${tools.cdktf.address("web")}\`: server \`web\``) },
      ]);
      stack.rig.merge();
      expect(await stack.done("apply")).toContain("Applied prod at ");
      expect(stack.names()).toEqual(["web"]);
      await stack.expectStored();
    } finally {
      await stack.close();
    }
  },
);
