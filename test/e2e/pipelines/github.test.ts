/** The guide's workflow by act, on a stand-in for GitHub. */
import { describe, expect } from "@jest/globals";
import { GitHubRig } from "../support/pipelines/github";
import { tools } from "../support/pipelines/programs";
import { testLife } from "../support/pipelines/suite";

describe("on GitHub, with tofu:", () => {
  testLife({
    tool: tools.tofu,
    create: (project) => GitHubRig.create(project),
    storesKey: false,
    // `erphost listen` posts what a webhook of the service says.
    heard: ({ rig, emulator }, work) => rig.heard(emulator, work),
    more: {
      "a rule of one's own refuses a plan, whatever the pull request makes of it": async (
        stack,
      ) => {
        stack.change({ servers: ["web", "slow"] }, { "../policy/rules.ts": "for (;;);" });
        expect(await stack.refused("plan")).toContain(
          "no-slow-servers: erphost_server.slow is slow",
        );
        stack.rig.abandon();
      },
      "a push that nobody reviewed is applied once its very plan is accepted": async (stack) => {
        stack.rig.push(stack.program.files({ servers: ["web", "db"] }));
        const said = await stack.refused("apply");
        const accept = /--accept ([0-9a-f]{64})/.exec(said.replace(/\s+/g, " "))?.[1] ?? said;
        const wrong = accept.replace(/^./, (digit) => (digit === "0" ? "1" : "0"));
        expect(await stack.refused("apply", { inputs: { accept: wrong } })).toContain(accept);
        expect(stack.names()).toEqual(["web"]);
        await stack.done("apply", { inputs: { accept } });
        expect(stack.names()).toEqual(["db", "web"]);
      },
    },
  });
});
