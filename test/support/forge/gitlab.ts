/** A stand-in for GitLab's API by its documentation, with roles; it records what is posted. */
import type { Context } from "hono";
import { ROLES } from "./gitlab-project";
import type { Deployment, Holder, Issue, Job, MergeRequest, Pipeline } from "./gitlab-project";
import type { Role, Variable } from "./gitlab-project";
import { StandIn } from "./stand-in";

const PER_PAGE_DEFAULT = 20;

/** What an endpoint answers: a value as JSON, or a response of its own. */
type Answer = object | undefined;

export class GitLabStandIn extends StandIn {
  readonly project = 1217;
  readonly path = "acme/infra";
  readonly mergeRequests: MergeRequest[] = [];
  readonly issues: Issue[] = [];
  readonly deployments: Deployment[] = [];
  readonly pipelines: Pipeline[] = [];
  readonly jobs: Job[] = [];
  readonly variables: Variable[] = [];
  readonly parents = new Map<string, readonly string[]>();
  /** Commits of the main branch that have a merge base, from the oldest to the newest. */
  readonly history: string[] = [];
  /** Every call, with what it carried. */
  readonly calls: { readonly call: string; readonly body: string; status: number }[] = [];
  private readonly holders = new Map<string, Holder>();

  private constructor() {
    super();
    this.record();
    this.mergeRequestsOf();
    this.commitsOf();
    this.issuesOf();
    this.jobsOf();
    this.deploymentsOf();
    this.app.notFound((c) => c.json({ message: "404 Not Found" }, 404));
  }

  static start(): Promise<GitLabStandIn> {
    return new GitLabStandIn().listening();
  }

  get api(): string {
    return `http://${this.host}/api/v4`;
  }

  admit(token: string, holder: Holder): void {
    this.holders.set(token, holder);
  }

  /** A merge request of a branch, by default of the project itself. */
  openMergeRequest(sha: string, source = this.project): MergeRequest {
    const made: MergeRequest = {
      iid: this.next(),
      state: "opened",
      sha,
      merge_commit_sha: null,
      squash_commit_sha: null,
      target_branch: "main",
      source_project_id: source,
      notes: [],
    };
    this.mergeRequests.push(made);
    return made;
  }

  /** Every call is noted, and may meet a fault. */
  private record(): void {
    this.app.use(async (c, next) => {
      const { pathname, search } = new URL(c.req.url);
      const body = await c.req.text();
      const entry = { call: `${c.req.method} ${pathname}${search}`, body, status: 0 };
      this.calls.push(entry);
      await next();
      entry.status = c.res.status;
    });
    this.app.use((c, next) => this.passed(c, next, { message: "canary-of-a-body" }));
    this.app.get("/api/v4/user", (c) => {
      const who = this.holderOf(c);
      return who === undefined || who.isJob === true
        ? c.json({ message: "401 Unauthorized" }, 401)
        : c.json({ id: who.user });
    });
  }

  /**
   * An endpoint of the project, for a holder of at least this role; the token of a job is for
   * deployments. An answer that is undefined is a 404.
   */
  private at(
    call: string,
    least: Role,
    answer: (c: Context, who: Holder) => Answer | Promise<Answer>,
  ): void {
    const [method = "", path = ""] = call.split(" ");
    this.app.on(method, `/api/v4/projects/${this.project}${path}`, async (c) => {
      const who = this.holderOf(c);
      if (who === undefined) return c.json({ message: "401 Unauthorized" }, 401);
      const isAllowed = who.isJob !== true || c.req.path.includes("/deployments");
      if (!isAllowed || ROLES.indexOf(who.role) < ROLES.indexOf(least)) {
        return c.json({ message: "403 Forbidden" }, 403);
      }
      const found = await answer(c, who);
      if (found === undefined) return c.json({ message: "404 Not Found" }, 404);
      return found instanceof Response ? found : c.json(found, method === "POST" ? 201 : 200);
    });
  }

  private mergeRequestsOf(): void {
    const base = "/merge_requests/:iid";
    this.at(`GET ${base}`, "reporter", (c) => this.mergeRequestOf(c));
    this.at(`GET ${base}/notes`, "reporter", (c) => page(c, this.mergeRequestOf(c)?.notes ?? []));
    this.at(`GET ${base}/pipelines`, "reporter", (c) =>
      page(
        c,
        this.pipelines
          .filter(({ mergeRequest }) => mergeRequest === Number(c.req.param("iid")))
          .map((one) => ({ ...one, project_id: this.project }))
          .reverse(),
      ),
    );
    this.at(`POST ${base}/notes`, "reporter", async (c, { user }) => {
      const { body } = await fields(c);
      const made = { id: this.next(), body: String(body), author: { id: user } };
      this.mergeRequestOf(c)?.notes.push(made);
      return made;
    });
    this.at(`DELETE ${base}/notes/:id`, "reporter", (c) => {
      const notes = this.mergeRequestOf(c)?.notes ?? [];
      const at = notes.findIndex(({ id }) => id === Number(c.req.param("id")));
      notes.splice(at, 1);
      return c.body(null, 204);
    });
    this.at(`PUT ${base}/notes/:id`, "reporter", async (c, { user }) => {
      const notes = this.mergeRequestOf(c)?.notes ?? [];
      const found = notes.find(({ id }) => id === Number(c.req.param("id")));
      if (found?.author.id !== user) return c.json({ message: "403 Forbidden" }, 403);
      found.body = String((await fields(c))["body"]);
      return found;
    });
  }

