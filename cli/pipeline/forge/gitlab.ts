/** GitLab, as jobs of its pipelines see it. */
import * as z from "zod";
import { bodyOf, textOf, type Apply, type Forge, type Post } from "./forge";
import type { Kept, MergedPull, Newest, Program } from "./forge";
import { Api, MAINTAINER, parsed, type GitLabJob } from "./gitlab-api";
import { retryingWrites, unless, written, type Caller } from "./http";

/** Pipelines of one merge request that are searched for its plan. */
const PIPELINES_MAX = 20;
/** Of the million characters that GitLab takes: what its pages show in time. */
const BODY_LENGTH_MAX = 250_000;
const [string, int] = [z.string(), z.number()];
const user = z.object({ id: int });
const note = z.object({ id: int, body: written, author: user });
const issue = z.object({ iid: int, description: written.nullish() });
const mergeRequest = z.object({
  iid: int,
  state: string,
  sha: string.nullish(),
  merge_commit_sha: string.nullish(),
  squash_commit_sha: string.nullish(),
  target_branch: string,
  source_project_id: int.nullish(),
});
const pipeline = z.object({ id: int, sha: string, ref: string, source: string, project_id: int });
const artifacts_file = z.unknown().optional();
const job = z.object({ id: int, name: string, status: string, artifacts_file });
const commit = z.object({ parent_ids: z.array(string) });
const base = z.object({ id: string });
const branch = z.object({ commit: base });
const project = z.object({ default_branch: string });
/** Of those that GitLab makes for jobs by itself. */
const deployable = z.unknown().optional();
const deployment = z.object({ id: int, sha: string, ref: string, status: string, deployable });

export class GitLab implements Forge {
  readonly name = "GitLab";
  readonly pullWord = "merge request";
  readonly bodyLengthMax = BODY_LENGTH_MAX;
  private readonly api: Api;

  constructor(
    readonly run: GitLabJob,
    private readonly world: Caller["world"],
  ) {
    this.api = new Api(run, world);
  }

  async editComment(pull: number, mark: string, edit: (body: string) => string): Promise<void> {
    const path = `/merge_requests/${pull}/notes`;
    await retryingWrites(this.world, async () => {
      const self = await this.api.self();
      const all = this.api.pages(`${path}?sort=asc&order_by=created_at`, note);
      const [ours, ...doubles] = (await Array.fromAsync(all)).filter(
        ({ author, body }) => author.id === self && body.startsWith(`${mark}\n`),
      );
      const body = { body: textOf({ mark, body: edit(bodyOf(ours?.body ?? "", mark)) }) };
      if (ours === undefined) await this.api.call({ method: "POST", path, body });
      else if (ours.body !== body.body) {
        await this.api.call({ method: "PUT", path: `${path}/${ours.id}`, body });
      }
      // Two jobs may have begun one at the same time: the first stays, and gets what the other had.
      for (const { id } of doubles)
        await this.api.call({ method: "DELETE", path: `${path}/${id}` });
    });
  }

  async mergedPull(sha: string): Promise<MergedPull | undefined> {
    const path = `/repository/commits/${encodeURIComponent(sha)}/merge_requests`;
    const found: MergedPull[] = [];
    for await (const one of this.api.pages(path, mergeRequest)) {
      const commits = [one.merge_commit_sha, one.squash_commit_sha, one.sha];
      const isIt =
        one.state === "merged" && one.target_branch === this.run.ref && commits.includes(sha);
      if (isIt && typeof one.sha === "string") found.push({ number: one.iid, head: one.sha });
    }
    return found.length === 1 ? found[0] : undefined;
  }

  async savedPlan({ number, head }: MergedPull, name: string): Promise<Kept> {
    const path = `/merge_requests/${number}`;
    const absence = `merge request ${number} left no plan, or it has expired`;
    const found = await this.api.read(path, mergeRequest);
    const own = Number(this.run.project);
    if (found.source_project_id !== own) return { absence };
    let seen = 0;
    for await (const one of this.api.pages(`${path}/pipelines`, pipeline)) {
      if ((seen += 1) > PIPELINES_MAX) break;
      const isOurs =
        one.source === "merge_request_event" &&
        one.project_id === own &&
        // Another merge request may have the same commit.
        one.ref.startsWith(`refs/merge-requests/${number}/`);
      if (!isOurs || !(await this.isOfHead(one, head))) continue;
      const bytes = await this.fileOf(one.id, name);
      // Not one further back: a newer plan that failed takes its place.
      return bytes === undefined ? { absence } : { bytes };
    }
    return { absence };
  }

  /** A pipeline of merged results runs on a commit of its own: the head, and this branch alone. */
  private async isOfHead({ sha, ref }: z.infer<typeof pipeline>, head: string): Promise<boolean> {
    if (sha === head) return true;
    if (!ref.endsWith("/merge")) return false;
    const path = `/repository/commits/${encodeURIComponent(sha)}`;
    const { parent_ids } = await this.api.read(path, commit);
    if (!parent_ids.includes(head)) return false;
    for (const parent of parent_ids) {
      if (parent !== head && !(await this.isBefore(parent, this.run.commit))) return false;
    }
    return true;
  }

