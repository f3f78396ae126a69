/** What the stand-in for GitHub keeps of a repository, and what its jobs are given. */
export const REPOSITORY = "acme/infra";

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
/** An answer in the place of the real one, for the next calls that match. */
export interface Fault {
  readonly match: RegExp;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the call is done nevertheless. */
  readonly isDone?: boolean;
  times: number;
}

/** The event about a pull request of the repository itself. */
export const pullPayload = ({ number, head }: Pick<Pull, "number" | "head">) => ({
  number,
  pull_request: { number, head: { sha: head, repo: { full_name: REPOSITORY } } },
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
