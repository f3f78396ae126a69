/**
 * A stand-in for GitHub: what erphost asks of its interface, kept in memory. It records what is posted,
 * and shows nothing about the real one but what its documentation says.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { x25519 } from "@noble/curves/ed25519.js";
import { slugOf } from "../../../../cli/pipeline/forge/forge";
import { zip } from "../../../../scripts/release/archive";
import {
  BEGIN,
  opened,
  pageOf,
  REPOSITORY,
  shownPull,
  shownRun,
  WORKFLOW,
  type Body,
  type Call,
  type Deployment,
  type Fault,
  type Issue,
  type Pull,
  type Run,
  type Written,
} from "./github-project";

/** Whom the token of a job is, and another user's. */
export const ACTIONS = { token: "ghs_actions_token", login: "github-actions[bot]" };

type Route = readonly [call: RegExp, answer: (call: Call) => unknown];

const str = (value: unknown): string => (typeof value === "string" ? value : "");
const NOTHING = Symbol("nothing");
/** The machine of a run's first job. */
export const runnerOf = ({ id, attempt }: Pick<Run, "id" | "attempt">): string =>
  `runner ${id}${attempt === 1 ? "" : `, attempt ${attempt}`}`;

export class GitHubStandIn {
  readonly pulls: Pull[] = [];
  readonly issues: Issue[] = [];
  readonly runs: Run[] = [];
  readonly deployments: Deployment[] = [];
  readonly artifacts: { id: number; run: number; name: string; bytes: Uint8Array }[] = [];
  /** Commits of the main branch that comparisons know, from the oldest to the newest. */
  readonly history: string[] = [];
  /** The newest commit of the main branch, where it is not that of the last run. */
  newest: string | undefined;
  /** By `environment/NAME`, or `NAME`. */
  readonly secrets = new Map<string, string>();
  /** Every body that was sent, and every call in a line. */
  readonly posted: string[] = [];
  readonly calls: string[] = [];
  faults: Fault[] = [];
  /** Called with each call before it is answered. */
  onCall: (line: string) => void = () => undefined;
  /** Fulfilled with the first `repository_dispatch`. */
  readonly dispatched: Promise<Body>;
  private readonly dispatch: (body: Body) => void;
  /** Of the repository, to which secrets are sealed. */
  private readonly secretKey = x25519.utils.randomSecretKey();
  private server: Server | undefined;
  private last = 100;

  constructor() {
    const { promise, resolve } = Promise.withResolvers<Body>();
    this.dispatched = promise;
    this.dispatch = resolve;
  }

  static async start(): Promise<GitHubStandIn> {
    const github = new GitHubStandIn();
    github.server = createServer((request, response) => void github.serve(request, response));
    await new Promise<void>((resolve) => github.server?.listen(0, "127.0.0.1", resolve));
    return github;
  }