  private commitsOf(): void {
    this.at("GET ", "reporter", () => ({ default_branch: "main" }));
    this.at("GET /repository/branches/main", "reporter", () => ({
      commit: { id: this.history.at(-1) },
    }));
    this.at("GET /repository/merge_base", "reporter", (c) => {
      const places = (c.req.queries("refs[]") ?? []).map((sha) => this.history.indexOf(sha));
      const oldest = Math.min(...places);
      return oldest < 0 ? undefined : { id: this.history[oldest] };
    });
    this.at("GET /repository/commits/:sha", "reporter", (c) => {
      const parents = this.parents.get(c.req.param("sha") ?? "");
      return parents && { parent_ids: parents };
    });
    this.at("GET /repository/commits/:sha/merge_requests", "reporter", (c) => {
      const sha = c.req.param("sha") ?? "";
      const isOf = (one: MergeRequest) =>
        [one.sha, one.merge_commit_sha, one.squash_commit_sha].includes(sha);
      return page(c, this.mergeRequests.filter(isOf));
    });
  }

  private issuesOf(): void {
    this.at("GET /issues", "reporter", (c) => {
      const { state, author_id: author } = c.req.query();
      const isMeant = (one: Issue) => one.state === state && String(one.author.id) === author;
      return page(c, this.issues.filter(isMeant));
    });
    this.at("POST /issues", "reporter", async (c, { user }) => {
      const { title, description } = await fields(c);
      const made: Issue = {
        ...{ iid: this.next(), title: String(title), description: String(description) },
        ...{ state: "opened", author: { id: user }, notes: [] },
      };
      this.issues.push(made);
      return made;
    });
    this.at("PUT /issues/:iid", "reporter", async (c) => {
      const found = this.issueOf(c);
      const { title, description, state_event: event } = await fields(c);
      if (found !== undefined && typeof title === "string") found.title = title;
      if (found !== undefined && typeof description === "string") found.description = description;
      if (found !== undefined && event === "close") found.state = "closed";
      return found;
    });
    this.at("POST /issues/:iid/notes", "reporter", async (c) => {
      const { body } = await fields(c);
      this.issueOf(c)?.notes.push(String(body));
      return { id: this.next() };
    });
  }

  private jobsOf(): void {
    this.at("GET /jobs", "reporter", (c) => {
      const wanted = c.req.queries("scope[]") ?? [];
      return page(
        c,
        this.jobs.filter(({ status }) => wanted.includes(status)),
      );
    });
    this.at("GET /pipelines/:id/jobs", "reporter", (c) =>
      page(
        c,
        this.jobs
          .filter(({ pipeline }) => pipeline === Number(c.req.param("id")))
          // One that was run again is shown to whoever asks for such alone.
          .filter(({ name }, at, all) => !all.slice(at + 1).some((one) => one.name === name))
          .filter(({ status }) => c.req.queries("scope[]")?.includes(status) ?? true)
          .map(({ id, name, status, files }) => ({
            ...{ id, name, status },
            artifacts_file: Object.keys(files).length > 0 ? { filename: "artifacts.zip" } : null,
          })),
      ),
    );
    this.at("GET /jobs/:id/artifacts/:file", "reporter", (c) => {
      const found = this.jobs.find(({ id }) => id === Number(c.req.param("id")));
      const file = found?.files[c.req.param("file") ?? ""];
      return file && c.body(new Uint8Array(file));
    });
    this.at("PUT /variables/:key", "maintainer", async (c) => {
      const scope = c.req.query("filter[environment_scope]") ?? "*";
      const at = this.variables.findIndex(
        (one) => one["key"] === c.req.param("key") && one["environment_scope"] === scope,
      );
      if (at < 0) return undefined;
      return (this.variables[at] = { ...this.variables[at], ...(await fields(c)) });
    });
    this.at("POST /variables", "maintainer", async (c) => {
      const made = await fields(c);
      this.variables.push(made);
      return made;
    });
  }

  private deploymentsOf(): void {
    this.at("GET /deployments", "developer", (c) => {
      const { environment } = c.req.query();
      return page(c, this.deployments.filter((one) => one.environment === environment).reverse());
    });
    this.at("POST /deployments", "developer", async (c) => {
      const { environment, sha, ref, status } = await fields(c);
      const made: Deployment = {
        ...{ id: this.next(), environment: String(environment), sha: String(sha) },
        ...{ ref: String(ref), status: String(status), deployable: null },
      };
      this.deployments.push(made);
      return made;
    });
    this.at("PUT /deployments/:id", "developer", async (c) => {
      const found = this.deployments.find(({ id }) => id === Number(c.req.param("id")));
      if (found !== undefined) found.status = String((await fields(c))["status"]);
      return found;
    });
  }

  private holderOf(c: Context): Holder | undefined {
    return this.holders.get(c.req.header("private-token") ?? c.req.header("job-token") ?? "");
  }

  private mergeRequestOf(c: Context): MergeRequest | undefined {
    return this.mergeRequests.find(({ iid }) => iid === Number(c.req.param("iid")));
  }

  private issueOf(c: Context): Issue | undefined {
    return this.issues.find(({ iid }) => iid === Number(c.req.param("iid")));
  }
}

const fields = (c: Context): Promise<Record<string, unknown>> => c.req.json();

function page(c: Context, all: readonly object[]): readonly object[] {
  const size = Math.min(Number(c.req.query("per_page") ?? PER_PAGE_DEFAULT), 100);
  const start = (Number(c.req.query("page") ?? 1) - 1) * size;
  return all.slice(start, start + size);
}
