/** Calls to GitLab about the project of the job that runs. */
import * as z from "zod";
import { ForgeError, type Run } from "./forge";
import { callBytes, callJson, parseAnswer, placeOf, type Caller, type Request } from "./http";

export interface GitLabJob extends Run {
  readonly api: string;
  readonly project: string;
  /** A project access token, for all that the job's own may not do. */
  readonly token: string;
  /** The job's own, which may keep deployments. */
  readonly jobToken: string;
  readonly id: string;
  readonly name: string;
  readonly ref: string;
  readonly commit: string;
}

const PER_PAGE = 100;
const PAGES_MAX = 50;

const REPORTER =
  "ERPHOST_FORGE_TOKEN must be a project access token with the scope api and the role Reporter.";
/** What stores a secret has to be. */
export const MAINTAINER =
  "ERPHOST_FORGE_TOKEN must be a project access token with the scope api and the role Maintainer.";
const DEPLOYER = "Whoever started the job needs the right to deploy to the environment.";
const user = z.object({ id: z.number() });

export class Api {
  constructor(
    readonly job: GitLabJob,
    readonly world: Caller["world"],
  ) {}

  /** As the project access token. @param needs what is said where it is refused */
  async call(request: Request, needs = REPORTER): Promise<unknown> {
    return explained(needs, () => callJson(this.asToken(), this.below(request)));
  }

  async read<T>(path: string, schema: z.ZodType<T>): Promise<T> {
    return parsed(schema, await this.call({ method: "GET", path }), path);
  }

  bytes(path: string): Promise<Uint8Array> {
    return callBytes(this.asToken(), this.below({ method: "GET", path }));
  }

  /** As the job, which may read and write deployments and needs no other token for them. */
  asJob(request: Request): Promise<unknown> {
    const caller = this.caller({ "job-token": this.job.jobToken });
    return explained(DEPLOYER, () => callJson(caller, this.below(request)));
  }

  /** @throws ForgeError where there are more than 5,000: half of a list would be taken for all */
  async *pages<T>(path: string, of: z.ZodType<T>, ask = this.call.bind(this)): AsyncGenerator<T> {
    const start = `${path}${path.includes("?") ? "&" : "?"}per_page=${PER_PAGE}`;
    for (let page = 1; page <= PAGES_MAX; page += 1) {
      const answer = await ask({ method: "GET", path: `${start}&page=${page}` });
      const items = parsed(z.array(of), answer, path);
      yield* items;
      if (items.length < PER_PAGE) return;
    }
    throw new ForgeError(
      `GitLab: ${placeOf(path)} lists more than ${PER_PAGE * PAGES_MAX} entries.`,
      undefined,
    );
  }

  /** Whose the token is: only what the same user wrote is ever changed. */
  async self(): Promise<number> {
    const caller = this.asToken();
    const who = await explained(REPORTER, () => callJson(caller, { method: "GET", path: "/user" }));
    return parsed(user, who, "/user").id;
  }

  private below(request: Request): Request {
    return { ...request, path: `/projects/${encodeURIComponent(this.job.project)}${request.path}` };
  }

  private asToken(): Caller {
    return this.caller({ "private-token": this.job.token });
  }

  private caller(headers: Readonly<Record<string, string>>): Caller {
    return { name: "GitLab", api: this.job.api, headers, world: this.world };
  }
}

/** GitLab answers 404 as well where a token may not see a project. */
async function explained<T>(needs: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isRefused = error instanceof ForgeError && [401, 403, 404].includes(error.status ?? 0);
    throw isRefused ? new ForgeError(`${error.message} ${needs}`, error.status) : error;
  }
}

/** @throws ForgeError where the answer has another form */
export const parsed = <T>(schema: z.ZodType<T>, answer: unknown, path: string): T =>
  parseAnswer(schema, answer, `GitLab: ${placeOf(path)} answered in another form.`);
