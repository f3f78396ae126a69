/** What goes wrong around an apply: old jobs, cancelled ones, a forge that fails, runs that overlap. */
import { spawn, spawnSync } from "node:child_process";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { runnerOf } from "../../e2e/support/forge/github";
import { BEGIN, type Job, type Run } from "../../e2e/support/forge/github-project";
import { outcomeOf } from "../../support/wait";
import { complaint } from "../support";
import { creating, Pipeline, unrecorded } from "./support";

const pipeline = Pipeline.ofTests();
const web = creating("web");
const db = creating("db");

/** An apply that a job has begun, whose run continues. */
function begun(environment: string) {
  const run = pipeline.github.begin("push", "0".repeat(40));
  return { run, deployment: pipeline.github.deploy(run, environment) };
}

describe("an apply of GitHub without an end", () => {
  const another: Job = { status: "in_progress", runner_name: "another machine", started_at: BEGIN };
  const other = (of: Partial<Job>): Job => ({ ...another, ...of });
  const waiting = other({ status: "waiting", runner_name: null, started_at: null });
  let run: Run;
  beforeEach(async () => {
    await pipeline.reviewed(web);
    ({ run } = begun("prod"));
  });
  const expectCutOff = async (): Promise<void> => {
    expect(await pipeline.applied()).toContain("was cut off");
  };
  const expectRunning = async (): Promise<void> => {
    const said = await pipeline.refused();
    expect(said).toBe("error: Another apply of prod is still running (https://log).");
  };

  test("an apply was cut off when its job is over, although its run waits for somebody's approval of another job", async () => {
    run.isOver = true;
    run.others.push(waiting, other({}));
    await expectCutOff();
  });

  test("an apply was cut off when its machine does another job of the run already", async () => {
    run.isOver = true;
    run.others.push(other({ runner_name: runnerOf(run), started_at: "2026-11-22T00:00:01Z" }));
    await expectCutOff();
  });

  test.each([
    ["of a pull request", { event: "pull_request" }],
    ["of another branch", { branch: "mallory" }],
    ["by another workflow", { path: ".github/workflows/mallory.yml" }],
    ["that is not there any more", { id: 1 }],
  ])("a deployment that names a run %s is not a record of an apply", async (_, of) => {
    Object.assign(run, { ...of, isOver: true });
    expect(await pipeline.applied()).not.toContain("was cut off");
    pipeline.github.deployments.at(0)?.states.push("failure");
    await pipeline.reviewed(web, db);
    pipeline.planned(web);
    pipeline.github.deployments.splice(1);
    expect(await pipeline.refused()).toContain("is not what was reviewed");
  });

  test("an apply is running as long as its job is, whatever became of the run's other jobs", async () => {
    run.others.push(other({ status: "completed" }));
    await expectRunning();
    run.isOver = true;
    await expectCutOff();
  });

  test("an apply is running as long as its job is, even where a run has more jobs than one answer shows", async () => {
    run.others.push(...Array.from({ length: 250 }, () => other({ status: "completed" })));
    await expectRunning();
  });

  test("an apply on a machine that no job of the run names is running as long as one of them is", async () => {
    const { deployment } = begun("prod");
    const payload = { run: String(run.id), attempt: "1", runner: "gone" };
    pipeline.github.deployments.splice(0, 2, { ...deployment, payload });
    run.isOver = true;
    run.others.push(other({}));
    await expectRunning();
    run.others.length = 0;
    await expectCutOff();
  });
});

describe("the job of an older merge", () => {
  /** Two merges, of which the second one's apply ends so. */
  const ENDS = ["succeeds", "fails", "has nothing to do"] as const;
  async function merges(end: (typeof ENDS)[number]) {
    const first = await pipeline.reviewed(web);
    expect(await pipeline.run(["apply"])).toMatchObject({ code: 0 });
    const second = await pipeline.reviewed(...(end === "has nothing to do" ? [] : [db]));
    pipeline.github.history.push(first, second);
    if (end === "fails") await pipeline.spoilt("failing");
    else await pipeline.applied();
    pipeline.git("checkout", "--quiet", "--detach", first);
    return { first, second };
  }

  test.each(ENDS)("does not do again what it did, where a later apply %s", async (end) => {
    const { first, second } = await merges(end);
    pipeline.planned(web);
    const said = await pipeline.refused();
    pipeline.git("checkout", "--quiet", "main");
    expect(said).toContain(`${first.slice(0, 12)} is older than ${second.slice(0, 12)}`);
  });

  test("the job of a merge that was dropped is run after all, while no later one was applied", async () => {
    const first = await pipeline.reviewed(web);
    await pipeline.run(["apply"]);
    pipeline.github.history.push(first, await pipeline.reviewed(db));
    expect(await pipeline.run(["apply"])).toMatchObject({ code: 0 });
    pipeline.planned(db);
    expect(await pipeline.run(["apply"])).toMatchObject({ code: 0 });
  });
});