  get url(): string {
    // A TCP server's address is an object.
    return `http://127.0.0.1:${(this.server?.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server?.closeAllConnections();
    await new Promise((resolve) => this.server?.close(resolve));
  }

  /** What GitHub sets for a job of this run. */
  env(run: Run): Record<string, string> {
    return {
      GITHUB_ACTIONS: "true",
      GITHUB_REPOSITORY: REPOSITORY,
      GITHUB_API_URL: this.url,
      GITHUB_GRAPHQL_URL: `${this.url}/graphql`,
      GITHUB_SERVER_URL: "https://github.example",
      GITHUB_REF_NAME: "main",
      GITHUB_RUN_ID: String(run.id),
      GITHUB_RUN_ATTEMPT: String(run.attempt),
      RUNNER_NAME: runnerOf(run),
    };
  }

  /** @param isAgain whether it is another attempt of the same run, where there is one */
  begin(event: string, head: string, { isFork = false, isAgain = false } = {}): Run {
    const pull = event === "pull_request" && this.pulls.findLast((each) => each.head === head);
    const of = { head, event, isFork, branch: pull ? pull.branch : "main" };
    const same = this.runs.findLast(
      (each) => each.event === event && each.head === head && each.branch === of.branch,
    );
    if (isAgain && same) return Object.assign(same, { attempt: same.attempt + 1, isOver: false });
    const run = { id: this.next(), ...of, path: WORKFLOW, attempt: 1, isOver: false, others: [] };
    this.runs.push(run);
    return run;
  }

  open(number: number, head: string): Pull {
    const of = { branch: `change-${number}`, base: "main", closedAt: null, comments: [] };
    const pull: Pull = { number, head, merged: undefined, ...of };
    this.pulls.push(pull);
    return pull;
  }

  /** An apply that a run has begun. */
  deploy(run: Run, environment: string, of: Partial<Deployment> = {}): Deployment {
    const payload = { run: String(run.id), attempt: String(run.attempt), runner: runnerOf(run) };
    const task = `erphost:${slugOf({ stack: environment, dir: "" })}`;
    const begun = { task, ref: run.head, created_at: BEGIN, states: ["in_progress"] };
    const deployment = { id: this.next(), environment, payload, ...begun, ...of };
    this.deployments.push(deployment);
    return deployment;
  }

  keep(run: number, name: string, content: Uint8Array): void {
    const file = { name: "erphost.plan", content: Buffer.from(content), executable: false };
    this.artifacts.push({ id: this.next(), run, name, bytes: zip([file]) });
  }

  /** Opens a secret, as GitHub does: a sealed box of libsodium. */
  secret(place: string): string {
    return opened(this.secrets.get(place) ?? "", this.secretKey);
  }

  next(): number {
    return (this.last += 1);
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await text(request);
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://stand.in");
    const line = `${request.method} ${pathname}`;
    this.calls.push(line);
    this.onCall(line);
    this.posted.push(sent);
    const fault = this.faults.find(({ match, times }) => times > 0 && match.test(line));
    if (fault) fault.times -= 1;
    const isKnown = request.headers.authorization === `Bearer ${ACTIONS.token}`;
    const answer = (status: number, body: unknown, headers = {}): void => {
      const bytes = body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body ?? ""));
      response.writeHead(status, headers).end(bytes);
    };
    if (fault && fault.isDone !== true) return answer(fault.status, {}, fault.headers);
    if (pathname.startsWith("/blobs/")) {
      // The store is not GitHub's, and knows nobody's token.
      const bytes = this.artifacts.find(({ id }) => pathname === `/blobs/${id}`)?.bytes;
      return request.headers.authorization ? answer(400, {}) : answer(200, bytes);
    }
    if (!isKnown) return answer(401, {});
    const found = this.answerTo(line, {
      method: request.method ?? "",
      path: pathname,
      query: searchParams,
      author: ACTIONS.login,
      body: sent === "" ? {} : (JSON.parse(sent) as Body),
      groups: [],
    });
    if (fault) return answer(fault.status, {}, fault.headers);
    if (found instanceof URL) return answer(302, {}, { location: found.href });
    answer(found === NOTHING ? 404 : 200, found === NOTHING ? {} : found);
  }

  private answerTo(line: string, call: Call): unknown {
    for (const [pattern, answer] of this.routes) {
      const [, ...groups] = pattern.exec(line) ?? [];
      if (pattern.test(line)) return answer({ ...call, groups });
    }
    return NOTHING;
  }

  private readonly routes: readonly Route[] = [
    [/^POST \/graphql$/, (call) => this.graphql(call)],
    [
      /^POST \/repos\/acme\/infra\/issues\/(\d+)\/comments$/,
      ({ groups: [number], body, author }) => {
        const comment = { id: this.next(), author, body: str(body["body"]) };
        const place =
          this.pulls.find((pull) => String(pull.number) === number) ??
          this.issues.find(({ id }) => String(id) === number);
        if (!place) return NOTHING;
        place.comments.push(comment);
        return { id: comment.id };
      },
    ],
    [
      /^PATCH \/repos\/acme\/infra\/issues\/comments\/(\d+)$/,
      ({ groups: [id], body }) => {
        const all = this.pulls.flatMap(({ comments }) => comments);
        const comment = all.find((each) => String(each.id) === id);
        if (!comment) return NOTHING;
        comment.body = str(body["body"]);
        return { id: comment.id };
      },
    ],
    [
      /^DELETE \/repos\/acme\/infra\/issues\/comments\/(\d+)$/,
      ({ groups: [id] }) =>
        this.pulls.map(({ comments: all }) =>
          all.push(...all.splice(0).filter((each) => String(each.id) !== id)),
        ),
    ],
    [
      /^POST \/repos\/acme\/infra\/issues$/,
      ({ body, author }) => {
        const { title, labels } = body;
        const own = { id: this.next(), author, body: str(body["body"]), title: str(title) };
        const issue: Issue = {
          ...own,
          state: "open",
          labels: Array.isArray(labels) ? labels.map(str) : [],
          comments: [],
        };
        this.issues.push(issue);
        return { number: issue.id };
      },
    ],
    [
      /^PATCH \/repos\/acme\/infra\/issues\/(\d+)$/,
      ({ groups: [number], body }) => {
        const issue = this.issues.find(({ id }) => String(id) === number);
        if (!issue) return NOTHING;
        Object.assign(issue, body);
        return { number: issue.id };
      },
    ],
    [/^GET \/repos\/acme\/infra$/, () => ({ permissions: { push: true }, default_branch: "main" })],
    [
      /^GET \/repos\/acme\/infra\/commits\/main$/,
      () => ({ sha: this.newest ?? this.runs.at(-1)?.head }),
    ],
    [
      /^GET \/repos\/acme\/infra\/pulls$/,
      ({ query }) =>
        this.pulls.filter(({ branch }) => `acme:${branch}` === query.get("head")).map(shownPull),
    ],
    [
      /^GET \/repos\/acme\/infra\/actions\/runs\/(\d+)$/,
      ({ groups: [id] }) => {
        const run = this.runs.find((each) => String(each.id) === id);
        return run ? shownRun(run) : NOTHING;
      },
    ],
    [
      /^POST \/repos\/acme\/infra\/dispatches$/,
      ({ body }) => {
        this.dispatch(body);
        return {};
      },
    ],
    [
      /^GET \/repos\/acme\/infra\/commits\/(\w+)\/pulls$/,
      ({ groups: [sha] }) =>
        this.pulls
          // Of a commit outside of the default branch, none that was closed.
          .filter(({ merged, head, closedAt }) => merged === sha || (head === sha && !closedAt))
          .map(shownPull),
    ],
    [
      /^GET \/repos\/acme\/infra\/actions\/runs$/,
      ({ query }) => ({
        workflow_runs: this.runs
          .filter(
            ({ head, event }) => head === query.get("head_sha") && event === query.get("event"),
          )
          .map(shownRun),
      }),
    ],
    [
      /^GET \/repos\/acme\/infra\/actions\/runs\/(\d+)\/attempts\/(\d+)\/jobs$/,
      ({ groups: [id, nth], query }) => {
        const run = this.runs.find((each) => String(each.id) === id);
        const attempt = Number(nth);
        if (!run || attempt > run.attempt) return NOTHING;
        const status = run.isOver || attempt < run.attempt ? "completed" : "in_progress";
        const runner_name = runnerOf({ ...run, attempt });
        const jobs = [...run.others, { status, runner_name, started_at: BEGIN }];
        const count = Number(query.get("per_page"));
        const first = (Number(query.get("page")) - 1) * count;
        return { total_count: jobs.length, jobs: jobs.slice(first, first + count) };
      },
    ],
    [
      /^GET \/repos\/acme\/infra\/actions\/runs\/(\d+)\/artifacts$/,
      ({ groups: [run], query }) => ({
        artifacts: this.artifacts
          .filter((each) => String(each.run) === run && each.name === query.get("name"))
          .map(({ id }) => ({ id, expired: false, created_at: "2026-11-22T00:00:00Z" })),
      }),
    ],
    [
      /^GET \/repos\/acme\/infra\/actions\/artifacts\/(\d+)\/zip$/,
      ({ groups: [id] }) => new URL(`/blobs/${id}`, this.url),
    ],
    [
      /^POST \/repos\/acme\/infra\/deployments$/,
      ({ body }) => {
        const { environment, task, payload, ref } = body;
        const made = { environment: str(environment), task: str(task), payload, ref: str(ref) };
        const deployment = { id: this.next(), ...made, created_at: BEGIN, states: [] };
        this.deployments.push(deployment);
        return { id: deployment.id };
      },
    ],
    [
      /^GET \/repos\/acme\/infra\/deployments$/,
      ({ query }) =>
        this.deployments
          .filter(
            ({ environment, task }) =>
              environment === query.get("environment") && task === query.get("task"),
          )
          .toReversed()
          .slice(0, Number(query.get("per_page")))
          .map((each) => ({ ...each, sha: each.ref })),
    ],
    [
      /^GET \/repos\/acme\/infra\/compare\/(\w+)\.\.\.(\w+)$/,
      ({ groups: [base = "", head = ""] }) => {
        const [from, to] = [this.history.indexOf(base), this.history.indexOf(head)];
        if (from < 0 || to < 0) return base === head ? { status: "identical" } : NOTHING;
        return { status: from < to ? "ahead" : from > to ? "behind" : "identical" };
      },
    ],
    [
      /^(?:GET|POST) \/repos\/acme\/infra\/deployments\/(\d+)\/statuses$/,
      ({ groups: [id], method, body }) => {
        const deployment = this.deployments.find((each) => String(each.id) === id);
        if (!deployment) return NOTHING;
        if (method === "POST") deployment.states.push(str(body["state"]));
        return deployment.states.toReversed().map((state) => ({ state, log_url: "https://log" }));
      },
    ],
    [
      /^GET \/repos\/acme\/infra\/(?:actions|environments\/[^/]+)\/secrets\/public-key$/,
      () => ({
        key_id: "key_1",
        key: Buffer.from(x25519.getPublicKey(this.secretKey)).toString("base64"),
      }),
    ],
    [
      /^PUT \/repos\/acme\/infra\/(?:actions|environments\/([^/]+))\/secrets\/(\w+)$/,
      ({ groups: [environment, name = ""], body }) => {
        const place =
          environment === undefined ? name : `${decodeURIComponent(environment)}/${name}`;
        this.secrets.set(place, str(body["encrypted_value"]));
        return {};
      },
    ],
  ];

  /** The queries that erphost makes. */
  private graphql({ body, author }: Call): unknown {
    const { variables = {}, query } = body as { variables?: Body; query?: string };
    const nodes = (all: readonly Written[]) => pageOf(all, author);
    if (query?.includes("pullRequest(") === true) {
      const pull = this.pulls.find(({ number }) => number === variables["number"]);
      if (query.includes("BASE_REF_CHANGED_EVENT")) {
        const nodes = pull?.rebasedAt === undefined ? [] : [{ createdAt: pull.rebasedAt }];
        return { data: { repository: { pullRequest: { changes: { nodes } } } } };
      }
      return {
        data: { repository: { pullRequest: pull ? { found: nodes(pull.comments) } : null } },
      };
    }
    const open = this.issues.filter(
      ({ state, labels }) => state === "open" && labels.includes("erphost"),
    );
    return { data: { repository: { found: nodes(open) } } };
  }
}
