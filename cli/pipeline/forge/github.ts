/** GitHub, and GitHub Enterprise Server. */
import * as z from "zod";
import type { World } from "../../world";
import { ForgeError, textOf, type Apply, type Forge, type MergedPull, type Post } from "./forge";
import { callBytes, callJson, retryingWrites, type Caller, type Request } from "./http";
import { sealed } from "./sealed-box";
import { firstFile } from "./zip";

/** Which deployments are ours: GitHub makes others of its own for a job with an environment. */
const TASK = "erphost";
/** Issues of ours have it, so that they are found among many. */
const LABEL = "erphost";
const PAGES_MAX = 50;
const RUNS_MAX = 100;
/** Applies that are looked at for one that was cut off. */
const APPLIES_MAX = 30;

const written = z.object({ number: z.number(), body: z.string(), viewerDidAuthor: z.boolean() });
const page = z.object({
  nodes: z.array(written),
  pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
});
const comments = z.object({
  repository: z.object({ pullRequest: z.object({ found: page }).nullable() }).nullable(),
});
const issues = z.object({ repository: z.object({ found: page }).nullable() });
const pulls = z.array(
  z.object({
    number: z.number(),
    merged_at: z.string().nullable(),
    merge_commit_sha: z.string().nullable(),
    head: z.object({ sha: z.string() }),
    base: z.object({ ref: z.string() }),
  }),
);
const runs = z.object({
  workflow_runs: z.array(
    z.object({
      id: z.number(),
      repository: z.object({ id: z.number() }),
      head_repository: z.object({ id: z.number() }).nullable(),
    }),
  ),
});
const artifacts = z.object({
  artifacts: z.array(z.object({ id: z.number(), expired: z.boolean(), created_at: z.string() })),
});
const made = z.object({ id: z.number() });
const deployments = z.array(made.extend({ payload: z.unknown() }));
const payload = z.object({ run: z.string(), attempt: z.string() });
const statuses = z.array(z.object({ state: z.string(), log_url: z.string().nullish() }));
const run = z.object({ status: z.string().nullable() });
const publicKey = z.object({ key_id: z.string(), key: z.string() });
const answers = z.object({ data: z.unknown(), errors: z.array(z.unknown()).optional() });

const FOUND = `nodes { number: databaseId body viewerDidAuthor } pageInfo { hasNextPage endCursor }`;
const COMMENTS = `query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    found: comments(first: 100, after: $after) { ${FOUND} } } } }`;
const ISSUES = `query($owner: String!, $name: String!, $labels: [String!], $after: String) {
  repository(owner: $owner, name: $name) {
    found: issues(first: 100, after: $after, states: OPEN, labels: $labels) {
      nodes { number body viewerDidAuthor } pageInfo { hasNextPage endCursor } } } }`;

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
  readonly pull: { readonly number: number; readonly head: string | undefined } | undefined;
}

export class GitHub implements Forge {
  readonly name = "GitHub";
  readonly home: string;
  readonly pull: number | undefined;
  readonly head: string | undefined;
  private readonly caller: Caller;
  private readonly repository: string;

  constructor(
    private readonly of: GitHubRun,
    private readonly world: Pick<World, "after" | "stopped" | "nowMs">,
  ) {
    this.home = `${of.server.replace(/^https?:\/\//, "")}/${of.repository}`;
    this.pull = of.pull?.number;
    this.head = of.pull?.head;
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
  }

  async comment(pull: number, post: Post): Promise<void> {
    await retryingWrites(this.world, async () => {
      const ours = await this.find(post.mark, (after) => this.commentsOf(pull, after));
      const body = { body: textOf(post) };
      if (ours?.body === body.body) return;
      await (ours
        ? this.call({ method: "PATCH", path: `/issues/comments/${ours.number}`, body })
        : this.call({ method: "POST", path: `/issues/${pull}/comments`, body }));
    });
  }

  async openIssue(title: string, post: Post): Promise<void> {
    await retryingWrites(this.world, async () => {
      const ours = await this.find(post.mark, (after) => this.issuesOf(after));
      const body = { title, body: textOf(post) };
      if (ours?.body === body.body) return;
      await (ours
        ? this.call({ method: "PATCH", path: `/issues/${ours.number}`, body })
        : this.call({ method: "POST", path: "/issues", body: { ...body, labels: [LABEL] } }));
    });
  }

  async closeIssue(mark: string, comment: string): Promise<boolean> {
    const ours = await this.find(mark, (after) => this.issuesOf(after));
    if (!ours) return false;
    const path = `/issues/${ours.number}`;
    // Closed first: where the comment is refused, nobody works on what is mended.
    await this.call({ method: "PATCH", path, body: { state: "closed" } });
    await this.call({ method: "POST", path: `${path}/comments`, body: { body: comment } });
    return true;
  }

  async mergedPull(commit: string): Promise<MergedPull | undefined> {
    const path = `/commits/${commit}/pulls?per_page=100`;
    const merged = (await this.read(path, pulls)).find(
      ({ merged_at: at, merge_commit_sha: sha, base }) =>
        at !== null && sha === commit && base.ref === this.of.branch,
    );
    return merged && { number: merged.number, head: merged.head.sha };
  }

