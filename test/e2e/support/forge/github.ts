/** A stand-in for GitHub in memory, made by its documentation; it records what is posted. */
import { x25519 } from "@noble/curves/ed25519.js";
import type { Context } from "hono";
import { slugOf } from "../../../../cli/pipeline/forge/forge";
import { zip } from "../../../../scripts/release/archive";
import { StandIn } from "../../../support/forge/stand-in";
import {
  BEGIN,
  opened,
  pageOf,
  REPOSITORY,
  shownPull,
  shownRun,
  WORKFLOW,
  type Body,
  type Deployment,
  type Issue,
  type Pull,
  type Run,
  type Written,
} from "./github-project";

/** Whom the token of a job is, and another user's. */
export const ACTIONS = { token: "ghs_actions_token", login: "github-actions[bot]" };

const str = (value: unknown): string => (typeof value === "string" ? value : "");
/** The machine of a run's first job. */
export const runnerOf = ({ id, attempt }: Pick<Run, "id" | "attempt">): string =>
  `runner ${id}${attempt === 1 ? "" : `, attempt ${attempt}`}`;

/** What an endpoint answers; undefined is a 404. */
type Answer = (c: Context, body: Body) => object | undefined;

export class GitHubStandIn extends StandIn {
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
  /** Called with each call before it is answered. */
  onCall: (line: string) => void = () => undefined;
  /** Of the repository, to which secrets are sealed. */
  private readonly secretKey = x25519.utils.randomSecretKey();

  private constructor() {
    super();
    this.record();
    this.conversations();
    this.actions();
    this.commits();
    this.environments();
  }

  static start(): Promise<GitHubStandIn> {
    return new GitHubStandIn().listening();
  }

