/** A repository on a forge, whose pipelines really run, for claims that hold on every forge. */
import type { RunningCommand } from "../../../harness/command";

/** Texts by their paths below the folder of the program. */
export type Files = Readonly<Record<string, string>>;

/** A job of a pipeline, as people start it: by a push, a merge, a schedule. */
export type JobName = "plan" | "apply" | "drift";

/** One stack of a repository, and what its jobs are given. */
export interface Project {
  readonly stack: string;
  readonly tool: "terraform" | "tofu" | "pulumi" | "cdktf";
  /** More inputs of its jobs, such as what synthesises a program of CDKTF. */
  readonly inputs?: Readonly<Record<string, string>>;
  /** For plans and drift; only the jobs of the main branch get the other one. */
  readonly readKey: string;
  readonly applyKey: string;
  readonly passphrase: string;
  /** Opens rotated keys; only the jobs of the main branch get it. */
  readonly identity?: string | undefined;
  readonly baseUrl: string;
  /** Of the machines, which the forge does not know. */
  readonly env: Readonly<Record<string, string>>;
}

/** A pipeline that runs on a machine of its own. */
export interface Run extends RunningCommand {
  /** The disk goes with the machine, which has ended. */
  discard(): void;
}

export interface Comment {
  readonly author: string;
  readonly body: string;
}

export interface Ticket {
  readonly title: string;
  readonly body: string;
  readonly isOpen: boolean;
}

/** What the forge keeps of one apply. */
export interface ApplyRecord {
  readonly environment: string;
  readonly isEnded: boolean;
}

export interface Rig {
  readonly forge: "GitHub" | "GitLab";
  /** Of the forge, for jobs. */
  readonly tokens: readonly string[];
  /** Files of a commit, by their paths: on the branch of a pull request, which is opened by the first. */
  change(files: Files): void;
  /** A commit that no pull request brings. */
  pushPast(files: Files): void;
  /** Merges the pull request; the next change opens another one. */
  merge(): void;
  start(job: JobName): Run;
  /** Of the pull request that was opened last. */
  comments(): readonly Comment[];
  /** A comment by somebody else. */
  say(body: string): void;
  tickets(): readonly Ticket[];
  records(): readonly ApplyRecord[];
  /** Everything that jobs gave to the forge: what they posted, and the files that it keeps. */
  given(): string;
  close(): Promise<void>;
}
