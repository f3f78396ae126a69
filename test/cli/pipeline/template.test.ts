/** GitLab's component, as gitlab-ci-local reads it: GitLab's own schema, and which jobs start when. */
import { spawnSync } from "node:child_process";
import { appendFileSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { git } from "../../support/git";
import { version } from "../../../package.json";
import { sharedFolder } from "../../support/folder";

const TEMPLATE = join(__dirname, "../../../templates/erphost.yml");
const RUNNER = require.resolve("gitlab-ci-local/dist/index.js");
const INPUTS = { tool: "tofu", stack: "prod", image: "node:24", rotated_output: "robot" };
const JOBS = ["plan", "apply", "drift", "rotate"] as const;
const MAIN = { CI_COMMIT_BRANCH: "main" };
const MERGE_REQUEST = {
  CI_PIPELINE_SOURCE: "merge_request_event",
  CI_PROJECT_ID: "7",
  CI_MERGE_REQUEST_PROJECT_ID: "7",
  CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "7",
};
const OF_FORK = { ...MERGE_REQUEST, CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "8" };
const BRANCH = { CI_COMMIT_BRANCH: "x" };
const project = sharedFolder();
beforeAll(() => {
  mkdirSync(join(project, "templates"));
  copyFileSync(TEMPLATE, join(project, "templates/erphost.yml"));
  git(project, "init", "--quiet", "--initial-branch", "main");
  git(project, "add", "--all");
  git(project, "commit", "--quiet", "-m", "one");
  git(project, "remote", "add", "origin", "https://gitlab.example.com/acme/infra.git");
  git(project, "update-ref", "refs/remotes/origin/main", "HEAD");
});

type Inputs = Readonly<Record<string, unknown>>;

/** Validating against GitLab's schema takes half of the time, so it is done once. */
function read(inputs: readonly Inputs[], words: readonly string[], isChecked = false) {
  const include = inputs.map((each) => ({ local: "templates/erphost.yml", inputs: each }));
  // JSON is YAML.
  const text = JSON.stringify({ stages: ["test", "deploy"], include });
  writeFileSync(join(project, ".gitlab-ci.yml"), text);
  const env = { PATH: process.env["PATH"], HOME: project };
  const options = { cwd: project, env, encoding: "utf8" } as const;
  const all = [RUNNER, `--json-schema-validation=${isChecked}`, "--no-color", ...words];
  const { status, stdout, stderr } = spawnSync(process.execPath, all, options);
  return { code: status, stdout, output: stdout + stderr };
}

/** Names of the jobs that a pipeline with these variables starts. */
function started(
  variables: Readonly<Record<string, string>>,
  inputs: readonly Inputs[] = [INPUTS],
  areFilesAsked = false,
): string[] {
  const set = Object.entries(variables).map(([name, value]) => ["--variable", `${name}=${value}`]);
  const words = ["--list-json", `--evaluate-rule-changes=${areFilesAsked}`, ...set.flat()];
  const { stdout } = read(inputs, words);
  // As gitlab-ci-local prints it, after its warnings.
  const jobs = JSON.parse(stdout.slice(stdout.indexOf("[\n"))) as { name: string; when: string }[];
  return jobs.filter(({ when }) => when !== "never").map(({ name }) => name);
}

function jobsOf(inputs: readonly Inputs[], isChecked?: boolean) {
  const words = ["--preview", "--evaluate-rule-changes=false"];
  const { code, stdout, output } = read(inputs, words, isChecked);
  if (code !== 0) throw new Error(output);
  expect(output.includes("json schema validated")).toBe(isChecked === true);
  // As gitlab-ci-local prints it.
  return parse(stdout.slice(stdout.indexOf("---"))) as Record<string, Record<string, unknown>>;
}

test("the component is valid by GitLab's schema for every engine, also several in one project", () => {
  const tools = ["terraform", "tofu", "pulumi", "cdktf"];
  const prepare = ["npm ci", "npm run build"];
  const synth = "node main.js";
  const each = tools.map((tool) => ({ ...INPUTS, tool, stack: `of-${tool}`, prepare, synth }));
  const jobs = jobsOf(each, true);
  for (const [tool, job] of tools.flatMap((tool) => JOBS.map((job) => [tool, job] as const))) {
    const own = { ERPHOST_JOB_TOOL: tool, ERPHOST_JOB_STACK: `of-${tool}` };
    const command = /--tool "\$ERPHOST_JOB_TOOL".* --synth "\$ERPHOST_JOB_SYNTH"/s;
    expect(jobs[`erphost ${job} of-${tool}`]).toMatchObject({
      before_script: expect.arrayContaining(prepare),
      script: expect.arrayContaining([expect.stringMatching(command)]),
      variables: { ...own, ERPHOST_JOB_SYNTH: synth },
    });
  }
});

test("a program is prepared in its folder, and the command starts at the top", () => {
  mkdirSync(join(project, "infra"));
  const jobs = jobsOf([{ ...INPUTS, dir: "infra", prepare: ["pwd"] }]);
  // As GitLab joins them.
  const { before_script: before, variables } = jobs["erphost plan prod"] as {
    before_script: string[][];
    variables: Record<string, string>;
  };
  const env = { ...variables, CI_PROJECT_DIR: project };
  const lines = [...before.flat(), "pwd"].join("\n");
  const { stdout } = spawnSync("bash", ["-ec", lines], { cwd: project, env, encoding: "utf8" });
  expect(stdout.trim().split("\n")).toEqual([join(project, "infra"), project]);
});

test.each([
  ["a push to a merge request", MERGE_REQUEST, ["plan"]],
  ["a fork's merge request", OF_FORK, []],
  ["a fork's own pipeline for a merge request", { ...OF_FORK, CI_PROJECT_ID: "8" }, []],
  ["a push to main", { ...MAIN, CI_PIPELINE_SOURCE: "push" }, ["apply", "rotate"]],
  ["a push to a branch", { ...BRANCH, CI_PIPELINE_SOURCE: "push" }, []],
  ["somebody else's schedule", { ...MAIN, CI_PIPELINE_SOURCE: "schedule" }, []],
  ["a schedule", { ...MAIN, CI_PIPELINE_SOURCE: "schedule", ERPHOST_RUN: "drift" }, ["drift"]],
  ["a rerun", { ...MAIN, CI_PIPELINE_SOURCE: "web", ERPHOST_RUN: "apply" }, ["apply"]],
  ["a rerun of a branch", { ...BRANCH, CI_PIPELINE_SOURCE: "web", ERPHOST_RUN: "apply" }, []],
])("%s starts the jobs that it should", (_, variables, jobs) => {
  expect(started(variables)).toEqual(jobs.map((job) => `erphost ${job} prod`));
});

test("changes of other files start neither plan nor apply, and a rerun asks for none", () => {
  const paths = ["infra/**/*"];
  const jobs = jobsOf([{ ...INPUTS, paths, base_url: "https://erp.example.com/v1" }]);
  const rulesOf = (job: string) => jobs[`erphost ${job} prod`]?.["rules"];
  const changes = expect.objectContaining({ changes: { paths } });
  expect(rulesOf("plan")).toEqual([changes]);
  expect(rulesOf("apply")).toEqual([changes, expect.not.objectContaining({ changes })]);
  expect(jobs["erphost apply prod"]).toMatchObject({
    variables: { ERPHOST_BASE_URL: "https://erp.example.com/v1" },
  });
  appendFileSync(join(project, "templates/erphost.yml"), "# changed\n");
  const stacks = { here: "templates/**/*", elsewhere: "nowhere/**/*" };
  const each = Object.entries(stacks).map(([stack, path]) => ({ ...INPUTS, stack, paths: [path] }));
  expect(started(MERGE_REQUEST, each, true)).toEqual(["erphost plan here"]);
});

test("jobs that touch a stack wait for each other, and only those of main are of its environment", () => {
  const jobs = jobsOf([{ ...INPUTS, stack: "acme/infra/prod" }]);
  const of = (job: string) => jobs[`erphost ${job} acme/infra/prod`];
  for (const job of ["apply", "drift", "rotate"]) {
    expect(of(job)).toMatchObject({ resource_group: "erphost/acme/infra/prod" });
  }
  // A deployment that GitLab made could not say that it was cut off.
  const environment = { name: "acme/infra/prod", action: "access" };
  for (const job of ["apply", "rotate"]) expect(of(job)).toMatchObject({ environment });
  for (const job of ["plan", "drift"]) expect(of(job)).not.toHaveProperty("environment");
});

describe("keys", () => {
  let jobs: ReturnType<typeof jobsOf>;
  beforeAll(() => void (jobs = jobsOf([INPUTS])));

  test("plans and drift run with the key that may only read, and rotation alone with a maintainer's token", () => {
    const holding = (text: string) =>
      Object.entries(jobs)
        .filter(([, { script }]) => `${JSON.stringify(script)}`.includes(text))
        .map(([name]) => name);
    expect(holding("ERPHOST_READ_KEY")).toEqual(["erphost plan prod", "erphost drift prod"]);
    expect(holding("ERPHOST_VARIABLES_TOKEN")).toEqual(["erphost rotate prod"]);
    expect(holding(`erphost@${version} `)).toHaveLength(4);
  });

  test("a key is stored even where the apply that rotated it failed", () => {
    const pushed = { if: expect.stringContaining("push"), when: "always" };
    expect(jobs["erphost rotate prod"]).toMatchObject({
      rules: expect.arrayContaining([expect.objectContaining(pushed)]),
    });
  });
});

test("policies are the options of plan and apply, and nothing else can be among them", () => {
  const two = { policies: "old-key admin-key", key_days_max: 30, stack: "two" };
  const jobs = jobsOf([INPUTS, { ...INPUTS, ...two }]);
  const script = (job: string): string => JSON.stringify(jobs[`erphost ${job}`]?.["script"]);
  for (const job of ["plan", "apply"]) {
    expect(script(`${job} prod`)).toContain("--policies none --key-days-max 90");
    expect(script(`${job} two`)).toContain("--policies old-key admin-key --key-days-max 30");
  }
  for (const job of ["drift", "rotate"]) expect(script(`${job} prod`)).not.toContain("--policies");
  for (const policies of ["", "all --allow-unreviewed", "all; id"]) {
    const { code, output } = read([{ ...INPUTS, policies }], ["--list"]);
    expect({ policies, code: code === 0 }).toEqual({ policies, code: false });
    expect(output).toContain("does not match required regex");
  }
});

test.each(['prod"; id; "', "$(id)", "../prod", "prod\nid: 1"])("%j names no stack", (stack) => {
  const { code, output } = read([{ ...INPUTS, stack }], ["--list"]);
  expect(code).not.toBe(0);
  expect(output).toContain("does not match required regex");
});

test("the page about it has the version that is released", () => {
  const page = readFileSync(join(__dirname, "../../../docs/guides/pipelines.md"), "utf8");
  expect(page).toContain(`/erphost/erphost/v${version}/templates/erphost.yml`);
});
