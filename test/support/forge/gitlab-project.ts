/** From the least to the most. */
export const ROLES = ["guest", "reporter", "developer", "maintainer"] as const;
export type Role = (typeof ROLES)[number];

/** Whom a token stands for. */
export interface Holder {
  readonly user: number;
  readonly role: Role;
  /** Of a job, which may do little else than keep deployments. */
  readonly isJob?: boolean;
}

export interface Note {
  readonly id: number;
  body: string;
  readonly author: { readonly id: number };
}

export interface MergeRequest {
  readonly iid: number;
  state: "opened" | "merged";
  sha: string;
  merge_commit_sha: string | null;
  squash_commit_sha: string | null;
  readonly target_branch: string;
  readonly source_project_id: number;
  readonly notes: Note[];
}

export interface Issue {
  readonly iid: number;
  title: string;
  description: string;
  state: "opened" | "closed";
  readonly author: { readonly id: number };
  readonly notes: string[];
}

export interface Deployment {
  readonly id: number;
  readonly environment: string;
  readonly sha: string;
  readonly ref: string;
  status: string;
  readonly deployable: object | null;
}

export interface Job {
  readonly id: number;
  readonly name: string;
  status: string;
  readonly pipeline: number;
  readonly files: Readonly<Record<string, Uint8Array>>;
}

export interface Pipeline {
  readonly id: number;
  readonly sha: string;
  readonly ref: string;
  readonly source: string;
  readonly mergeRequest: number | undefined;
}

export type Variable = Readonly<Record<string, unknown>>;
