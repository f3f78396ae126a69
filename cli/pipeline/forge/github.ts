/** GitHub, and GitHub Enterprise Server. */
import type * as z from "zod";
import { isRecord } from "../../../provider/contract";
import type { World } from "../../world";
import {
  type Apply,
  bodyOf,
  type Forge,
  ForgeError,
  type Post,
  type Program,
  slugOf,
  textOf,
} from "./forge";
import type { Kept, MergedPull, Newest } from "./forge";
import * as answers from "./github-answers";
import { fileOf, Reviews } from "./github-reviews";
import { callBytes, callJson, retryingWrites, type Caller, type Request } from "./http";
import { sealed } from "./sealed-box";

/**
 * Which deployments are ours: GitHub makes others of its own for a job with an environment, and two
 * folders may each have a stack of the same name.
 */
const taskOf = (program: Program): string => `erphost:${slugOf(program)}`;
/** Issues of ours have it, so that they are found among many. */
const LABEL = "erphost";
const PAGES_MAX = 50;
const JOBS_PER_PAGE = 100;
/** Applies that are looked at for one that was cut off. */
const APPLIES_MAX = 30;
/** GitHub's answer about an artifact that it no longer keeps. */
const EXPIRED = 410;
/** Of the 65,536 characters that GitHub takes. */
const BODY_LENGTH_MAX = 65_000;

/** What a run on GitHub knows of itself. */
export interface GitHubRun {
  /** `owner/name` */
  readonly repository: string;
  /** `https://github.com` */
  readonly server: string;
  readonly api: string;
  readonly graphql: string;
  readonly token: string;
  /** The branch that the run is of. */
  readonly branch: string;
  readonly run: string;
  readonly attempt: string;
  /** The name of the machine, which runs one job at a time. */
  readonly runner: string;
  /** Who started the run. */
  readonly actor: string;
  readonly pull:
    | {
        readonly number: number;
        readonly head: string | undefined;
        readonly base: string | undefined;
      }
    | undefined;
  /** The newest commit of the branch before the push. */
  readonly before: string | undefined;
}

export class GitHub implements Forge {
  readonly name = "GitHub";
  readonly home: string;
  readonly pull: number | undefined;
  readonly head: string | undefined;
  readonly base: string | undefined;
  readonly before: string | undefined;
  readonly actor: string;
  readonly runUrl: string;
  readonly pullWord = "pull request";
  readonly bodyLengthMax = BODY_LENGTH_MAX;
  private readonly caller: Caller;
  private readonly repository: string;
  private readonly reviews: Reviews;

  constructor(
    private readonly of: GitHubRun,
    private readonly world: Pick<World, "after" | "stopped" | "nowMs">,
  ) {
    this.home = `${of.server.replace(/^https?:\/\//, "")}/${of.repository}`;
    this.pull = of.pull?.number;
    this.head = of.pull?.head;
    this.base = of.pull?.base;
    this.before = of.before;
    this.actor = of.actor;
    this.runUrl = `${of.server}/${of.repository}/actions/runs/${of.run}`;
    this.repository = `/repos/${of.repository}`;
    this.caller = {
      name: this.name,
      api: of.api,
      world,
      headers: {
        authorization: `Bearer ${of.token}`,
        accept: "application/vnd.github+json",
        "x-github-api-version": "2022-11-28",
      },
    };
    this.reviews = new Reviews({
      ...of,
      read: (path, schema) => this.read(path, schema),
      query: (query, variables, schema) => this.query(query, variables, schema),
      bytes: (path) =>
        unless([EXPIRED], () =>
          callBytes(this.caller, { method: "GET", path: `${this.repository}${path}` }),
        ),
    });
  }

  async editComment(pull: number, mark: string, edit: (body: string) => string): Promise<void> {
    await retryingWrites(this.world, async () => {
      const [ours, ...doubles] = await this.found(mark, (after) => this.commentsOf(pull, after));
      const body = { body: textOf({ mark, body: edit(bodyOf(ours?.body ?? "", mark)) }) };
      if (ours === undefined) {
        await this.call({ method: "POST", path: `/issues/${pull}/comments`, body });
      } else if (ours.body !== body.body) {
        await this.call({ method: "PATCH", path: `/issues/comments/${ours.number}`, body });
      }
      // Two jobs may have begun one at the same time: the first stays, and gets what the other had.
      for (const { number } of doubles) {
        await this.call({ method: "DELETE", path: `/issues/comments/${number}` });
      }
    });
  }

