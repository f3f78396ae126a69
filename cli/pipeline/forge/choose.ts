/** Which forge a run is on, from what it sets in the environment. */
import * as z from "zod";
import { jsonOf, stated, type InvalidInput } from "../../../provider/contract";
import type { World } from "../../world";
import type { Forge, Run } from "./forge";
import { GitHub } from "./github";
import { GitLab } from "./gitlab";

export type ForgeName = "github" | "gitlab";

/** Variables that no engine gets: ours, and GitHub's own in its absence. */
export const TOKEN_VARIABLE = "ERPHOST_FORGE_TOKEN";
export const FALLBACK_VARIABLE = "GITHUB_TOKEN";

/** @throws InvalidInput where this is not a run of a forge, or has no token */
export function forgeOf(named: ForgeName | undefined, world: World): Forge {
  const name = named ?? guess(world);
  if (name === undefined) {
    throw refusal("--forge", "is needed: this is neither a job of GitHub Actions nor of GitLab CI");
  }
  return name === "gitlab" ? gitlabOf(world) : githubOf(world);
}

function guess({ env }: World): ForgeName | undefined {
  if (env["GITHUB_ACTIONS"] === "true") return "github";
  return env["GITLAB_CI"] === "true" ? "gitlab" : undefined;
}

function githubOf(world: World): Forge {
  const repository = needed("GITHUB_REPOSITORY", world);
  const api = (world.env["GITHUB_API_URL"] ?? "https://api.github.com").replace(/\/$/, "");
  const server = world.env["GITHUB_SERVER_URL"] ?? "https://github.com";
  const id = world.env["GITHUB_RUN_ID"] ?? "";
  const run = {
    ...{ repository, api, id },
    home: `${server.replace(/^https?:\/\//, "")}/${repository}`,
    url: `${server}/${repository}/actions/runs/${id}`,
    graphql: world.env["GITHUB_GRAPHQL_URL"] ?? `${api}/graphql`,
    token: world.env[TOKEN_VARIABLE] ?? world.env[FALLBACK_VARIABLE] ?? "",
    branch: world.env["GITHUB_REF_NAME"] ?? "",
    attempt: world.env["GITHUB_RUN_ATTEMPT"] ?? "1",
    runner: world.env["RUNNER_NAME"] ?? "",
    actor: world.env["GITHUB_TRIGGERING_ACTOR"] ?? world.env["GITHUB_ACTOR"] ?? "",
    ...eventOf(world),
  };
  // A workflow passes a secret that nobody has set as an empty one.
  if (run.token === "") throw refusal(TOKEN_VARIABLE, "must be set");
  return new GitHub(run, world);
}

const commit = z.string().regex(/^(?!0+$)[0-9a-f]{40,64}$/);
const event = z.object({
  pull_request: z
    .object({
      number: z.number(),
      head: z.object({ sha: z.string() }).optional(),
      base: z.object({ sha: z.string() }).optional(),
    })
    .optional(),
  before: commit.optional().catch(undefined),
});

/** What the event that started the run says: of its pull request, or of its push. */
function eventOf({ env, readFile }: World): Pick<Run, "pull" | "head" | "base" | "before"> {
  const path = env["GITHUB_EVENT_PATH"] ?? "";
  const payload = path === "" ? {} : jsonOf(readFile(path));
  if (payload === undefined) {
    throw refusal("GITHUB_EVENT_PATH", "names a file that is not JSON; leave it as GitHub sets it");
  }
  const { data } = event.safeParse(payload);
  const { number: pull, head, base } = data?.pull_request ?? {};
  return { pull, head: head?.sha, base: base?.sha, before: data?.before };
}

function gitlabOf(world: World): Forge {
  // GitLab before 16.10 does not set the one with the port.
  const server = world.env["CI_SERVER_FQDN"] ?? needed("CI_SERVER_HOST", world);
  const pull = Number(world.env["CI_MERGE_REQUEST_IID"]);
  const job = {
    api: needed("CI_API_V4_URL", world).replace(/\/$/, ""),
    project: needed("CI_PROJECT_ID", world),
    home: `${server}/${needed("CI_PROJECT_PATH", world)}`,
    token: needed(TOKEN_VARIABLE, world),
    jobToken: needed("CI_JOB_TOKEN", world),
    id: needed("CI_JOB_ID", world),
    url: world.env["CI_JOB_URL"],
    name: needed("CI_JOB_NAME", world),
    base: commit.safeParse(world.env["CI_MERGE_REQUEST_DIFF_BASE_SHA"]).data,
    head: undefined,
    before: commit.safeParse(world.env["CI_COMMIT_BEFORE_SHA"]).data,
    actor: world.env["GITLAB_USER_LOGIN"] ?? "",
    ref: needed("CI_COMMIT_REF_NAME", world),
    commit: needed("CI_COMMIT_SHA", world),
    pull: Number.isSafeInteger(pull) && pull > 0 ? pull : undefined,
  };
  return new GitLab(job, world);
}

function needed(variable: string, { env }: World): string {
  const value = env[variable] ?? "";
  if (value === "") throw refusal(variable, "must be set");
  return value;
}

/** An input that is refused before any call. */
export const refusal = (path: string, text: string): InvalidInput =>
  stated("pipeline", [path], text);
