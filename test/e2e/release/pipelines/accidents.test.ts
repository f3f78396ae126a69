/** Applies of pipelines that are killed, and engines of which a forge has another in `npm test`. */
import { describe, expect, test } from "@jest/globals";
import { atEnd } from "../../../support/folder";
import { GitHubRig } from "../../support/pipelines/github";
import { GitLabRig } from "../../support/pipelines/gitlab";
import { tools, type Tool } from "../../support/pipelines/programs";
import type { Project, Rig } from "../../support/pipelines/rig";
import { describeLife, Stack } from "../../support/pipelines/suite";
import { idsOf, killedUnanswered } from "../../support/remote/killed";

const SERVERS = ["web", "one", "two"];

/** Defines a claim about a stack that is planned and merged with the servers. */
function testMerged<R extends Rig>(
  name: string,
  tool: Tool,
  create: (project: Project) => Promise<R>,
  claim: (stack: Stack<R>) => Promise<void>,
): void {
  (tool.isHere ? test : test.skip)(name, async () => {
    const stack = await Stack.start(tool, create, tool !== tools.tofu);
    atEnd(() => stack.close());
    await stack.planned({ servers: SERVERS });
    stack.rig.merge();
    await claim(stack);
  });
}

testMerged(
  "on GitLab, a killed apply leaves Pulumi's lock, and once that is removed the next run continues to the same ids",
  tools.pulumi,
  (project) => GitLabRig.create(project),
  async (stack) => {
    const { rig, emulator, program } = stack;
    const made = await killedUnanswered(emulator, SERVERS.length, () => rig.start("apply"));
    expect(await stack.refused("apply")).toContain("the stack is currently locked by 1 lock(s)");
    expect(idsOf(emulator).sort()).toEqual(made);
    await program.unlock?.();
    expect(await stack.done("apply")).toContain("was cut off");
    expect(idsOf(emulator).sort()).toEqual(made);
    expect(await stack.done("apply")).toContain(`Nothing to change in ${tools.pulumi.stack}`);
    await stack.expectStored();
  },
);

testMerged(
  "state in PostgreSQL, jobs on GitHub with tofu: the next run of a killed apply continues to the same ids, even after one that failed",
  tools.tofuInPostgres,
  (project) => GitHubRig.create(project),
  async (stack) => {
    const { rig, emulator } = stack;
    const made = await killedUnanswered(emulator, SERVERS.length, () => rig.start("apply"));
    expect(rig.records()).toMatchObject([{ isEnded: false }]);
    emulator.setFaults([{ match: { method: "POST" }, effect: { type: "status", status: 422 } }]);
    expect(await stack.refused("apply")).toContain("was cut off");
    emulator.setFaults([]);
    expect(await stack.done("apply")).toContain("was cut off");
    expect(idsOf(emulator).sort()).toEqual(made);
    expect(await stack.done("apply")).toContain("Nothing to change in prod");
    await stack.expectStored();
  },
);

testMerged(
  "on GitHub, a merge of a CDKTF program applies its plan, and its encrypted key becomes the environment's secret, in no state",
  tools.cdktf,
  (project) => GitHubRig.create(project),
  async (stack) => {
    expect(stack.rig.comments()).toMatchObject([
      { body: expect.stringContaining(`\`${tools.cdktf.address("web")}\`: server \`web\``) },
    ]);
    expect(await stack.done("apply")).toContain("Applied prod at ");
    expect(stack.names()).toEqual([...SERVERS].sort());
    await stack.expectStored();
  },
);

describe("on GitLab, with tofu:", () => {
  describeLife(tools.tofu, (project) => GitLabRig.create(project));
});