  async openIssue(title: string, post: Post): Promise<void> {
    await retryingWrites(this.world, async () => {
      const [ours] = await this.found(post.mark, (after) => this.issuesOf(after));
      const body = { title, body: textOf(post) };
      if (ours?.body === body.body) return;
      await (ours
        ? this.call({ method: "PATCH", path: `/issues/${ours.number}`, body })
        : this.call({ method: "POST", path: "/issues", body: { ...body, labels: [LABEL] } }));
    });
  }

  async closeIssue(mark: string, comment: string): Promise<boolean> {
    const [ours] = await this.found(mark, (after) => this.issuesOf(after));
    if (!ours) return false;
    const path = `/issues/${ours.number}`;
    // Closed first: where the comment is refused, nobody works on what is mended.
    await this.call({ method: "PATCH", path, body: { state: "closed" } });
    await this.call({ method: "POST", path: `${path}/comments`, body: { body: comment } });
    return true;
  }

  mergedPull(commit: string): Promise<MergedPull | undefined> {
    return this.reviews.merged(commit);
  }

  savedPlan(pull: MergedPull, name: string): Promise<Kept> {
    return this.reviews.savedPlan(pull, name);
  }

  async newest(): Promise<Newest> {
    const { default_branch: branch } = await this.read("", answers.repository);
    const { sha } = await this.read(`/commits/${encodeURIComponent(branch)}`, answers.commit);
    return { branch, commit: branch === this.of.branch ? sha : undefined };
  }

  async isBefore(commit: string, other: string): Promise<boolean> {
    const path = `/compare/${commit}...${other}?per_page=1`;
    const found = await unless([404], () => this.read(path, answers.comparison));
    return found?.status === "ahead";
  }

  /** One without an end counts until one succeeds after it: what it left may not be taken over yet. */
  async lastApply(program: Program): Promise<Apply | undefined> {
    const of = new URLSearchParams({ environment: program.stack, task: taskOf(program) });
    const query = `${of.toString()}&per_page=${APPLIES_MAX}`;
    let last: Apply | undefined;
    for (const one of await this.read(`/deployments?${query}`, answers.deployments)) {
      if (!(await this.isRecord(one))) continue;
      const apply = await this.applyOf(one);
      last ??= apply;
      if (apply.state === "succeeded") return last;
      if (apply.state !== "failed") return { ...last, state: apply.state, url: apply.url };
    }
    return last;
  }

  async beginApply(program: Program, commit: string, accepted?: string): Promise<string> {
    const { run, attempt, runner, actor } = this.of;
    const body = {
      ref: commit,
      environment: program.stack,
      task: taskOf(program),
      auto_merge: false,
      required_contexts: [],
      description: `erphost pipeline apply${accepted === undefined ? "" : `, accepted by ${actor}`}`,
      payload: { run, attempt, runner, ...(accepted && { accepted, by: actor }) },
    };
    const { id } = await this.ask({ method: "POST", path: "/deployments", body }, answers.made);
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
    const { key, key_id } = await this.read(`${place}/public-key`, answers.publicKey);
    const body = { encrypted_value: sealed(value, key), key_id };
    await this.call({ method: "PUT", path: `${place}/${encodeURIComponent(name)}`, body });
  }

  /** Any job with the right can make a deployment: one of this workflow and branch is a record. */
  private async isRecord({ payload }: answers.Deployment): Promise<boolean> {
    const { data } = answers.payload.safeParse(payload);
    if (!data) return false;
    const runOf = (id: string) => this.read(`/actions/runs/${encodeURIComponent(id)}`, answers.run);
    const run = await unless([404], () => runOf(data.run));
    if (run === undefined || run.head_branch !== this.of.branch) return false;
    if (run.event.startsWith("pull_request")) return false;
    return fileOf(run.path) === fileOf((await runOf(this.of.run)).path);
  }

