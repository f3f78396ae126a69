/** The whole way of a pull request, or merge request, on each forge. */
import { describe } from "@jest/globals";
import { GitHubRig } from "../support/pipelines/github";
import { GitLabRig } from "../support/pipelines/gitlab";
import { testPullRequest } from "../support/pipelines/suite";

describe("on GitHub:", () => testPullRequest((project) => GitHubRig.create(project)));
describe("on GitLab:", () => testPullRequest((project) => GitLabRig.create(project)));