  async savedPlan({ head }: MergedPull, name: string): Promise<Uint8Array | undefined> {
    const query = `head_sha=${head}&event=pull_request&per_page=${RUNS_MAX}`;
    const { workflow_runs: found } = await this.read(`/actions/runs?${query}`, runs);
    // A run of a fork is made by whoever wrote the fork.
    const own = found.filter(({ repository, head_repository: from }) => from?.id === repository.id);
    for (const { id } of own.toSorted((one, other) => other.id - one.id)) {
      const path = `/actions/runs/${id}/artifacts?name=${encodeURIComponent(name)}`;
      const kept = (await this.read(path, artifacts)).artifacts.filter(({ expired }) => !expired);
      const [newest] = kept.toSorted((one, other) => other.id - one.id);
      if (newest === undefined) continue;
      const archive = `${this.repository}/actions/artifacts/${newest.id}/zip`;
      return firstFile(await callBytes(this.caller, { method: "GET", path: archive }));
    }
    return undefined;
  }

  /** One without an end counts until one succeeds after it: what it left may not be taken over yet. */
  async lastApply(environment: string): Promise<Apply | undefined> {
    const query = `environment=${encodeURIComponent(environment)}&task=${TASK}&per_page=${APPLIES_MAX}`;
    let last: Apply | undefined;
    for (const one of await this.read(`/deployments?${query}`, deployments)) {
      const apply = await this.applyOf(one);
      last ??= apply;
      if (apply.state === "succeeded") return last;
      if (apply.state !== "failed") return apply;
    }
    return last;
  }

  async beginApply(environment: string, commit: string): Promise<string> {
    const body = {
      ref: commit,
      environment,
      task: TASK,
      auto_merge: false,
      required_contexts: [],
      description: "erphost pipeline apply",
      payload: { run: this.of.run, attempt: this.of.attempt },
    };
    const { id } = made.parse(await this.call({ method: "POST", path: "/deployments", body }));
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
    const { key, key_id } = await this.read(`${place}/public-key`, publicKey);
    const body = { encrypted_value: sealed(value, key), key_id };
    await this.call({ method: "PUT", path: `${place}/${encodeURIComponent(name)}`, body });
  }

  private async applyOf({ id, payload: of }: z.output<typeof deployments>[number]): Promise<Apply> {
    const found = await this.read(`/deployments/${id}/statuses?per_page=100`, statuses);
    const url = found.find(({ log_url: log }) => log)?.log_url ?? undefined;
    // Not the newest alone: GitHub adds `inactive` to deployments of an environment by itself.
    const has = (...states: readonly string[]) => found.some(({ state }) => states.includes(state));
    if (has("success")) return { state: "succeeded", url };
    if (has("failure", "error")) return { state: "failed", url };
    return { state: (await this.isRunning(of)) ? "running" : "cut-off", url };
  }

  private async setStatus(id: string, state: string): Promise<void> {
    const { server, repository, run: runId } = this.of;
    const body = {
      state,
      log_url: `${server}/${repository}/actions/runs/${runId}`,
      auto_inactive: false,
    };
    // A second record of the same state says nothing else.
    const path = `/deployments/${id}/statuses`;
    await this.call({ method: "POST", path, body, isRepeatable: true });
  }

  /** Whether the run that began an apply still runs. An earlier step of this very run does not. */
  private async isRunning(value: unknown): Promise<boolean> {
    const { data } = payload.safeParse(typeof value === "string" ? JSON.parse(value) : value);
    if (!data || (data.run === this.of.run && data.attempt === this.of.attempt)) return false;
    const path = `/actions/runs/${encodeURIComponent(data.run)}/attempts/${encodeURIComponent(data.attempt)}`;
    try {
      return (await this.read(path, run)).status !== "completed";
    } catch (error) {
      if (error instanceof ForgeError && error.status === 404) return false;
      throw error;
    }
  }

  private async find(mark: string, pageAt: (after: string | null) => Promise<Page>) {
    let after: string | null = null;
    for (let pages = 0; pages < PAGES_MAX; pages += 1) {
      const { nodes, pageInfo }: Page = await pageAt(after);
      // Whoever sees the mark can write it as well.
      const ours = nodes.find(
        ({ body, viewerDidAuthor }) => viewerDidAuthor && body.startsWith(`${mark}\n`),
      );
      if (ours || !pageInfo.hasNextPage) return ours;
      after = pageInfo.endCursor;
    }
    return undefined;
  }

  private async commentsOf(number: number, after: string | null): Promise<Page> {
    const data = await this.query(COMMENTS, { number, after });
    return comments.parse(data).repository?.pullRequest?.found ?? NOTHING;
  }

  private async issuesOf(after: string | null): Promise<Page> {
    const data = await this.query(ISSUES, { labels: [LABEL], after });
    return issues.parse(data).repository?.found ?? NOTHING;
  }

  /** GraphQL alone says which comments are this token's own, whatever kind of token it is. */
  private async query(query: string, variables: Readonly<Record<string, unknown>>) {
    const [owner, name] = this.of.repository.split("/");
    const { origin, pathname } = new URL(this.of.graphql);
    const body = { query, variables: { owner, name, ...variables } };
    const caller = { ...this.caller, api: origin };
    const request = { method: "POST", path: pathname, body, isRepeatable: true } as const;
    const { data, errors = [] } = answers.parse(await callJson(caller, request));
    if (errors.length === 0) return data;
    throw new ForgeError("GitHub refused to list comments or issues to this token.", undefined);
  }

  private call(request: Request): Promise<unknown> {
    return callJson(this.caller, { ...request, path: `${this.repository}${request.path}` });
  }

  private async read<T>(path: string, schema: z.ZodType<T>): Promise<T> {
    const { data } = schema.safeParse(await this.call({ method: "GET", path }));
    if (data !== undefined) return data;
    const [place] = path.split("?");
    throw new ForgeError(`GitHub: GET ${place} answered something else.`, undefined);
  }
}

type Page = z.output<typeof page>;
const NOTHING: Page = { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } };
