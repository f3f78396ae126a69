/** GitLab's component, run by gitlab-ci-local on a stand-in for the forge's API. */
import { describe } from "@jest/globals";
import { GitLabRig } from "../support/pipelines/gitlab";
import { testKilledRunner } from "../support/pipelines/killed";
import { testPullRequest } from "../support/pipelines/suite";

describe("on GitLab:", () => testPullRequest((project) => GitLabRig.create(project)));
testKilledRunner("GitLab", "tofu", (project) => GitLabRig.create(project));