test("a merge that only moves an object to another address is applied where it was reviewed", async () => {
  const same = { id: "srv_1" };
  const moved = (previous_address: string | undefined) => ({
    ...web,
    previous_address,
    change: { actions: ["no-op"], before: same, after: same },
  });
  pipeline.planned(moved("erphost_server.old"));
  pipeline.commit("straight to main");
  expect(await pipeline.refused()).toContain("nobody reviewed this plan of prod");
  await pipeline.reviewed(moved("erphost_server.old"));
  expect(await pipeline.run(["apply"])).toMatchObject({ code: 0 });
  expect(pipeline.applies).toHaveLength(1);
  pipeline.planned(moved(undefined));
  expect(await pipeline.run(["apply"])).toMatchObject({ out: ["Nothing to change in prod."] });
});

test("a job that was cancelled before its apply begins nothing, and records nothing", async () => {
  await pipeline.reviewed(web);
  const stop = new AbortController();
  // The last call before an apply begins.
  pipeline.github.onCall = (line) => {
    if (/GET .*\/deployments$/.test(line)) stop.abort();
  };
  await pipeline.refused({ stopped: stop.signal });
  pipeline.github.onCall = () => undefined;
  expect(pipeline.states).toEqual([]);
});

describe("a forge that fails", () => {
  beforeEach(() => pipeline.reviewed(web));

  test("an apply whose end the forge does not record says that it was applied", async () => {
    pipeline.github.faults = unrecorded();
    const { code, err } = await pipeline.run(["apply"]);
    expect(code).toBe(1);
    expect(err.at(-1)).toMatch(/^error: prod was applied, but not recorded, .* → 403: /);
    expect(pipeline.applies).toHaveLength(1);
  });

  test("a forge that cannot record the begin of an apply applies nothing", async () => {
    for (const fault of [{ status: 500 }, { status: 403 }, { status: 200 }]) {
      pipeline.github.faults = [{ match: /POST .*\/deployments$/, times: 9, ...fault }];
      expect(await pipeline.refused({ after: (work) => work() })).toMatch(
        /^error: GitHub: POST \S*\/deployments (?:→ \d+|answered)[^\n]*\.$/,
      );
    }
  });

  test("a plan that no comment shows, since the forge refused it, does not count as reviewed", async () => {
    pipeline.planned(web, db);
    const [pull] = pipeline.github.pulls;
    if (pull) pull.head = pull.merged ?? "";
    pipeline.github.faults = [{ match: /PATCH .*\/comments/, status: 403, times: 9 }];
    expect(await pipeline.run(["plan"], { pull: 1 })).toMatchObject({ code: 1 });
    pipeline.github.faults = [];
    expect(await pipeline.refused()).toContain("the newest plan of pull request 1 failed, or");
  });

  test("a plan that the forge no longer keeps is as good as none", async () => {
    pipeline.github.faults = [{ match: /\/zip$/, status: 410, times: 9 }];
    const said = await pipeline.refused();
    expect(said).toContain("the newest plan run of pull request 1 left none, or it has expired");
  });

  test("a deployment that somebody else made without a run stops nothing", async () => {
    const nobody = pipeline.github.begin("push", "0".repeat(40));
    for (const payload of ["", "{", { run: 1 }, null]) {
      pipeline.github.deploy(nobody, "prod", { payload, states: [] });
    }
    expect(await pipeline.run(["apply"])).toMatchObject({ code: 0 });
  });

  test("a secret with a token that nobody has set is named", async () => {
    const ended = pipeline.run(["apply"], { env: { ERPHOST_FORGE_TOKEN: "" } });
    expect(await complaint(2, ended)).toContain("ERPHOST_FORGE_TOKEN must be set");
  });

  test("an answer of another form is a sentence", async () => {
    pipeline.github.faults = [{ match: /graphql/, status: 200, times: 9 }];
    const said = await pipeline.refused({ pull: 1, after: (work) => work() }, ["plan"]);
    expect(said).toBe("error: GitHub: POST /graphql answered something else.");
  });
});

