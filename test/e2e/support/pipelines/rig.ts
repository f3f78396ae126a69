/** A repository on a forge, whose pipelines really run, for claims that hold on every forge. */
import type { RunningCommand } from "../../../harness/command";
import type { EngineName } from "../../../harness/terraform-workspace";
import type { Files } from "./checkout";

/** A job of a pipeline, as people start it: by a push, a merge, a schedule. */
export type JobName = "plan" | "apply" | "drift";

/** What starts a job in the place of what usually does: what `erphost listen` posts to a forge, or a hash by hand. */
export type Cause = Readonly<{ isHeard?: boolean; accept?: string }>;

/** One stack of a repository, and what its jobs are given. */
export interface Project {
  readonly stack: string;
  readonly tool: "tofu" | "pulumi" | "cdktf";
  /** Of CDKTF: what synthesises its program, and what runs below it. */
  readonly synth?: string | undefined;
  readonly engine?: EngineName | undefined;
  /** An output with a key, which a job stores after each apply. */
  readonly output: string | undefined;
  /** For plans and drift; only the jobs of the main branch get the other one. */
  readonly readKey: string;
  readonly applyKey: string;
  readonly passphrase: string;
  /** Opens rotated keys; only the jobs of the main branch get it. */
  readonly identity: string;
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

/** Every rule of the policies judges plans and applies. */
export interface Rig {
  /** Of the forge, for jobs. */
  readonly tokens: readonly string[];
  /** Files of a commit, by their paths: on the branch of a pull request, which is opened by the first. */
  change(files: Files): void;
  merge(): void;
  /** Where the same job has run for the same commit, it is run again. */
  start(job: JobName, cause?: Cause): Run;
  /** Of the pull request that was opened last. */
  comments(): readonly Comment[];
  say(body: string): void;
  tickets(): readonly Readonly<{ title: string; body: string; isOpen: boolean }>[];
  records(): readonly Readonly<{ environment: string; isEnded: boolean }>[];
  /** The environment's ERPHOST_API_KEY, as a job has stored it. */
  storedKey(): string;
  /** Everything that jobs gave to the forge: what they posted, and the files that it keeps. */
  given(): string;
  close(): Promise<void>;
}
