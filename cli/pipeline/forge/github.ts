/** GitHub, and GitHub Enterprise Server. */
import { bodyOf, slugOf, textOf } from "./forge";
import type { Apply, Forge, Kept, MergedPull, Newest, Post, Program } from "./forge";
import * as answers from "./github-answers";
import { Api, type GitHubRun } from "./github-api";
import { fileOf, mergedPull, savedPlan } from "./github-reviews";
import { retryingWrites, unless, type Caller } from "./http";
import { sealed } from "./sealed-box";

/** GitHub makes deployments of its own for a job with an environment, which do not have this. */
const taskOf = (program: Program): string => `erphost:${slugOf(program)}`;
/** Issues of ours have it, so that they are found among many. */
const LABEL = "erphost";
const PAGES_MAX = 50;
const JOBS_PER_PAGE = 100;
/** Applies that are looked at for one that was cut off. */
const APPLIES_MAX = 30;
/** Of the 65,536 characters that GitHub takes. */
const BODY_LENGTH_MAX = 65_000;

export class GitHub implements Forge {
  readonly name = "GitHub";
  readonly pullWord = "pull request";
  readonly bodyLengthMax = BODY_LENGTH_MAX;
  private readonly api: Api;

  constructor(
    readonly run: GitHubRun,
    private readonly world: Caller["world"],
  ) {
    this.api = new Api(run, world);
  }

  async editComment(pull: number, mark: string, edit: (body: string) => string): Promise<void> {
    await retryingWrites(this.world, async () => {
      const [ours, ...doubles] = await this.api.ours(mark, answers.COMMENTS, { number: pull });
      const body = { body: textOf({ mark, body: edit(bodyOf(ours?.body ?? "", mark)) }) };
      if (ours === undefined) {
        await this.api.call({ method: "POST", path: `/issues/${pull}/comments`, body });
      } else if (ours.body !== body.body) {
        await this.api.call({ method: "PATCH", path: `/issues/comments/${ours.number}`, body });
      }
      // Two jobs may have begun one at the same time: the first stays, and gets what the other had.
      for (const { number } of doubles) {
        await this.api.call({ method: "DELETE", path: `/issues/comments/${number}` });
      }
    });
  }

  async openIssue(title: string, post: Post): Promise<void> {
    await retryingWrites(this.world, async () => {
      const [ours] = await this.issuesOf(post.mark);
      const body = { title, body: textOf(post) };
      if (ours?.body === body.body) return;
      await (ours
        ? this.api.call({ method: "PATCH", path: `/issues/${ours.number}`, body })
        : this.api.call({ method: "POST", path: "/issues", body: { ...body, labels: [LABEL] } }));
    });
  }

  async closeIssue(mark: string, comment: string): Promise<boolean> {
    const [ours] = await this.issuesOf(mark);
    if (!ours) return false;
    const path = `/issues/${ours.number}`;
    // Closed first: where the comment is refused, nobody works on what is mended.
    await this.api.call({ method: "PATCH", path, body: { state: "closed" } });
    await this.api.call({ method: "POST", path: `${path}/comments`, body: { body: comment } });
    return true;
  }

  private issuesOf(mark: string): Promise<answers.OwnText[]> {
    return this.api.ours(mark, answers.ISSUES, { labels: [LABEL] });
  }

  mergedPull(commit: string): Promise<MergedPull | undefined> {
    return mergedPull(this.api, commit);
  }

  savedPlan(pull: MergedPull, name: string): Promise<Kept> {
    return savedPlan(this.api, pull, name);
  }

  async newest(): Promise<Newest> {
    const { default_branch: branch } = await this.api.read("", answers.repository);
    const { sha } = await this.api.read(`/commits/${encodeURIComponent(branch)}`, answers.commit);
    return { branch, commit: branch === this.run.branch ? sha : undefined };
  }

  async isBefore(commit: string, other: string): Promise<boolean> {
    const path = `/compare/${commit}...${other}?per_page=1`;
    const found = await unless([404], () => this.api.read(path, answers.comparison));
    return found?.status === "ahead";
  }

  /** One without an end counts until one succeeds after it: what it left may not be taken over yet. */
  async lastApply(program: Program): Promise<Apply | undefined> {
    const of = new URLSearchParams({ environment: program.stack, task: taskOf(program) });
    const query = `${of.toString()}&per_page=${APPLIES_MAX}`;
    let last: Apply | undefined;
    for (const one of await this.api.read(`/deployments?${query}`, answers.deployments)) {
      if (!(await this.isRecord(one))) continue;
      const apply = await this.applyOf(one);
      last ??= apply;
      if (apply.state === "succeeded") return { ...last, applied: apply.commit };
      if (apply.state !== "failed") return { ...last, state: apply.state, url: apply.url };
    }
    return last;
  }