describe("drift while an apply runs", () => {
  const before = { id: "srv_1", name: "web" };
  const gone = { ...web, change: { actions: ["delete"], before, after: null } };
  beforeEach(() => pipeline.drifted(gone));

  test("drift is looked for when the apply has ended, so that what it changes is none", async () => {
    const { deployment } = begun("prod");
    const after = (work: () => void) => {
      expect(pipeline.plans).toEqual([]);
      pipeline.drifted();
      deployment.states.push("success");
      work();
    };
    const none = { code: 0, out: ["No drift in prod."] };
    expect(await pipeline.run(["drift"], { after })).toMatchObject(none);
    expect(pipeline.github.issues).toEqual([]);
  });

  test("what an apply changed that began meanwhile is looked at again", async () => {
    pipeline.github.onCall = (line) => {
      if (!/GET .*\/deployments$/.test(line) || pipeline.plans.length === 0) return;
      if (pipeline.states.length === 0) begun("prod").deployment.states.push("success");
      pipeline.drifted();
    };
    const { out } = await pipeline.run(["drift"]);
    pipeline.github.onCall = () => undefined;
    expect(out).toEqual(["No drift in prod."]);
    expect(pipeline.plans).toHaveLength(2);
  });

  test("drift that was not looked for, because an apply runs on for long, fails the job", async () => {
    begun("prod");
    expect(await pipeline.refused({ after: (work) => work() }, ["drift"])).toBe(
      "error: Drift was not looked for, because an apply of prod is still running (https://log). Run the job again when the apply has ended.",
    );
    expect(pipeline.github.issues).toEqual([]);
    expect(pipeline.plans).toEqual([]);
  });
});

test("a checkout that belongs to another user, which git itself refuses, is planned as any other", async () => {
  const others = { GIT_TEST_ASSUME_DIFFERENT_OWNER: "1", GIT_CONFIG_GLOBAL: "/dev/null" };
  const options = { cwd: pipeline.repository, env: { ...process.env, ...others } };
  const { stderr } = spawnSync("git", ["rev-parse", "HEAD"], options);
  expect(String(stderr)).toContain("dubious ownership");
  pipeline.planned(web);
  pipeline.github.open(1, pipeline.git("rev-parse", "HEAD"));
  expect(await pipeline.run(["plan"], { pull: 1, env: others })).toMatchObject({ code: 0 });
});

test("a folder, a synthesis and an engine that are given empty are those that nobody gives", async () => {
  pipeline.planned(creating("web"));
  const cdktf = ["--tool", "cdktf", "--synth", "mkdir -p cdktf.out/stacks/prod"];
  const env = { TERRAFORM_BINARY_NAME: "" };
  for (const words of [["--synth", " "], cdktf]) {
    const { code, err } = await pipeline.run(["plan", "--dir", "", ...words], { env });
    expect({ code, err }).toMatchObject({ code: 0 });
  }
});

test("a folder that is not there is named", async () => {
  const { code, err } = await pipeline.run(["plan", "--dir", "nodir"]);
  expect({ code, err }).toMatchObject({ code: 2 });
  expect(String(err)).toContain("--dir is nodir, which is not a folder.");
});

test("a job that nobody listens to ends as it would, with the exit code of its failure", async () => {
  const words = ["--tool", "terraform", "--stack", "prod", "--dir", pipeline.repository];
  const program = ["-r", "ts-node/register", "cli/main.ts", "pipeline", "plan", ...words];
  const { PATH } = process.env;
  const env = { PATH, GITHUB_ACTIONS: "true", GITHUB_REPOSITORY: "acme/infra", GITHUB_TOKEN: "t" };
  const out = ["--out", join(pipeline.folder, "bin/unlistened")];
  const child = spawn(process.execPath, [...program, ...out], { env });
  for (const stream of [child.stdout, child.stderr]) stream.destroy();
  // Its passphrase is missing.
  expect(await outcomeOf(child)).toMatchObject({ code: 2 });
  expect(pipeline.has("unlistened")).toBe(true);
});

test("a plan lies in the folder that GitHub empties, so that a killed job leaves none", async () => {
  await pipeline.reviewed(web);
  await pipeline.applied({ env: { RUNNER_TEMP: pipeline.folder } });
  expect(pipeline.applies[0]).toContain(` ${pipeline.folder}/erphost-pipeline-`);
});

test("drift of other providers is named, and opens no issue", async () => {
  const [before, after] = [null, { a: "b" }].map((tags) => ({ id: "logs", tags }));
  pipeline.drifted({
    ...{ address: "aws_s3_bucket.logs", mode: "managed", type: "aws_s3_bucket" },
    provider_name: "registry.terraform.io/hashicorp/aws",
    change: { actions: ["update"], before, after },
  });
  const out = ["No drift in prod. Objects of other providers, not judged here: 1 drifted."];
  expect(await pipeline.run(["drift", "--detailed-exitcode"])).toMatchObject({ code: 0, out });
  expect(pipeline.github.issues).toEqual([]);
});