  get url(): string {
    return `http://${this.host}`;
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

  /** Every call is noted, may meet a fault, and needs the token of a job. */
  private record(): void {
    this.app.use(async (c, next) => {
      const line = `${c.req.method} ${new URL(c.req.url).pathname}`;
      this.calls.push(line);
      this.onCall(line);
      this.posted.push(await c.req.text());
      return this.passed(c, next, {});
    });
    // The store is not GitHub's, and knows nobody's token.
    this.app.get("/blobs/:id", (c) => {
      const found = this.artifacts.find(({ id }) => String(id) === c.req.param("id"));
      const isBare = c.req.header("authorization") === undefined;
      return isBare ? c.body(new Uint8Array(found?.bytes ?? [])) : c.json({}, 400);
    });
    this.app.use((c, next) => {
      const isKnown = c.req.header("authorization") === `Bearer ${ACTIONS.token}`;
      return isKnown ? next() : Promise.resolve(c.json({}, 401));
    });
    this.app.post("/graphql", async (c) => c.json(this.graphql(await c.req.json())));
  }

  private at(call: string, answer: Answer): void {
    const [method = "", path = ""] = call.split(" ");
    this.app.on(method, `/repos/${REPOSITORY}${path}`, async (c) => {
      const text = await c.req.text();
      const found = answer(c, text === "" ? {} : (JSON.parse(text) as Body));
      if (found instanceof URL) return c.redirect(found.href);
      return found === undefined ? c.json({}, 404) : c.json(found);
    });
  }

  private conversations(): void {
    const author = ACTIONS.login;
    this.at("POST /issues/:number/comments", (c, { body }) => {
      const number = Number(c.req.param("number"));
      const comment = { id: this.next(), author, body: str(body) };
      const place =
        this.pulls.find((pull) => pull.number === number) ??
        this.issues.find(({ id }) => id === number);
      place?.comments.push(comment);
      return place && { id: comment.id };
    });
    this.at("PATCH /issues/comments/:id", (c, { body }) => {
      const all = this.pulls.flatMap(({ comments }) => comments);
      const comment = all.find(({ id }) => String(id) === c.req.param("id"));
      if (comment) comment.body = str(body);
      return comment && { id: comment.id };
    });
    this.at("DELETE /issues/comments/:id", (c) => {
      for (const { comments: all } of this.pulls) {
        all.push(...all.splice(0).filter(({ id }) => String(id) !== c.req.param("id")));
      }
      return {};
    });
    this.at("POST /issues", (_, { title, labels, body }) => {
      const issue: Issue = {
        ...{ id: this.next(), author, body: str(body), title: str(title) },
        ...{ state: "open", labels: Array.isArray(labels) ? labels.map(str) : [], comments: [] },
      };
      this.issues.push(issue);
      return { number: issue.id };
    });
    this.at("PATCH /issues/:number", (c, body) => {
      const issue = this.issues.find(({ id }) => String(id) === c.req.param("number"));
      return issue && { number: Object.assign(issue, body).id };
    });
  }

  private actions(): void {
    const runOf = (c: Context) => this.runs.find(({ id }) => String(id) === c.req.param("run"));
    this.at("GET /actions/runs", (c) => {
      const { head_sha: sha, event } = c.req.query();
      const isMeant = (run: Run) => run.head === sha && run.event === event;
      return { workflow_runs: this.runs.filter(isMeant).map(shownRun) };
    });
    this.at("GET /actions/runs/:run", (c) => {
      const run = runOf(c);
      return run && shownRun(run);
    });
    this.at("GET /actions/runs/:run/attempts/:attempt/jobs", (c) => {
      const run = runOf(c);
      const attempt = Number(c.req.param("attempt"));
      if (!run || attempt > run.attempt) return undefined;
      const status = run.isOver || attempt < run.attempt ? "completed" : "in_progress";
      const runner_name = runnerOf({ ...run, attempt });
      const jobs = [...run.others, { status, runner_name, started_at: BEGIN }];
      const count = Number(c.req.query("per_page"));
      const first = (Number(c.req.query("page")) - 1) * count;
      return { total_count: jobs.length, jobs: jobs.slice(first, first + count) };
    });
    this.at("GET /actions/runs/:run/artifacts", (c) => ({
      artifacts: this.artifacts
        .filter(({ run, name }) => run === runOf(c)?.id && name === c.req.query("name"))
        .map(({ id }) => ({ id, expired: false, created_at: BEGIN })),
    }));
    this.at(
      "GET /actions/artifacts/:id/zip",
      (c) => new URL(`/blobs/${c.req.param("id")}`, this.url),
    );
  }

  private commits(): void {
    this.at("GET ", () => ({ permissions: { push: true }, default_branch: "main" }));
    this.at("GET /commits/main", () => ({ sha: this.newest ?? this.runs.at(-1)?.head }));
    this.at("GET /pulls", (c) =>
      this.pulls.filter(({ branch }) => `acme:${branch}` === c.req.query("head")).map(shownPull),
    );
    this.at("GET /commits/:sha/pulls", (c) => {
      const sha = c.req.param("sha");
      // Of a commit outside of the default branch, none that was closed.
      const isOf = ({ merged, head, closedAt }: Pull) =>
        merged === sha || (head === sha && !closedAt);
      return this.pulls.filter(isOf).map(shownPull);
    });
    this.at("GET /compare/:range", (c) => {
      const [base = "", head = ""] = (c.req.param("range") ?? "").split("...");
      const [from, to] = [this.history.indexOf(base), this.history.indexOf(head)];
      if (from < 0 || to < 0) return base === head ? { status: "identical" } : undefined;
      return { status: from < to ? "ahead" : from > to ? "behind" : "identical" };
    });
  }

  private environments(): void {
    this.at("POST /deployments", (_, { environment, task, payload, ref }) => {
      const made = { environment: str(environment), task: str(task), payload, ref: str(ref) };
      const deployment = { id: this.next(), ...made, created_at: BEGIN, states: [] };
      this.deployments.push(deployment);
      return { id: deployment.id };
    });
    this.at("GET /deployments", (c) => {
      const { environment, task, per_page: count } = c.req.query();
      return this.deployments
        .filter((each) => each.environment === environment && each.task === task)
        .toReversed()
        .slice(0, Number(count))
        .map((each) => ({ ...each, sha: each.ref }));
    });
    const statuses: Answer = (c, { state }) => {
      const found = this.deployments.find(({ id }) => String(id) === c.req.param("id"));
      if (c.req.method === "POST") found?.states.push(str(state));
      return found?.states.toReversed().map((each) => ({ state: each, log_url: "https://log" }));
    };
    this.at("GET /deployments/:id/statuses", statuses);
    this.at("POST /deployments/:id/statuses", statuses);
    for (const place of ["/actions", "/environments/:environment"]) {
      this.at(`GET ${place}/secrets/public-key`, () => ({
        key_id: "key_1",
        key: Buffer.from(x25519.getPublicKey(this.secretKey)).toString("base64"),
      }));
      this.at(`PUT ${place}/secrets/:name`, (c, { encrypted_value: value }) => {
        const { environment, name } = c.req.param();
        this.secrets.set([environment ?? [], name].flat().join("/"), str(value));
        return {};
      });
    }
  }

  /** The queries that erphost makes. */
  private graphql({ variables = {}, query }: { variables?: Body; query?: string }) {
    const nodes = (all: readonly Written[]) => pageOf(all, ACTIONS.login);
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