  private async fileOf(id: number, name: string): Promise<Uint8Array | undefined> {
    for await (const one of this.api.pages(`/pipelines/${id}/jobs?scope[]=success`, job)) {
      if (one.artifacts_file === undefined || one.artifacts_file === null) continue;
      const path = `/jobs/${one.id}/artifacts/${encodeURIComponent(name)}`;
      // Where it is not there, they are another job's artifacts.
      const bytes = await unless([404], () => this.api.bytes(path));
      if (bytes !== undefined) return bytes;
    }
    return undefined;
  }

  async newest(): Promise<Newest> {
    const { default_branch: name } = await this.api.read("", project);
    const place = `/repository/branches/${encodeURIComponent(name)}`;
    const { commit: last } = await this.api.read(place, branch);
    return { branch: name, commit: name === this.run.ref ? last.id : undefined };
  }

  /** Where two commits meet is the one of them that is in the other's history. */
  async isBefore(sha: string, other: string): Promise<boolean> {
    if (sha === other) return false;
    const query = [sha, other].map((each) => `refs[]=${encodeURIComponent(each)}`).join("&");
    const path = `/repository/merge_base?${query}`;
    // Refused: one of them is in the repository no more, or they never meet.
    const met = await unless([400, 404], () => this.api.read(path, base));
    return met?.id === sha;
  }

  /** One without an end counts until one succeeds after it: what it left may not be taken over yet. */
  async lastApply({ stack: environment }: Program): Promise<Apply | undefined> {
    const query = new URLSearchParams({ environment, order_by: "id", sort: "desc" });
    const asJob = this.api.asJob.bind(this.api);
    let last: z.output<typeof deployment> | undefined;
    let applied: string | undefined;
    let isUnended = false;
    for await (const one of this.api.pages(`/deployments?${query.toString()}`, deployment, asJob)) {
      if (one.deployable !== undefined && one.deployable !== null) continue;
      if (one.ref !== this.run.ref) continue;
      last ??= one;
      if (one.status === "success") applied = one.sha;
      if (applied !== undefined) break;
      isUnended ||= one.status === "running" || one.status === "created";
    }
    if (last === undefined) return undefined;
    const of = { id: String(last.id), commit: last.sha, applied, url: undefined };
    if (isUnended)
      return { ...of, state: (await this.isRunningElsewhere()) ? "running" : "cut-off" };
    return { ...of, state: last.status === "success" ? "succeeded" : "failed" };
  }

  /** A deployment says nothing of its job, but applies of a stack have one name. */
  private async isRunningElsewhere(): Promise<boolean> {
    const { name, id } = this.run;
    for await (const one of this.api.pages("/jobs?scope[]=running", job)) {
      if (one.name === name && String(one.id) !== id) return true;
    }
    return false;
  }

  async beginApply({ stack: environment }: Program, sha: string): Promise<string> {
    const path = "/deployments";
    const body = { environment, sha, ref: this.run.ref, tag: false, status: "running" };
    const made = parsed(deployment, await this.api.asJob({ method: "POST", path, body }), path);
    return String(made.id);
  }

  async endApply(id: string, outcome: "succeeded" | "failed"): Promise<void> {
    const status = outcome === "succeeded" ? "success" : "failed";
    await this.api.asJob({ method: "PUT", path: `/deployments/${id}`, body: { status } });
  }

  async openIssue(title: string, post: Post): Promise<void> {
    await retryingWrites(this.world, async () => {
      const open = await this.openIssueOf(post.mark);
      const body = { title, description: textOf(post) };
      if (open === undefined) await this.api.call({ method: "POST", path: "/issues", body });
      else await this.api.call({ method: "PUT", path: `/issues/${open}`, body });
    });
  }

  async closeIssue(mark: string, text: string): Promise<boolean> {
    const open = await this.openIssueOf(mark);
    if (open === undefined) return false;
    // Closed first: where the note is refused, nobody works on what is mended.
    await this.api.call({ method: "PUT", path: `/issues/${open}`, body: { state_event: "close" } });
    await this.api.call({ method: "POST", path: `/issues/${open}/notes`, body: { body: text } });
    return true;
  }

  private async openIssueOf(mark: string): Promise<number | undefined> {
    const query = `state=opened&scope=all&author_id=${await this.api.self()}`;
    for await (const one of this.api.pages(`/issues?${query}`, issue)) {
      if (one.description?.startsWith(`${mark}\n`) === true) return one.iid;
    }
    return undefined;
  }

  async storeSecret(name: string, value: string, environment: string | undefined): Promise<void> {
    const scope = environment ?? "*";
    const body = { value, environment_scope: scope, masked: true, protected: true, raw: true };
    const filter = `filter[environment_scope]=${encodeURIComponent(scope)}`;
    const path = `/variables/${encodeURIComponent(name)}?${filter}`;
    const change = () => this.api.call({ method: "PUT", path, body }, MAINTAINER).then(() => true);
    if (await unless([404], change)) return;
    const added = { key: name, ...body };
    await this.api.call({ method: "POST", path: "/variables", body: added }, MAINTAINER);
  }
}
