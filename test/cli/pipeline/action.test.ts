/** What the action for GitHub runs, and the jobs of the guide that use it. */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "@jest/globals";
import * as z from "zod";
import { parse } from "yaml";
import { snippet } from "../../e2e/support/guide";
import { folder } from "../../support/given";

const ROOT = join(__dirname, "../../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

const step = z.object({
  name: z.string().optional(),
  if: z.string().optional(),
  uses: z.string().optional(),
  run: z.string().optional(),
  with: z.record(z.string(), z.unknown()).optional(),
  env: z.record(z.string(), z.string()).optional(),
});
const action = z
  .object({
    inputs: z.record(z.string(), z.object({ default: z.string().optional() })),
    runs: z.object({ steps: z.array(step) }),
  })
  .parse(parse(read(".github/actions/pipeline/action.yml")));
const stepNamed = (name: string) => action.runs.steps.find((each) => each.name === name);
let place: string;
beforeEach(() => {
  place = folder();
  writeFileSync(join(place, "erphost"), '#!/bin/sh\nprintf "%s\\n" "$@"\n', { mode: 0o755 });
});

/** Runs a step's script as a runner does. @returns what it printed, in lines */
function ran(name: string, env: Readonly<Record<string, string>>) {
  const words = ["--noprofile", "--norc", "-e", "-o", "pipefail", "-c", stepNamed(name)?.run ?? ""];
  const files = { GITHUB_ENV: join(place, "env") };
  writeFileSync(files.GITHUB_ENV, "");
  const { status, stdout, stderr } = spawnSync("bash", words, {
    env: { PATH: `${place}:${process.env["PATH"] ?? ""}`, ...files, ...env },
    encoding: "utf8",
  });
  const kept = readFileSync(files.GITHUB_ENV, "utf8");
  return { code: status, kept, stderr, lines: stdout.split("\n").filter(Boolean) };
}

describe("the variables of the action", () => {
  const masked = (value: string): boolean => {
    const { code, kept, lines } = ran("Variables", { VARIABLES: `NAME=${value}\n` });
    const named = `NAME=${value}\nERPHOST_HIDDEN_VARIABLES= NAME\n`;
    expect({ code, kept }).toEqual({ code: 0, kept: named });
    return lines.length > 0;
  };

  test("harmless words are not masked, since a mask hides them wherever they are printed", () => {
    expect(["true", "false", "1", "eu", "abc"].filter(masked)).toEqual([]);
  });

  test("every other value is masked before anything can print it", () => {
    const values = ["abcd", "truest", "untrue", "true false", "s3cret=with spaces", "100%"];
    expect(values.filter(masked)).toEqual(values);
    expect(ran("Variables", { VARIABLES: "A=50%25" }).lines).toEqual(["::add-mask::50%2525"]);
  });

  test("all of them are named to erphost, with those of an earlier step", () => {
    const env = { VARIABLES: "A=abcd\nB=b=c\n", ERPHOST_HIDDEN_VARIABLES: " C" };
    expect(ran("Variables", env).kept).toContain("\nERPHOST_HIDDEN_VARIABLES= C A B\n");
  });

  test("a line that sets no variable is refused by its number, without its text", () => {
    const { code, lines } = ran("Variables", { VARIABLES: "A=abcd\n\nhunter2hunter2\n" });
    expect(code).toBe(1);
    expect(lines.at(-1)).toBe("::error::Line 3 of the variables is not NAME=value.");
    expect(lines.join("\n")).not.toContain("hunter2");
  });
});

describe("the command of the action", () => {
  const NAME = "erphost pipeline ${{ inputs.command }}";
  const given = { TOOL: "cdktf", STACK: "prod", DIR: ".", SYNTH: "npx cdktf synth", OPTIONS: "" };
  const words = (env: Readonly<Record<string, string>>): readonly string[] => {
    const { code, lines, stderr } = ran(NAME, { ...given, FILE: "out", ...env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return lines;
  };
  const job = ["--tool", "cdktf", "--stack", "prod", "--dir", ".", "--synth", "npx cdktf synth"];

  test.each(["", "  "])("policies that nobody has set (%j) are none", (POLICIES) => {
    expect(words({ COMMAND: "apply", POLICIES })).toEqual(["pipeline", "apply", ...job]);
  });

  test("policies are one word each, for plan and apply alone", () => {
    const POLICIES = "old-key admin-key";
    const chosen = ["pipeline", "apply", ...job, "--policies", "old-key", "admin-key"];
    expect(words({ COMMAND: "apply", POLICIES })).toEqual(chosen);
    expect(words({ COMMAND: "drift", POLICIES })).toEqual(["pipeline", "drift", ...job]);
  });

  test("rules of one's own are for plan and apply, and a hash that is accepted for the apply alone", () => {
    const own = { POLICIES: "", RULES: "policy/rules.ts", REGO: "rego", ACCEPT: "a" };
    const rules = ["--rules", "policy/rules.ts", "--rego", "rego"];
    const plan = words({ COMMAND: "plan", ...own });
    expect(plan).toEqual(["pipeline", "plan", ...job, ...rules, "--out", "out"]);
    const applied = ["pipeline", "apply", ...job, ...rules, "--accept", "a"];
    expect(words({ COMMAND: "apply", ...own })).toEqual(applied);
    expect(words({ COMMAND: "drift", ...own })).toEqual(["pipeline", "drift", ...job]);
  });

  test("the engine below CDKTF is the one that is installed", () => {
    const conditionOf = (installer: string) =>
      action.runs.steps.find(({ uses }) => uses?.startsWith(installer))?.if;
    expect(conditionOf("hashicorp/setup-terraform@")).toBe(
      "inputs.tool == 'terraform' || (inputs.tool == 'cdktf' && inputs.engine != 'tofu')",
    );
    expect(conditionOf("opentofu/setup-opentofu@")).toBe(
      "inputs.tool == 'tofu' || (inputs.tool == 'cdktf' && inputs.engine == 'tofu')",
    );
    expect(stepNamed(NAME)?.env).toMatchObject({ TERRAFORM_BINARY_NAME: "${{ inputs.engine }}" });
    expect(action.inputs["engine"]).toMatchObject({ default: "terraform" });
  });
});

describe("the guide's jobs on GitHub", () => {
  const job = z.object({
    environment: z.string().optional(),
    concurrency: z.string().optional(),
    permissions: z.record(z.string(), z.string()),
    uses: z.string().optional(),
    steps: z.array(step).optional(),
  });
  const workflow = z.object({ jobs: z.record(z.string(), job) });
  const texts = ["apply", "secret"].map((does) => snippet("pipelines", "yaml", `command: ${does}`));
  const jobs = texts.flatMap((text) => Object.entries(workflow.parse(parse(text)).jobs));

  test("a job with secrets of an environment is an ordinary one, which gets them for certain", () => {
    const own = jobs.filter(([, { environment }]) => environment !== undefined);
    expect(own.map(([name]) => name)).toEqual(["apply", "rotate"]);
    for (const [name, { environment, concurrency, uses, steps }] of own) {
      const alone = `erphost-${name}-prod`;
      expect([environment, concurrency, uses]).toEqual(["prod", alone, undefined]);
      const [checkout, run] = steps ?? [];
      expect(checkout).toMatchObject({ with: { "persist-credentials": false } });
      expect(Object.keys(run?.with ?? {}).filter((input) => !(input in action.inputs))).toEqual([]);
    }
    for (const [name, { uses }] of jobs.filter((job) => !own.includes(job))) {
      expect(uses).toContain(`/.github/workflows/erphost-${name}.yml@`);
    }
  });

  test("the apply may write its deployment and its answer, and the job that stores a key nothing", () => {
    const rights = Object.fromEntries(jobs.map(([name, { permissions }]) => [name, permissions]));
    const reads = { actions: "read", contents: "read" };
    const writes = { deployments: "write", "pull-requests": "write" };
    expect(rights["apply"]).toEqual({ ...reads, ...writes });
    expect(rights["rotate"]).toEqual({ contents: "read" });
  });

  test("changes of other files start no plan and no apply, and nothing of a fork gets a secret", () => {
    const paths = z.object({ paths: z.array(z.string()) });
    const filter = z.object({ on: z.object({ pull_request: paths, push: paths }) });
    const { on } = filter.parse(parse(snippet("pipelines", "yaml", "paths:")));
    expect(on.push.paths).toEqual(on.pull_request.paths);
    const files = ["actions/pipeline/action", "workflows/erphost-plan", "workflows/erphost-drift"];
    const all = [...files.map((file) => read(`.github/${file}.yml`)), ...texts];
    for (const text of all) expect(text).not.toContain("pull_request_target");
  });

  test("the address of the service is an input, which nothing masks", () => {
    expect(stepNamed("erphost pipeline ${{ inputs.command }}")?.env).toMatchObject({
      ERPHOST_BASE_URL: "${{ inputs.base-url || env.ERPHOST_BASE_URL }}",
    });
    for (const name of ["plan", "drift"]) {
      const text = read(`.github/workflows/erphost-${name}.yml`);
      expect(text).toContain("base-url: ${{ inputs.base-url }}");
    }
  });

  test("the guide checks out with the action that the workflows use", () => {
    const named = (text: string) => text.match(/actions\/checkout@.*/g) ?? [];
    const all = [...texts.flatMap(named), ...named(read(".github/workflows/erphost-plan.yml"))];
    expect(all).toHaveLength(3);
    expect(new Set(all).size).toBe(1);
  });
});
