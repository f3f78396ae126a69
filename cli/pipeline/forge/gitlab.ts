/** GitLab, as jobs of its pipelines see it. */
import * as z from "zod";
import { bodyOf, ForgeError, textOf, type Apply, type Forge, type Post } from "./forge";
import type { Kept, MergedPull, Newest } from "./forge";
import { Api, MAINTAINER, parsed, type GitLabJob } from "./gitlab-api";
import { retryingWrites, type Caller } from "./http";

/** Pipelines of one merge request that are searched for its plan. */
const PIPELINES_MAX = 20;
/** Of the million characters that GitLab takes: what its pages show in time. */
const BODY_LENGTH_MAX = 250_000;

const user = z.object({ id: z.number() });
const note = z.object({ id: z.number(), body: z.string(), author: user });
const issue = z.object({ iid: z.number(), description: z.string().nullish() });
const mergeRequest = z.object({
  iid: z.number(),
  state: z.string(),
  sha: z.string().nullish(),
  merge_commit_sha: z.string().nullish(),
  squash_commit_sha: z.string().nullish(),
  target_branch: z.string(),
  source_project_id: z.number().nullish(),
});
const pipeline = z.object({
  id: z.number(),
  sha: z.string(),
  ref: z.string(),
  source: z.string(),
  project_id: z.number(),
});
const job = z.object({
  id: z.number(),
  name: z.string(),
  status: z.string(),
  artifacts_file: z.unknown().optional(),
});
const commit = z.object({ parent_ids: z.array(z.string()) });
const base = z.object({ id: z.string() });
const branch = z.object({ commit: base });
const project = z.object({ default_branch: z.string() });
/** Those that GitLab makes for jobs by itself have a `deployable`. */
const deployment = z.object({
  id: z.number(),
  sha: z.string(),
  ref: z.string(),
  status: z.string(),
  deployable: z.unknown().optional(),
});

export function gitlabForge(job: GitLabJob, world: Caller["world"]): Forge {
  const api = new Api(job, world);
  return {
    name: "GitLab",
    run: job,
    pullWord: "merge request",
    bodyLengthMax: BODY_LENGTH_MAX,
    editComment: (pull, mark, edit) =>
      retryingWrites(world, () => editComment(api, pull, mark, edit)),
    mergedPull: (sha) => mergedPull(api, sha),
    savedPlan: (pull, name) => savedPlan(api, pull, name),
    newest: () => newest(api),
    isBefore: (sha, other) => isBefore(api, sha, other),
    lastApply: ({ stack }) => lastApply(api, stack),
    beginApply: ({ stack }, sha) => beginApply(api, stack, sha),
    async endApply(id, outcome) {
      const status = outcome === "succeeded" ? "success" : "failed";
      await api.asJob({ method: "PUT", path: `/deployments/${id}`, body: { status } });
    },
    openIssue: (title, post) => retryingWrites(world, () => openIssue(api, title, post)),
    closeIssue: (mark, text) => closeIssue(api, mark, text),
    storeSecret: (name, value, environment) => storeSecret(api, name, value, environment),
  };
}

async function editComment(
  api: Api,
  pull: number,
  mark: string,
  edit: (body: string) => string,
): Promise<void> {
  const path = `/merge_requests/${pull}/notes`;
  const self = await api.self();
  const found: z.output<typeof note>[] = [];
  for await (const one of api.pages(`${path}?sort=asc&order_by=created_at`, note)) {
    if (one.author.id === self && one.body.startsWith(`${mark}\n`)) found.push(one);
  }
  const [ours, ...doubles] = found;
  const body = { body: textOf({ mark, body: edit(bodyOf(ours?.body ?? "", mark)) }) };
  if (ours === undefined) await api.call({ method: "POST", path, body });
  else if (ours.body !== body.body) {
    await api.call({ method: "PUT", path: `${path}/${ours.id}`, body });
  }
  // Two jobs may have begun one at the same time: the first stays, and gets what the other had.
  for (const { id } of doubles) await api.call({ method: "DELETE", path: `${path}/${id}` });
}

async function mergedPull(api: Api, sha: string): Promise<MergedPull | undefined> {
  const path = `/repository/commits/${encodeURIComponent(sha)}/merge_requests`;
  const found: MergedPull[] = [];
  for await (const one of api.pages(path, mergeRequest)) {
    const commits = [one.merge_commit_sha, one.squash_commit_sha, one.sha];
    const isIt =
      one.state === "merged" && one.target_branch === api.job.ref && commits.includes(sha);
    if (isIt && typeof one.sha === "string") found.push({ number: one.iid, head: one.sha });
  }
  return found.length === 1 ? found[0] : undefined;
}

async function savedPlan(api: Api, { number, head }: MergedPull, name: string): Promise<Kept> {
  const path = `/merge_requests/${number}`;
  const absence = `merge request ${number} left no plan, or it has expired`;
  const found = await api.read(path, mergeRequest);
  const own = Number(api.job.project);
  if (found.source_project_id !== own) return { absence };
  let seen = 0;
  for await (const one of api.pages(`${path}/pipelines`, pipeline)) {
    if ((seen += 1) > PIPELINES_MAX) break;
    const isOurs =
      one.source === "merge_request_event" &&
      one.project_id === own &&
      // Another merge request may have the same commit.
      one.ref.startsWith(`refs/merge-requests/${number}/`);
    if (!isOurs || !(await isOfHead(api, one, head))) continue;
    const bytes = await fileOf(api, one.id, name);
    // Not one further back: a newer plan that failed takes its place.
    return bytes === undefined ? { absence } : { bytes };
  }
  return { absence };
}

/** A pipeline of merged results runs on a commit of its own: the head, and this branch alone. */
async function isOfHead(
  api: Api,
  { sha, ref }: z.infer<typeof pipeline>,
  head: string,
): Promise<boolean> {
  if (sha === head) return true;
  if (!ref.endsWith("/merge")) return false;
  const path = `/repository/commits/${encodeURIComponent(sha)}`;
  const { parent_ids } = await api.read(path, commit);
  if (!parent_ids.includes(head)) return false;
  for (const parent of parent_ids) {
    if (parent !== head && !(await isBefore(api, parent, api.job.commit))) return false;
  }
  return true;
}

async function fileOf(api: Api, id: number, name: string): Promise<Uint8Array | undefined> {
  for await (const one of api.pages(`/pipelines/${id}/jobs?scope[]=success`, job)) {
    if (one.artifacts_file === undefined || one.artifacts_file === null) continue;
    const path = `/jobs/${one.id}/artifacts/${encodeURIComponent(name)}`;
    try {
      return await api.bytes(path);
    } catch (error) {
      // Another job's artifacts.
      if (!(error instanceof ForgeError) || error.status !== 404) throw error;
    }
  }
  return undefined;
}

async function newest(api: Api): Promise<Newest> {
  const { default_branch: name } = await api.read("", project);
  const place = `/repository/branches/${encodeURIComponent(name)}`;
  const { commit: last } = await api.read(place, branch);
  return { branch: name, commit: name === api.job.ref ? last.id : undefined };
}

/** Where two commits meet is the one of them that is in the other's history. */
async function isBefore(api: Api, sha: string, other: string): Promise<boolean> {
  if (sha === other) return false;
  const query = [sha, other].map((each) => `refs[]=${encodeURIComponent(each)}`).join("&");
  const path = `/repository/merge_base?${query}`;
  try {
    return (await api.read(path, base)).id === sha;
  } catch (error) {
    // One of them is in the repository no more, or they never meet.
    if (error instanceof ForgeError && [400, 404].includes(error.status ?? 0)) return false;
    throw error;
  }
}

/** One without an end counts until one succeeds after it: what it left may not be taken over yet. */
async function lastApply(api: Api, environment: string): Promise<Apply | undefined> {
  const query = new URLSearchParams({ environment, order_by: "id", sort: "desc" });
  const asJob = api.asJob.bind(api);
  let last: z.output<typeof deployment> | undefined;
  let isUnended = false;
  for await (const one of api.pages(`/deployments?${query.toString()}`, deployment, asJob)) {
    if (one.deployable !== undefined && one.deployable !== null) continue;
    if (one.ref !== api.job.ref) continue;
    last ??= one;
    if (one.status === "success") break;
    isUnended ||= one.status === "running" || one.status === "created";
  }
  if (last === undefined) return undefined;
  const of = { id: String(last.id), commit: last.sha, url: undefined };
  if (isUnended) return { ...of, state: (await isRunningElsewhere(api)) ? "running" : "cut-off" };
  return { ...of, state: last.status === "success" ? "succeeded" : "failed" };
}

/** A deployment says nothing of its job, but applies of a stack have one name. */
async function isRunningElsewhere(api: Api): Promise<boolean> {
  const { name, id } = api.job;
  for await (const one of api.pages("/jobs?scope[]=running", job)) {
    if (one.name === name && String(one.id) !== id) return true;
  }
  return false;
}

async function beginApply(api: Api, environment: string, sha: string): Promise<string> {
  const path = "/deployments";
  const body = { environment, sha, ref: api.job.ref, tag: false, status: "running" };
  const made = parsed(deployment, await api.asJob({ method: "POST", path, body }), path);
  return String(made.id);
}

async function openIssue(api: Api, title: string, post: Post): Promise<void> {
  const open = await openIssueOf(api, post.mark);
  const body = { title, description: textOf(post) };
  if (open === undefined) await api.call({ method: "POST", path: "/issues", body });
  else await api.call({ method: "PUT", path: `/issues/${open}`, body });
}

async function closeIssue(api: Api, mark: string, text: string): Promise<boolean> {
  const open = await openIssueOf(api, mark);
  if (open === undefined) return false;
  // Closed first: where the note is refused, nobody works on what is mended.
  await api.call({ method: "PUT", path: `/issues/${open}`, body: { state_event: "close" } });
  await api.call({ method: "POST", path: `/issues/${open}/notes`, body: { body: text } });
  return true;
}

async function openIssueOf(api: Api, mark: string): Promise<number | undefined> {
  const query = `state=opened&scope=all&author_id=${await api.self()}`;
  for await (const one of api.pages(`/issues?${query}`, issue)) {
    if (one.description?.startsWith(`${mark}\n`) === true) return one.iid;
  }
  return undefined;
}

async function storeSecret(
  api: Api,
  name: string,
  value: string,
  environment: string | undefined,
): Promise<void> {
  const scope = environment ?? "*";
  const body = { value, environment_scope: scope, masked: true, protected: true, raw: true };
  const filter = `filter[environment_scope]=${encodeURIComponent(scope)}`;
  const path = `/variables/${encodeURIComponent(name)}?${filter}`;
  try {
    await api.call({ method: "PUT", path, body }, MAINTAINER);
  } catch (error) {
    if (!(error instanceof ForgeError) || error.status !== 404) throw error;
    await api.call(
      { method: "POST", path: "/variables", body: { key: name, ...body } },
      MAINTAINER,
    );
  }
}