  async beginApply(program: Program, commit: string, accepted?: string): Promise<string> {
    const { id: run, attempt, runner, actor } = this.run;
    const body = {
      ref: commit,
      environment: program.stack,
      task: taskOf(program),
      auto_merge: false,
      required_contexts: [],
      description: `erphost pipeline apply${accepted === undefined ? "" : `, accepted by ${actor}`}`,
      payload: { run, attempt, runner, ...(accepted && { accepted, by: actor }) },
    };
    const { id } = await this.api.ask({ method: "POST", path: "/deployments", body }, answers.made);
    await this.setStatus(String(id), "in_progress");
    return String(id);
  }

  async endApply(id: string, outcome: "succeeded" | "failed"): Promise<void> {
    await this.setStatus(id, outcome === "succeeded" ? "success" : "failure");
  }

  async storeSecret(name: string, value: string, environment: string | undefined): Promise<void> {
    const place =
      environment === undefined
        ? "/actions/secrets"
        : `/environments/${encodeURIComponent(environment)}/secrets`;
    const { key, key_id } = await this.api.read(`${place}/public-key`, answers.publicKey);
    const body = { encrypted_value: sealed(value, key), key_id };
    await this.api.call({ method: "PUT", path: `${place}/${encodeURIComponent(name)}`, body });
  }

  /** Any job with the right can make a deployment: one of this workflow and branch is a record. */
  private async isRecord({ payload }: answers.Deployment): Promise<boolean> {
    if (!payload) return false;
    const runOf = (id: string) =>
      this.api.read(`/actions/runs/${encodeURIComponent(id)}`, answers.run);
    const run = await unless([404], () => runOf(payload.run));
    if (run === undefined || run.head_branch !== this.run.branch) return false;
    if (run.event.startsWith("pull_request")) return false;
    return fileOf(run.path) === fileOf((await runOf(this.run.id)).path);
  }

  private async applyOf(deployment: answers.Deployment): Promise<Apply> {
    const { id, sha } = deployment;
    const found = await this.api.read(`/deployments/${id}/statuses?per_page=100`, answers.statuses);
    const url = found.find(({ log_url: log }) => log)?.log_url ?? undefined;
    const of = { id: String(id), commit: sha, url };
    // Not the newest alone: GitHub adds `inactive` to deployments of an environment by itself.
    const has = (...states: readonly string[]) => found.some(({ state }) => states.includes(state));
    if (has("success")) return { state: "succeeded", ...of };
    if (has("failure", "error")) return { state: "failed", ...of };
    return { state: (await this.isRunning(deployment)) ? "running" : "cut-off", ...of };
  }

  private async setStatus(id: string, state: string): Promise<void> {
    const body = { state, log_url: this.run.url, auto_inactive: false };
    // A second record of the same state says nothing else.
    const path = `/deployments/${id}/statuses`;
    await this.api.call({ method: "POST", path, body, isRepeatable: true });
  }

  /**
   * Whether the job that began an apply still runs. Its run is not asked: it continues for as long as
   * another of its jobs does, or waits for an approval.
   */
  private async isRunning({ payload, created_at: at }: answers.Deployment): Promise<boolean> {
    if (!payload) return false;
    const { id: run, attempt, runner } = this.run;
    // An earlier step of this very job.
    if (payload.run === run && payload.attempt === attempt && payload.runner === runner)
      return false;
    const jobs = await this.jobsOf(payload);
    const own = jobs.filter(
      ({ runner_name: name, started_at: start }) =>
        // What the same machine did later is another job.
        name === payload.runner && Date.parse(start ?? "") <= Date.parse(at),
    );
    // Where none is known by its machine, it may be any of them.
    return (own.length > 0 ? own : jobs).some(({ status }) => status !== "completed");
  }

  /** None where the run was removed. */
  private async jobsOf({ run, attempt }: { run: string; attempt: string }): Promise<answers.Job[]> {
    const all: answers.Job[] = [];
    const path = `/actions/runs/${encodeURIComponent(run)}/attempts/${encodeURIComponent(attempt)}/jobs`;
    for (let page = 1; page <= PAGES_MAX; page += 1) {
      const query = `per_page=${JOBS_PER_PAGE}&page=${page}`;
      const found = await unless([404], () => this.api.read(`${path}?${query}`, answers.jobs));
      const jobs = found?.jobs ?? [];
      all.push(...jobs);
      if (jobs.length < JOBS_PER_PAGE) break;
    }
    return all;
  }
}
