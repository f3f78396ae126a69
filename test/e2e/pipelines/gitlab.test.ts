/** GitLab's component, run by gitlab-ci-local on a stand-in for the forge's API. */
import { describe } from "@jest/globals";
import { GitLabRig } from "../support/pipelines/gitlab";
import { testPullRequest } from "../support/pipelines/suite";

describe("on GitLab:", () => testPullRequest((project) => GitLabRig.create(project)));
