/** What a pipeline asks of its forge, whichever it is, and what it calls a program there. */
import { createHash } from "node:crypto";

/** A text that erphost keeps up to date. */
export interface Post {
  /** First line of the text, which nobody sees: what it is about. */
  readonly mark: string;
  /** Markdown. */
  readonly body: string;
}

export const textOf = ({ mark, body }: Post): string => `${mark}\n${body}`;

export const bodyOf = (text: string, mark: string): string => text.slice(mark.length + 1);

/** A pull request, or merge request, that was merged. */
export interface MergedPull {
  readonly number: number;
  /** The last commit of its branch, which is what was reviewed. */
  readonly head: string;
  /** Of GitHub: the name of its branch. */
  readonly branch?: string;
}

/** The file of a saved plan, or why there is none that counts as reviewed: a part of a sentence. */
export type Kept = { readonly bytes: Uint8Array } | { readonly absence: string };

/** The newest commit of the default branch; undefined where the run is of another branch. */
export interface Newest {
  readonly branch: string;
  readonly commit: string | undefined;
}

/** What became of an apply. `cut-off`: it recorded no end, and its run is over. */
export type ApplyState = "succeeded" | "failed" | "running" | "cut-off";

export interface Apply {
  readonly id: string;
  readonly commit: string;
  /** That of the newest apply that succeeded. */
  readonly applied?: string | undefined;
  readonly state: ApplyState;
  /** Address of its run, where the forge knows it. */
  readonly url: string | undefined;
}

/** What a run knows of itself, on whichever forge. */
export interface Run {
  /** `github.com/acme/infra`, which begins the scope of every stack. */
  readonly home: string;
  /** The pull request that this run is about; undefined outside one. */
  readonly pull: number | undefined;
  /** The last commit of its branch, as people see it; what is checked out may be a merge of it. */
  readonly head: string | undefined;
  /** Where it began: a commit of the branch that it goes to. Undefined outside of one. */
  readonly base: string | undefined;
  /** The newest commit of this run's branch before the push that started it, where one did. */
  readonly before: string | undefined;
  /** Address of this run, for people. */
  readonly url: string | undefined;
  /** Who started it. */
  readonly actor: string;
}

/** Every call fails with a `ForgeError`, whose text holds no secret and no body. */
export interface Forge {
  readonly name: "GitHub" | "GitLab";
  readonly run: Run;
  /** What people call it here. */
  readonly pullWord: "pull request" | "merge request";
  /** Characters that a comment may have. */
  readonly bodyLengthMax: number;
  /**
   * Writes the comment with this mark: one that the same user wrote is updated, others' never.
   * @param edit of what follows the mark, empty where there is no comment; called again with each attempt
   */
  editComment(pull: number, mark: string, edit: (body: string) => string): Promise<void>;
  /** The pull request that brought a commit to its branch, by a merge, a squash or a rebase. */
  mergedPull(commit: string): Promise<MergedPull | undefined>;
  /**
   * The artifact of this name that the newest run for `pull.head` made: one of this pull request
   * alone, into the branch that it was merged into, and never one of a fork.
   */
  savedPlan(pull: MergedPull, name: string): Promise<Kept>;
  newest(): Promise<Newest>;
  /** Whether a commit is in the history of another one, and is not that one. */
  isBefore(commit: string, other: string): Promise<boolean>;
  lastApply(program: Program): Promise<Apply | undefined>;
  /**
   * Records that an apply begins. @returns what `endApply` takes
   * @param accepted the hash of a plan that the run's actor accepted; GitLab's deployments have no place for it
   */
  beginApply(program: Program, commit: string, accepted?: string): Promise<string>;
  endApply(id: string, outcome: "succeeded" | "failed"): Promise<void>;
  /** Opens an issue with this mark, or updates the open one of the same user. */
  openIssue(title: string, post: Post): Promise<void>;
  /** Closes the open issue of the same user. @returns whether there was one */
  closeIssue(mark: string, comment: string): Promise<boolean>;
  /** Stores a secret for later runs, of one environment or of all. */
  storeSecret(name: string, value: string, environment: string | undefined): Promise<void>;
}

/** A call that the forge refused or did not answer. */
export class ForgeError extends Error {
  override readonly name = "ForgeError";

  constructor(
    text: string,
    /** Of the answer; undefined where there was none. */
    readonly status: number | undefined,
    /** Undefined: another attempt would change nothing, or could do it twice. */
    readonly retryAfterMs?: number,
  ) {
    super(text);
  }
}

/** Two folders of a repository may each have a stack of the same name. */
export interface Program {
  readonly stack: string;
  /** From the top of the repository, with a slash at its end; empty at the top. */
  readonly dir: string;
}

const SLUG_LENGTH_MAX = 40;
const HASH_LENGTH = 8;

/** `infra-prod-1a2b3c4d`: readable, of letters, digits and hyphens, and another one for each program. */
export function slugOf({ stack, dir }: Program): string {
  const readable = `${dir}${stack}`
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, SLUG_LENGTH_MAX)
    .replace(/^-|-$/g, "");
  const hash = createHash("sha256")
    .update(JSON.stringify([dir, stack]))
    .digest("hex")
    .slice(0, HASH_LENGTH);
  return readable === "" ? hash : `${readable}-${hash}`;
}

/** The line that an issue about drift begins with, which Markdown does not show. */
export const markOf = (about: "drift", program: Program): string =>
  `<!-- erphost:${about}:${slugOf(program)} -->`;

/** What the forge calls the file of a saved plan. */
export const artifactName = (program: Program): string => `erphost-plan-${slugOf(program)}`;
