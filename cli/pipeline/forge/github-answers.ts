/** What GitHub is asked for, and the parts of its answers that are read. */
import * as z from "zod";
import { jsonOf } from "../../../provider/contract";
import { written } from "./http";

const ownText = z.object({ number: z.number(), body: written, viewerDidAuthor: z.boolean() });
const pageInfo = z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() });
const found = z.object({ found: z.object({ nodes: z.array(ownText), pageInfo }) });
/** Comments of a pull request, or issues. */
export const texts = z.object({
  repository: z.union([found, z.object({ pullRequest: found.nullable() })]).nullable(),
});
export const pulls = z.array(
  z.object({
    number: z.number(),
    created_at: z.string(),
    closed_at: z.string().nullish(),
    merged_at: z.string().nullable(),
    merge_commit_sha: z.string().nullable(),
    head: z.object({ sha: z.string(), ref: z.string() }),
    base: z.object({ ref: z.string() }),
  }),
);
export const run = z.object({
  id: z.number(),
  /** Of the workflow; a reusable one has its branch behind an `@`. */
  path: z.string(),
  head_branch: z.string().nullable(),
  event: z.string(),
  created_at: z.string(),
  repository: z.object({ id: z.number() }),
  head_repository: z.object({ id: z.number() }).nullable(),
});
export const runs = z.object({ workflow_runs: z.array(run) });
export const repository = z.object({ default_branch: z.string() });
export const commit = z.object({ sha: z.string() });
/** When the branch that a pull request goes to was changed the last time. */
export const baseChange = z.object({
  repository: z
    .object({
      pullRequest: z
        .object({ changes: z.object({ nodes: z.array(z.object({ createdAt: z.string() })) }) })
        .nullable(),
    })
    .nullable(),
});
export const artifacts = z.object({
  artifacts: z.array(z.object({ id: z.number(), expired: z.boolean(), created_at: z.string() })),
});
export const made = z.object({ id: z.number() });
const began = z.object({ run: z.string(), attempt: z.string(), runner: z.string() });
export const deployments = z.array(
  made.extend({
    sha: z.string(),
    /** Which job began an apply: as it was sent, or as text; undefined where it is none of ours. */
    payload: z
      .union([
        began,
        z
          .string()
          .transform((text) => jsonOf(text))
          .pipe(began),
      ])
      .optional()
      .catch(undefined),
    created_at: z.string(),
  }),
);
export const comparison = z.object({ status: z.string() });
export const statuses = z.array(z.object({ state: z.string(), log_url: z.string().nullish() }));
const job = z.object({
  status: z.string(),
  runner_name: z.string().nullish(),
  started_at: z.string().nullish(),
});
export const jobs = z.object({ jobs: z.array(job) });
export const publicKey = z.object({ key_id: z.string(), key: z.string() });

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
