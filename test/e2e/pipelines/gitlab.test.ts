/** The guide's component by gitlab-ci-local, on a stand-in for GitLab. */
import { describe } from "@jest/globals";
import { GitLabRig } from "../support/pipelines/gitlab";
import { tools } from "../support/pipelines/programs";
import { describeLife } from "../support/pipelines/suite";
import { stores } from "../support/remote/stores";

const place = stores.S3.isThere ? "S3" : "a folder";

describe(`on GitLab, with pulumi and its state in ${place}:`, () => {
  describeLife(tools.pulumi, (project) => GitLabRig.create(project));
});
