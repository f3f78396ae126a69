/** Runners that are killed in the middle of an apply, on each forge, and what the next run makes of it. */
import { GitHubRig } from "../support/pipelines/github";
import { GitLabRig } from "../support/pipelines/gitlab";
import { testKilledRunner } from "../support/pipelines/killed";

testKilledRunner("GitHub", "tofu", (project) => GitHubRig.create(project));
testKilledRunner("GitLab", "tofu", (project) => GitLabRig.create(project));
