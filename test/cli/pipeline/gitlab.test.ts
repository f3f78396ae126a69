import { readdirSync, readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { forgeOf } from "../../../cli/pipeline/forge/choose";
import { ForgeError, type Forge } from "../../../cli/pipeline/forge/forge";
import type { World } from "../../../cli/world";
import { addressOf, atEnd } from "../../support/folder";
import { GitLabStandIn } from "../../support/forge/gitlab";
import type { MergeRequest } from "../../support/forge/gitlab-project";

const BOT = 7;
const HEAD = "a".repeat(40);
const PROD = { stack: "prod", dir: "" };
const MERGE = "b".repeat(40);
const PUSHED = "f".repeat(40);
const MARK = "<!-- erphost:plan:prod-1a2b3c4d -->";

const variables = (gitlab: GitLabStandIn): Record<string, string> => ({
  CI_API_V4_URL: gitlab.api,
  CI_PROJECT_ID: String(gitlab.project),
  CI_PROJECT_PATH: gitlab.path,
  CI_SERVER_FQDN: "gitlab.example.com",
  CI_SERVER_HOST: "gitlab.example.com",
  CI_COMMIT_REF_NAME: "main",
  CI_COMMIT_SHA: PUSHED,
  CI_JOB_TOKEN: "job-token",
  CI_JOB_NAME: "erphost apply prod",
  CI_JOB_ID: "900",
  ERPHOST_FORGE_TOKEN: "bot-token",
});

/** A job of a project with one merge request. */
async function given(env: Record<string, string | undefined> = {}) {
  const gitlab = await GitLabStandIn.start();
  atEnd(() => gitlab.close());
  gitlab.admit("bot-token", { user: BOT, role: "reporter" });
  gitlab.admit("maintainer-token", { user: 8, role: "maintainer" });
  gitlab.admit("job-token", { user: 9, role: "developer", isJob: true });
  const waited: number[] = [];
  const world = {
    env: { ...variables(gitlab), ...env },
    nowMs: () => 0,
    after: (ms: number, work: () => void) => {
      waited.push(ms);
      setImmediate(work);
      return () => undefined;
    },
    stopped: new AbortController().signal,
    // The adapter uses no more of the world.
  } as unknown as World;
  return { gitlab, waited, forge: forgeOf("gitlab", world), pull: gitlab.openMergeRequest(HEAD) };
}

let gitlab: GitLabStandIn;
let forge: Forge;
let pull: MergeRequest;
let waited: readonly number[];
beforeEach(async () => void ({ gitlab, forge, pull, waited } = await given()));

const textOf = async (work: Promise<unknown>): Promise<string> => {
  const error: unknown = await work.catch((caught: unknown) => caught);
  if (error instanceof ForgeError) return error.message;
  throw error;
};

describe("a note", () => {
  test("a note is written once and updated afterwards, however many others there are", async () => {
    for (let index = 0; index < 205; index += 1) {
      pull.notes.push({ id: gitlab.next(), body: `thought ${index}`, author: { id: 5 } });
    }
    await forge.editComment(pull.iid, MARK, () => "one");
    // Edited in a browser.
    for (const each of pull.notes) each.body = each.body.replace("\n", "\r\n");
    await forge.editComment(pull.iid, MARK, () => "two");
    expect(pull.notes.slice(205).map(({ body }) => body)).toEqual([`${MARK}\ntwo`]);
  });

  test("a note of somebody else with our mark is left alone", async () => {
    pull.notes.push({ id: gitlab.next(), body: `${MARK}\nforged`, author: { id: 5 } });
    await forge.editComment(pull.iid, MARK, () => "ours");
    expect(pull.notes).toMatchObject([
      { body: `${MARK}\nforged`, author: { id: 5 } },
      { body: `${MARK}\nours`, author: { id: BOT } },
    ]);
  });

  test("of two notes that were begun at the same time the first stays", async () => {
    for (const body of [`${MARK}\none`, `${MARK}\ntwo`]) {
      pull.notes.push({ id: gitlab.next(), body, author: { id: BOT } });
    }
    await forge.editComment(pull.iid, MARK, (body) => `${body}, and three`);
    expect(pull.notes.map(({ body }) => body)).toEqual([`${MARK}\none, and three`]);
  });
});

test("what a job says on both forges calls a merge request by no other name", () => {
  const room = join(__dirname, "../../../cli/pipeline");
  const files = readdirSync(room, { recursive: true, encoding: "utf8" }).filter(
    (file) => file.endsWith(".ts") && !/forge.(?:github|forge)/.test(file),
  );
  expect(files).toContain("apply.ts");
  for (const file of files) {
    const code = readFileSync(join(room, file), "utf8").replace(/\/\*[^]*?\*\/|\/\/.*$/gm, "");
    expect({ file, isNamed: code.includes("pull request") }).toEqual({ file, isNamed: false });
  }
});

describe("the merge request of a commit", () => {
  test.each(["merge_commit_sha", "squash_commit_sha", "sha"])("is found by %s", async (field) => {
    Object.assign(pull, { state: "merged", [field]: MERGE });
    const head = field === "sha" ? MERGE : HEAD;
    expect(await forge.mergedPull(MERGE)).toEqual({ number: pull.iid, head });
  });

  test.each([
    ["open", "main", {}],
    ["of another branch", "other", { state: "merged" }],
    ["one of two", "main", { state: "merged" }],
  ])("a merge request that is %s is not the one of a commit", async (what, branch, state) => {
    ({ gitlab, forge, pull } = await given({ CI_COMMIT_REF_NAME: branch }));
    if (what === "one of two") gitlab.mergeRequests.push({ ...pull, state: "merged", sha: MERGE });
    Object.assign(pull, { merge_commit_sha: MERGE, ...state });
    expect(await forge.mergedPull(MERGE)).toBeUndefined();
  });
});

describe("a saved plan", () => {
  const NAME = "erphost-plan-prod-1a2b3c4d";

  /** A pipeline of a merge request, with one job that kept a file. */
  function planned(text: string, more = {}, mergeRequest = pull.iid): void {
    const id = gitlab.next();
    const of = { sha: HEAD, ref: "refs/merge-requests/1/head", status: "success", ...more };
    const { status, ...rest } = of;
    gitlab.pipelines.push({ id, ...rest, source: "merge_request_event", mergeRequest });
    const files = { [NAME]: new TextEncoder().encode(text) };
    gitlab.jobs.push({ id: gitlab.next(), name: "plan", status, pipeline: id, files });
  }
  const read = async (forge: Forge, number: number) => {
    const kept = await forge.savedPlan({ number, head: HEAD }, NAME);
    return "bytes" in kept ? new TextDecoder().decode(kept.bytes) : undefined;
  };

  test("the newest saved plan of the head is read", async () => {
    for (const text of ["first", "second"]) planned(text);
    // Another job of that pipeline, which keeps something else.
    const other = { id: gitlab.next(), name: "lint", status: "success" };
    const pipeline = gitlab.pipelines.at(-1)?.id ?? 0;
    gitlab.jobs.unshift({ ...other, pipeline, files: { report: new Uint8Array(1) } });
    planned("of another commit", { sha: MERGE });
    planned("of another one", { ref: "refs/merge-requests/99/head" });
    expect(await read(forge, pull.iid)).toBe("second");
    planned("failed", { status: "failed" });
    expect(await read(forge, pull.iid)).toBeUndefined();
  });

  test("a plan that the forge keeps in a store of its own is read there without the token, up to 64 MiB", async () => {
    planned("here");
    const asked: IncomingHttpHeaders[] = [];
    const bodies = ["there", Buffer.alloc(64 * 1024 ** 2 + 1)];
    const store = createServer(({ headers }, response) => {
      asked.push(headers);
      response.end(bodies[asked.length - 1]);
    });
    const headers = { location: await addressOf(store) };
    gitlab.faults.push({ match: /\/artifacts\//, status: 302, headers, times: 2 });
    expect(await read(forge, pull.iid)).toBe("there");
    const long = read(forge, pull.iid).then((text) => text?.length);
    expect(await textOf(long)).toContain("→ more than 64 MiB.");
    expect(asked).toHaveLength(2);
    expect(asked.flatMap(Object.keys)).not.toContain("private-token");
  });

  test("a pipeline of merged results counts where its commit merges the head with the main branch alone", async () => {
    gitlab.history.push("c".repeat(40), PUSHED);
    gitlab.parents.set(MERGE, ["c".repeat(40), HEAD]);
    gitlab.parents.set("d".repeat(40), ["c".repeat(40)]);
    gitlab.parents.set("e".repeat(40), ["c".repeat(40), "0".repeat(40), HEAD]);
    const ref = `refs/merge-requests/${pull.iid}/merge`;
    planned("merged", { sha: MERGE, ref });
    planned("of an older head", { sha: "d".repeat(40), ref });
    planned("of another target", { sha: "e".repeat(40), ref });
    expect(await read(forge, pull.iid)).toBe("merged");
  });

  test("a plan of a fork's merge request is never read", async () => {
    const { iid } = gitlab.openMergeRequest(HEAD, 4_711);
    planned("of a fork", {}, iid);
    expect(await read(forge, iid)).toBeUndefined();
  });
});

describe("applies", () => {
  const ended = (gitlab: GitLabStandIn, ...statuses: readonly string[]): void => {
    for (const status of statuses) {
      const id = gitlab.next();
      const rest = { environment: "prod", sha: MERGE, ref: "main", deployable: null };
      gitlab.deployments.push({ id, status, ...rest });
    }
  };

  test("an apply is a deployment of the job's own token, from its begin to its end", async () => {
    ({ gitlab, forge } = await given({ ERPHOST_FORGE_TOKEN: "nobody" }));
    expect(await forge.lastApply(PROD)).toBeUndefined();
    const id = await forge.beginApply(PROD, MERGE);
    expect(gitlab.deployments).toMatchObject([{ status: "running", sha: MERGE, ref: "main" }]);
    await forge.endApply(id, "failed");
    expect(await forge.lastApply(PROD)).toMatchObject({ state: "failed" });
    await forge.endApply(await forge.beginApply(PROD, MERGE), "succeeded");
    expect(await forge.lastApply(PROD)).toMatchObject({ state: "succeeded" });
    expect(await forge.lastApply({ ...PROD, stack: "test" })).toBeUndefined();
  });

  test.each([
    [["success", "running"], "cut-off"],
    [["running", "failed"], "cut-off"],
    [["running", "failed", "failed"], "cut-off"],
    [["running", "success"], "succeeded"],
    [["running", "success", "failed"], "failed"],
    [["success", "canceled"], "failed"],
  ])("applies that ended as %j leave the stack %s", async (statuses, state) => {
    ended(gitlab, ...statuses);
    expect(await forge.lastApply(PROD)).toMatchObject({ state });
  });

  test("an apply without an end whose job runs is not cut off", async () => {
    ended(gitlab, "running");
    const job = { name: "erphost apply prod", pipeline: 1, files: {} };
    gitlab.jobs.push({ ...job, id: 900, status: "running" });
    gitlab.jobs.push({ ...job, id: 899, status: "failed" });
    gitlab.jobs.push({ ...job, id: 898, name: "erphost apply test", status: "running" });
    expect(await forge.lastApply(PROD)).toMatchObject({ state: "cut-off" });
    gitlab.jobs.push({ ...job, id: 897, status: "running" });
    expect(await forge.lastApply(PROD)).toMatchObject({ state: "running" });
  });

  test("deployments that GitLab made for other jobs of the environment, or that are of another branch, do not count", async () => {
    ended(gitlab, "success");
    const other = { environment: "prod", sha: MERGE, ref: "main", deployable: { id: 1 } };
    gitlab.deployments.push({ id: gitlab.next(), status: "running", ...other });
    const branch = { ...other, ref: "mallory", deployable: null };
    gitlab.deployments.push({ id: gitlab.next(), status: "failed", ...branch });
    expect(await forge.lastApply(PROD)).toMatchObject({ state: "succeeded" });
  });
});

test("a commit in the history of another one is before it, and one that is unknown is not", async () => {
  gitlab.history.push(HEAD, MERGE);
  expect(await forge.isBefore(HEAD, MERGE)).toBe(true);
  expect(await forge.isBefore(MERGE, HEAD)).toBe(false);
  expect(await forge.isBefore(HEAD, HEAD)).toBe(false);
  expect(await forge.isBefore("c".repeat(40), HEAD)).toBe(false);
});

test("one issue is opened, updated and closed, and the next one is new", async () => {
  const forged = { title: "forged", description: `${MARK}\n`, author: { id: 5 }, notes: [] };
  gitlab.issues.push({ iid: gitlab.next(), state: "opened", ...forged });
  await forge.openIssue("Drift", { mark: MARK, body: "one" });
  for (const each of gitlab.issues) each.description = each.description.replace("\n", "\r\n");
  await forge.openIssue("Drift again", { mark: MARK, body: "two" });
  const [, ours] = gitlab.issues;
  expect(ours).toMatchObject({ title: "Drift again", description: `${MARK}\ntwo` });
  expect(await forge.closeIssue(MARK, "It is gone.")).toBe(true);
  expect(ours).toMatchObject({ state: "closed", notes: ["It is gone."] });
  expect(await forge.closeIssue(MARK, "It is gone.")).toBe(false);
  await forge.openIssue("Drift", { mark: MARK, body: "three" });
  expect(gitlab.issues.map(({ state }) => state)).toEqual(["opened", "closed", "opened"]);
});

describe("secrets", () => {
  test("a secret is kept masked and protected, for its environment, and replaced there", async () => {
    ({ gitlab, forge } = await given({ ERPHOST_FORGE_TOKEN: "maintainer-token" }));
    await forge.storeSecret("ERPHOST_API_KEY", "key-1", "prod");
    await forge.storeSecret("ERPHOST_API_KEY", "key-2", "test");
    await forge.storeSecret("ERPHOST_API_KEY", "key-3", "prod");
    const kept = { key: "ERPHOST_API_KEY", masked: true, protected: true, raw: true };
    expect(gitlab.variables).toEqual([
      { ...kept, value: "key-3", environment_scope: "prod" },
      { ...kept, value: "key-2", environment_scope: "test" },
    ]);
    expect(gitlab.calls.map(({ call }) => call).join()).not.toContain("key-");
  });

  test("a token that may not keep secrets is refused with what it needs", async () => {
    const text = await textOf(forge.storeSecret("ERPHOST_API_KEY", "canary-key", undefined));
    expect(text).toContain("the role Maintainer");
    expect(text).not.toMatch(/canary|bot-token/);
    expect(gitlab.variables).toEqual([]);
  });
});

describe("what goes wrong", () => {
  test("a token that is missing, unknown or too weak is a sentence that says what it needs", async () => {
    for (const token of ["unknown-token", "job-token"]) {
      ({ forge, pull } = await given({ ERPHOST_FORGE_TOKEN: token }));
      const text = await textOf(forge.editComment(pull.iid, MARK, () => "one"));
      expect(text).toMatch(/ERPHOST_FORGE_TOKEN .*the role Reporter/);
      expect(text).not.toMatch(/unknown-token|job-token/);
    }
  });

  test("a job whose user may not deploy is refused with the right that it lacks", async () => {
    ({ forge } = await given({ CI_JOB_TOKEN: "bot-token" }));
    expect(await textOf(forge.beginApply(PROD, MERGE))).toContain("the right to deploy");
  });

  test("a forge that asks to wait is waited for, and one that fails is asked again", async () => {
    const headers = { "retry-after": "7" };
    for (const status of [429, 403]) {
      gitlab.faults.push({ match: /POST .*\/issues$/, status, headers, times: 1 });
    }
    gitlab.faults.push({ match: /\/user$/, status: 502, times: 2 });
    await forge.openIssue("Drift", { mark: MARK, body: "one" });
    expect(gitlab.issues).toHaveLength(1);
    gitlab.faults.push({ match: /PUT .*\/issues\/\d+$/, status: 500, times: 1 });
    await forge.openIssue("Drift", { mark: MARK, body: "two" });
    expect(waited).toEqual([500, 1_000, 7_000, 7_000, 500]);
    // Nobody waits for longer than a minute.
    const long = { "retry-after": "61" };
    gitlab.faults.push({ match: /\/user$/, status: 429, headers: long, times: 1 });
    expect(await textOf(forge.closeIssue(MARK, "done"))).toContain("too many calls for now");
    expect(waited).toHaveLength(5);
  });

  test("what may have been done is not done again, and the answer's body is repeated nowhere", async () => {
    gitlab.faults.push({ match: /\/deployments$/, status: 500, times: 1 });
    const text = await textOf(forge.beginApply(PROD, MERGE));
    expect(text).toBe("GitLab: POST /projects/1217/deployments → 500.");
    expect(gitlab.deployments).toEqual([]);
  });

  test("a note and an issue whose answers were lost are not written twice", async () => {
    const lost = { status: 502, times: 1, isDone: true };
    gitlab.faults.push({ ...lost, match: /POST .*\/notes$/ });
    gitlab.faults.push({ ...lost, match: /POST .*\/issues$/ });
    await forge.editComment(pull.iid, MARK, () => "one");
    await forge.openIssue("Drift", { mark: MARK, body: "one" });
    expect([pull.notes.length, gitlab.issues.length]).toEqual([1, 1]);
  });

  test("an answer in another form is refused", async () => {
    ({ gitlab, forge } = await given({ CI_PROJECT_ID: "../user?" }));
    expect(await textOf(forge.mergedPull(MERGE))).toContain("→ 404");
    expect(gitlab.calls.map(({ call }) => call)).toEqual([
      `GET /api/v4/projects/..%2Fuser%3F/repository/commits/${MERGE}/merge_requests?per_page=100&page=1`,
    ]);
  });

  const NEEDED = ["CI_API_V4_URL", "CI_PROJECT_ID", "CI_JOB_TOKEN", "ERPHOST_FORGE_TOKEN"];
  test.each(NEEDED)("a job without %s is refused before any call", async (variable) => {
    await expect(given({ [variable]: "" })).rejects.toThrow(`${variable} must be set`);
  });
});
