/** The guide's workflow by act, on a stand-in for GitHub. */
import { describe } from "@jest/globals";
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
  });
});
