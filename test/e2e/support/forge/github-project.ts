/** What the stand-in for GitHub keeps of a repository, and what its jobs are given. */
import { hsalsa, secretbox } from "@noble/ciphers/salsa.js";
import { x25519 } from "@noble/curves/ed25519.js";
import { blake2b } from "@noble/hashes/blake2.js";

export const REPOSITORY = "acme/infra";
export const WORKFLOW = ".github/workflows/infrastructure.yml";
/** When every run and apply begins. */
export const BEGIN = "2026-11-22T00:00:00Z";
const REPOSITORY_ID = 1;
const FORK_ID = 2;

export interface Written {
  readonly id: number;
  readonly author: string;
  body: string;
}
export interface Issue extends Written {
  title: string;
  state: "open" | "closed";
  readonly labels: readonly string[];
  readonly comments: Written[];
}
export interface Pull {
  readonly number: number;
  head: string;
  merged: string | undefined;
  base: string;
  /** Of its head. */
  branch: string;
  closedAt: string | null;
  /** When its base was another one for the last time. */
  rebasedAt?: string;
  readonly comments: Written[];
}
export interface Run {
  readonly id: number;
  readonly head: string;
  readonly event: string;
  readonly isFork: boolean;
  readonly branch: string;
  /** File of its workflow. */
  path: string;
  attempt: number;
  isOver: boolean;
  /** Its other jobs, as the interface shows them; the first one is over when the run is. */
  readonly others: Job[];
}
export interface Job {
  readonly status: "queued" | "waiting" | "in_progress" | "completed";
  readonly runner_name: string | null;
  readonly started_at: string | null;
}
export interface Deployment {
  readonly id: number;
  readonly environment: string;
  readonly task: string;
  readonly payload: unknown;
  readonly ref: string;
  readonly created_at: string;
  readonly states: string[];
}

export type Body = Readonly<Record<string, unknown>>;
/** The event about a pull request of the repository itself. */
export const pullPayload = (of: Pick<Pull, "number" | "head"> & { base: string }) => ({
  number: of.number,
  pull_request: {
    number: of.number,
    head: { sha: of.head, repo: { full_name: REPOSITORY } },
    base: { sha: of.base },
  },
});

/**
 * The secrets of the guide with more variables of the engine: of plans, and of the environment.
 * @param own of the environment alone
 */
export function variableSecrets(
  variables: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>> = {},
): Record<"ERPHOST_READ_VARIABLES" | "VARIABLES", string> {
  const lines = (of: typeof variables): string =>
    Object.entries(of)
      .map(([name, value]) => `${name}=${value}\n`)
      .join("");
  return { ERPHOST_READ_VARIABLES: lines(variables), VARIABLES: lines({ ...variables, ...own }) };
}

/** As the interface shows it. */
export const shownPull = ({ number, head, merged, base, branch, closedAt }: Pull) => ({
  number,
  created_at: BEGIN,
  closed_at: closedAt,
  merged_at: merged === undefined ? null : BEGIN,
  merge_commit_sha: merged ?? null,
  head: { sha: head, ref: branch },
  base: { ref: base },
});

/** The same of a run. */
export const shownRun = ({ id, isFork, branch, path, event }: Run) => ({
  id,
  path,
  event,
  head_branch: branch,
  created_at: BEGIN,
  repository: { id: REPOSITORY_ID },
  head_repository: { id: isFork ? FORK_ID : REPOSITORY_ID },
});

/** What is in a sealed box of libsodium, in Base64. */
export function opened(sealed: string, secretKey: Uint8Array): string {
  const box = Buffer.from(sealed, "base64");
  const [sender, rest] = [box.subarray(0, 32), box.subarray(32)];
  const words = (bytes: Uint8Array) => new Uint32Array(Uint8Array.from(bytes).buffer);
  const key = new Uint32Array(8);
  const point = x25519.getSharedSecret(secretKey, sender);
  hsalsa(words(Buffer.from("expand 32-byte k")), words(point), new Uint32Array(4), key);
  const both = Buffer.concat([sender, x25519.getPublicKey(secretKey)]);
  const nonce = blake2b(both, { dkLen: 24 });
  return Buffer.from(secretbox(new Uint8Array(key.buffer), nonce).open(rest)).toString();
}

/** All of a list, as GraphQL shows it to an author. */
export const pageOf = (all: readonly Written[], author: string) => ({
  nodes: all.map((each) => ({
    number: each.id,
    body: each.body,
    viewerDidAuthor: each.author === author,
  })),
  pageInfo: { hasNextPage: false, endCursor: null },
});
