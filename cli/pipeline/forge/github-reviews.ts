/** Which plan of GitHub's runs was reviewed: that of the pull request that was merged, and no other. */
import type * as z from "zod";
import type { Kept, MergedPull } from "./forge";
import * as answers from "./github-answers";
import type { Api } from "./github-api";
import { firstFile } from "./zip";

const RUNS_MAX = 100;
const PULLS_MAX = 100;

export async function mergedPull(api: Api, commit: string): Promise<MergedPull | undefined> {
  const pulls = await pullsOf(api, commit);
  const [found, ...others] = pulls.filter(
    ({ merged_at: at, merge_commit_sha: sha, base }) =>
      at !== null && sha === commit && base.ref === api.run.branch,
  );
  if (found === undefined || others.length > 0 || isFull(pulls)) return undefined;
  return { number: found.number, head: found.head.sha, branch: found.head.ref };
}

export async function savedPlan(api: Api, pull: MergedPull, name: string): Promise<Kept> {
  const run = await runOf(api, pull);
  if (run === undefined) {
    const absence = `no run of this workflow planned the last commit of pull request ${pull.number}`;
    return { absence };
  }
  const doubt = await doubtAbout(api, run, pull);
  if (doubt !== undefined) return { absence: doubt };
  const path = `/actions/runs/${run.id}/artifacts?name=${encodeURIComponent(name)}`;
  const { artifacts } = await api.read(path, answers.artifacts);
  const kept = artifacts.filter(({ expired }) => !expired);
  const [newest] = kept.toSorted((one, other) => other.id - one.id);
  const bytes = newest && (await api.bytes(`/actions/artifacts/${newest.id}/zip`));
  if (bytes !== undefined) return { bytes: firstFile(bytes) };
  return {
    absence: `the newest plan run of pull request ${pull.number} left none, or it has expired`,
  };
}

/** The newest one of the branch, by the workflow of this run; a fork's is made by who wrote the fork. */
async function runOf(api: Api, { head, branch }: MergedPull) {
  const self = await api.read(`/actions/runs/${api.run.id}`, answers.run);
  const query = `head_sha=${head}&event=pull_request&per_page=${RUNS_MAX}`;
  const { workflow_runs: runs } = await api.read(`/actions/runs?${query}`, answers.runs);
  const own = runs.filter(
    ({ repository, head_repository: from, head_branch, path }) =>
      from?.id === repository.id && head_branch === branch && fileOf(path) === fileOf(self.path),
  );
  return own.toSorted((one, other) => other.id - one.id).at(0);
}

/**
 * A run makes its plan from the merge of a pull request with its base. GitHub names neither once
 * that is closed, so whatever could have been another one's is nobody's.
 */
async function doubtAbout(
  api: Api,
  run: answers.WorkflowRun,
  { number, head, branch = "" }: MergedPull,
) {
  const [owner = ""] = api.run.repository.split("/");
  const query = `state=all&per_page=${PULLS_MAX}&head=${encodeURIComponent(`${owner}:${branch}`)}`;
  const ofBranch = await api.read(`/pulls?${query}`, answers.pulls);
  const at = Date.parse(run.created_at);
  const ofCommit = await pullsOf(api, head);
  if ([ofBranch, ofCommit].some(isFull)) {
    return "its branch or its last commit has too many pull requests to tell whose plan it is";
  }
  const wasOpen = ofBranch.filter(
    ({ created_at: from, closed_at: to }) =>
      Date.parse(from) <= at && at <= Date.parse(to ?? run.created_at),
  );
  // Runs begin on closed ones as well, such as when one is closed or labelled.
  const ofHead = [...ofBranch, ...ofCommit].filter((one) => one.head.sha === head);
  const other = [...wasOpen, ...ofHead].find((one) => one.number !== number);
  if (other !== undefined) {
    return `its last commit is that of pull request ${other.number} as well, so that nobody can tell whose plan it is`;
  }
  const found = await api.query(answers.BASE_CHANGE, { number }, answers.baseChange);
  const changes = found.repository?.pullRequest?.changes.nodes ?? [];
  return changes.some(({ createdAt }) => Date.parse(createdAt) >= at)
    ? `pull request ${number} was planned for another branch than the one that it was merged into`
    : undefined;
}

const pullsOf = (api: Api, commit: string): Promise<z.output<typeof answers.pulls>> =>
  api.read(`/commits/${commit}/pulls?per_page=${PULLS_MAX}`, answers.pulls);

/** Whether there may be more than one answer shows. */
const isFull = (pulls: readonly unknown[]): boolean => pulls.length >= PULLS_MAX;

/** File of a workflow, without the branch of a reusable one. */
export const fileOf = (path: string): string => path.replace(/@.*$/, "");