  private async applyOf(deployment: answers.Deployment): Promise<Apply> {
    const { id, sha } = deployment;
    const found = await this.read(`/deployments/${id}/statuses?per_page=100`, answers.statuses);
    const url = found.find(({ log_url: log }) => log)?.log_url ?? undefined;
    const of = { id: String(id), commit: sha, url };
    // Not the newest alone: GitHub adds `inactive` to deployments of an environment by itself.
    const has = (...states: readonly string[]) => found.some(({ state }) => states.includes(state));
    if (has("success")) return { state: "succeeded", ...of };
    if (has("failure", "error")) return { state: "failed", ...of };
    return { state: (await this.isRunning(deployment)) ? "running" : "cut-off", ...of };
  }

  private async setStatus(id: string, state: string): Promise<void> {
    const body = { state, log_url: this.runUrl, auto_inactive: false };
    // A second record of the same state says nothing else.
    const path = `/deployments/${id}/statuses`;
    await this.call({ method: "POST", path, body, isRepeatable: true });
  }

  /**
   * Whether the job that began an apply still runs. Its run is not asked: it continues for as long as
   * another of its jobs does, or waits for an approval.
   */
  private async isRunning({ payload, created_at: at }: answers.Deployment): Promise<boolean> {
    const { data } = answers.payload.safeParse(payload);
    if (!data) return false;
    const { run, attempt, runner } = this.of;
    // An earlier step of this very job.
    if (data.run === run && data.attempt === attempt && data.runner === runner) return false;
    const jobs = await this.jobsOf(data);
    const own = jobs.filter(
      ({ runner_name: name, started_at: start }) =>
        // What the same machine did later is another job.
        name === data.runner && Date.parse(start ?? "") <= Date.parse(at),
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
      const found = await unless([404], () => this.read(`${path}?${query}`, answers.jobs));
      const jobs = found?.jobs ?? [];
      all.push(...jobs);
      if (jobs.length < JOBS_PER_PAGE) break;
    }
    return all;
  }

  /** All of ours, oldest first. */
  private async found(mark: string, pageAt: (after: string | null) => Promise<answers.Page>) {
    const all: answers.Page["nodes"] = [];
    let after: string | null = null;
    for (let pages = 0; pages < PAGES_MAX; pages += 1) {
      const { nodes, pageInfo }: answers.Page = await pageAt(after);
      // Whoever sees the mark can write it as well.
      all.push(
        ...nodes.filter(
          ({ body, viewerDidAuthor }) => viewerDidAuthor && body.startsWith(`${mark}\n`),
        ),
      );
      if (!pageInfo.hasNextPage) break;
      after = pageInfo.endCursor;
    }
    return all;
  }

  private async commentsOf(number: number, after: string | null): Promise<answers.Page> {
    const found = await this.query(answers.COMMENTS, { number, after }, answers.comments);
    return found.repository?.pullRequest?.found ?? NOTHING;
  }

  private async issuesOf(after: string | null): Promise<answers.Page> {
    const found = await this.query(answers.ISSUES, { labels: [LABEL], after }, answers.issues);
    return found.repository?.found ?? NOTHING;
  }

  /** GraphQL alone says which comments are this token's own, whatever kind of token it is. */
  private async query<T>(
    query: string,
    variables: Readonly<Record<string, unknown>>,
    schema: z.ZodType<T>,
  ): Promise<T> {
    const [owner, name] = this.of.repository.split("/");
    const { origin, pathname } = new URL(this.of.graphql);
    const body = { query, variables: { owner, name, ...variables } };
    const caller = { ...this.caller, api: origin };
    const request = { method: "POST", path: pathname, body, isRepeatable: true } as const;
    const answer = await callJson(caller, request);
    const { data, errors }: Readonly<Record<string, unknown>> = isRecord(answer) ? answer : {};
    if (errors === undefined) return answers.parseAnswer(schema, data, request);
    throw new ForgeError("GitHub refused to list comments or issues to this token.", undefined);
  }

  private call(request: Request): Promise<unknown> {
    return callJson(this.caller, { ...request, path: `${this.repository}${request.path}` });
  }

  private read<T>(path: string, schema: z.ZodType<T>): Promise<T> {
    return this.ask({ method: "GET", path }, schema);
  }

  private async ask<T>(request: Request, schema: z.ZodType<T>): Promise<T> {
    return answers.parseAnswer(schema, await this.call(request), request);
  }
}

/** What a call answers; undefined where it is refused with one of these. */
async function unless<T>(statuses: readonly number[], work: () => Promise<T>) {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ForgeError && statuses.includes(error.status ?? 0)) return undefined;
    throw error;
  }
}

const NOTHING: answers.Page = { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } };
