/** What GitHub is asked for, and the parts of its answers that are read. */
import * as z from "zod";
import { jsonOf } from "../../../provider/contract";
import { written } from "./http";

const string = z.string();
const optional = string.nullish();
const ownText = z.object({ number: z.number(), body: written, viewerDidAuthor: z.boolean() });
const pageInfo = z.object({ hasNextPage: z.boolean(), endCursor: string.nullable() });
const found = z.object({ found: z.object({ nodes: z.array(ownText), pageInfo }) });
/** Comments of a pull request, or issues. */
export const texts = z.object({
  repository: z.union([found, z.object({ pullRequest: found.nullable() })]).nullable(),
});
export const pulls = z.array(
  z.object({
    number: z.number(),
    created_at: string,
    closed_at: optional,
    merged_at: string.nullable(),
    merge_commit_sha: string.nullable(),
    head: z.object({ sha: string, ref: string }),
    base: z.object({ ref: string }),
  }),
);
export const run = z.object({
  id: z.number(),
  /** Of the workflow; a reusable one has its branch behind an `@`. */
  path: string,
  head_branch: string.nullable(),
  event: string,
  created_at: string,
  repository: z.object({ id: z.number() }),
  head_repository: z.object({ id: z.number() }).nullable(),
});
export const runs = z.object({ workflow_runs: z.array(run) });
export const repository = z.object({ default_branch: string });
export const commit = z.object({ sha: string });
/** When the branch that a pull request goes to was changed the last time. */
export const baseChange = z.object({
  repository: z
    .object({
      pullRequest: z
        .object({ changes: z.object({ nodes: z.array(z.object({ createdAt: string })) }) })
        .nullable(),
    })
    .nullable(),
});
export const artifacts = z.object({
  artifacts: z.array(z.object({ id: z.number(), expired: z.boolean(), created_at: string })),
});
export const made = z.object({ id: z.number() });
const began = z.object({ run: string, attempt: string, runner: string });
const sent = string.transform((text) => jsonOf(text)).pipe(began);
export const deployments = z.array(
  made.extend({
    sha: string,
    /** Which job began an apply: as it was sent, or as text; undefined where it is none of ours. */
    payload: z.union([began, sent]).optional().catch(undefined),
    created_at: string,
  }),
);
export const comparison = z.object({ status: string });
export const statuses = z.array(z.object({ state: string, log_url: optional }));
const job = z.object({ status: string, runner_name: optional, started_at: optional });
export const jobs = z.object({ jobs: z.array(job) });
export const publicKey = z.object({ key_id: string, key: string });

const FOUND = `nodes { number: databaseId body viewerDidAuthor } pageInfo { hasNextPage endCursor }`;
export const COMMENTS = `query($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    found: comments(first: 100, after: $after) { ${FOUND} } } } }`;
export const BASE_CHANGE = `query($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) {
    changes: timelineItems(last: 1, itemTypes: [BASE_REF_CHANGED_EVENT]) {
      nodes { ... on BaseRefChangedEvent { createdAt } } } } } }`;
export const ISSUES = `query($owner: String!, $name: String!, $labels: [String!], $after: String) {
  repository(owner: $owner, name: $name) {
    found: issues(first: 100, after: $after, states: OPEN, labels: $labels) {
      nodes { number body viewerDidAuthor } pageInfo { hasNextPage endCursor } } } }`;

export type OwnText = z.output<typeof ownText>;
export type Found = z.output<typeof found>;
export type Deployment = z.output<typeof deployments>[number];
export type Job = z.output<typeof job>;
export type WorkflowRun = z.output<typeof run>;
