/** The guide's workflow by act, on a stand-in for GitHub. */
import { describe } from "@jest/globals";
import { GitHubRig } from "../support/pipelines/github";
import { tools } from "../support/pipelines/programs";
import { describeLife } from "../support/pipelines/suite";

describe("on GitHub, with tofu:", () => {
  describeLife(tools.tofu, (project) => GitHubRig.create(project));
});
