/** What the workflows of this repository may do, and that they agree with package.json. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import manifest from "../../package.json";
import { trackedFiles } from "../../scripts/check/tracked";
import { PAGES } from "../../scripts/publish/version";
import { ROOT } from "./support/run";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

const files = [".github/workflows", ".github/actions"].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".yml"))
    .map((name) => ({ path: `${folder}/${name}`, text: read(`${folder}/${name}`) })),
);
/** Those that other repositories call, with their own tokens and secrets. */
const isForOthers = (line: string): boolean => /^\.github\/workflows\/erphost-/.test(line);
const workflows = files.filter(({ path }) => path.startsWith(".github/workflows/"));

/** Lines with the file that they are in, for a finding that says where. */
const linesWith = (pattern: RegExp): string[] =>
  files.flatMap(({ path, text }) =>
    text
      .split("\n")
      .filter((line) => pattern.test(line))
      .map((line) => `${path}: ${line.trim()}`),
  );

describe("workflows", () => {
  test("every action that others keep is named by a commit, with its version for people", () => {
    const used = linesWith(/\buses:/).filter((line) => !/uses: [.$]\//.test(line));
    expect(used.length).toBeGreaterThan(10);
    const pinned = /uses: [\w.-]+\/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
    expect(used.filter((line) => !pinned.test(line))).toEqual([]);
  });

  test("workflows for other repositories take the action of their own commit", () => {
    const own = linesWith(/uses: \$\/\.github\/actions\/pipeline\b/);
    expect(own.filter(isForOthers)).toHaveLength(2);
  });

  test("the action, and the guide of the workflows, name the version of this release", () => {
    const action = read(".github/actions/pipeline/action.yml");
    expect(action).toContain(`description: Version of erphost\n    default: ${manifest.version}\n`);
    const guide = read("docs/guides/pipelines.md");
    const named = [...guide.matchAll(/erphost\/erphost\/\S+@v([\d.]+\d)/g)];
    expect(new Set(named.map(([, version]) => version))).toEqual(new Set([manifest.version]));
  });

  test("the next version is put wherever a page or an example names this one", () => {
    const places = /^(?:docs\/(?!figures)|examples|templates|\.github|[A-Z]+\.md)/;
    const version = new RegExp(`erphost.{0,80}[^\\d.]${manifest.version.replaceAll(".", "[.]")}`);
    const named = trackedFiles(ROOT).filter((file) => version.test(file.text));
    const paths = named.map(({ path }) => path).filter((path) => places.test(path));
    expect(paths.filter((path) => !PAGES.includes(path))).toEqual([]);
  });

  test("an action has the same commit wherever it is used", () => {
    const lines = linesWith(/\buses: [^.$]/);
    const used = new Set(lines.map((line) => /uses: (\S+@\S+ # \S+)/.exec(line)?.[1] ?? line));
    const names = [...used].map((one) => one.split("@")[0]);
    expect([...new Set(names)]).toEqual(names);
  });

  test("a workflow may by itself do no more than read the code", () => {
    for (const { path, text } of workflows) {
      const [, rights = ""] = /^permissions:(.*(?:\n {2}.*)*)/m.exec(text) ?? [];
      expect(`${path}: ${rights.trim()}`).toMatch(/: (?:\{\}|contents: read)$/);
    }
  });

  test("only a release may write, sign or speak for this repository", () => {
    const mighty = linesWith(/^\s+(?:[\w-]+: write)\b/).filter((line) => !isForOthers(line));
    expect(mighty.filter((line) => !line.startsWith(".github/workflows/release.yml"))).toEqual([]);
    expect(linesWith(/pull_request_target|workflow_run|secrets: inherit/)).toEqual([]);
    const secrets = linesWith(/\$\{\{ *secrets\./).filter((line) => !isForOthers(line));
    expect(secrets.every((line) => line.startsWith(".github/workflows/release.yml"))).toBe(true);
  });

  test("a workflow for other repositories may write one thing: its comment or its issue", () => {
    expect(linesWith(/^\s+(?:[\w-]+: write)\b/).filter(isForOthers)).toEqual([
      ".github/workflows/erphost-drift.yml: issues: write",
      ".github/workflows/erphost-plan.yml: pull-requests: write",
    ]);
    expect(linesWith(/cancel-in-progress: true/).filter(isForOthers)).toEqual([]);
    expect(linesWith(/group: erphost-/)).toEqual([
      ".github/workflows/erphost-drift.yml: group: erphost-drift-${{ inputs.stack }}",
      ".github/workflows/erphost-plan.yml: group: erphost-plan-${{ inputs.stack }}-${{ github.ref }}",
    ]);
  });

  test("a pull request of a fork or of Dependabot runs nothing, not even what installs its dependencies", () => {
    const plan = read(".github/workflows/erphost-plan.yml").replace(/\s+/g, " ");
    expect(plan).toContain("github.event.pull_request.head.repo.full_name == github.repository");
    expect(plan).toContain("github.actor != 'dependabot[bot]'");
    const action = read(".github/actions/pipeline/action.yml");
    expect(action.indexOf("name: Variables")).toBeGreaterThan(action.indexOf("PREPARE:"));
  });

  test("a job that has the signing key installs nothing and runs no code of the checkout", () => {
    const jobs = read(".github/workflows/release.yml").split(/^ {2}(?=\w[\w-]*:$)/m);
    const signing = jobs.filter((job) => job.includes("secrets.SIGNING_KEY"));
    expect(signing).toHaveLength(1);
    expect(signing[0]).not.toMatch(/checkout|npm |node |\.\/\.github/);
    expect(signing[0]).toContain("environment: release");
  });

  test("a release is of main alone, whatever branch somebody starts it on", () => {
    const [plan = "", ...others] =
      read(".github/workflows/release.yml")
        .split(/^jobs:$/m)[1]
        ?.split(/^ {2}(?=\w[\w-]*:$)/m)
        .slice(1) ?? [];
    expect(plan).toMatch(/^ {4}if: github\.ref == 'refs\/heads\/main'$/m);
    expect(others.length).toBeGreaterThan(5);
    // Needing it, in one step or several, none runs where it did not.
    const names = new Set(["plan"]);
    for (const job of others) {
      const needs = /^ {4}needs: \[?(.*?)\]?$/m.exec(job)?.[1]?.split(", ") ?? [];
      const [own = ""] = job.split(":");
      expect([own, needs.some((name) => names.has(name))]).toEqual([own, true]);
      expect(job).not.toMatch(/always\(\)|!cancelled\(\)/);
      names.add(own);
    }
  });

  test("no checkout keeps a token for later steps, and no release takes from a cache", () => {
    const checkouts = linesWith(/actions\/checkout@/).length;
    expect(linesWith(/persist-credentials: false/)).toHaveLength(checkouts);
    const release = read(".github/workflows/release.yml");
    const uncached = release.match(/cache: "false"/g)?.length ?? 0;
    expect(release.match(/\.\/\.github\/actions\/prepare/g)).toHaveLength(uncached);
  });

  test("every job ends by itself, and words of others reach a script as variables only", () => {
    for (const { path, text } of workflows) {
      const jobs = text.match(/^ {4}runs-on:/gm)?.length;
      const limits = text.match(/^ {4}timeout-minutes:/gm)?.length;
      expect({ path, limits }).toEqual({ path, limits: jobs });
    }
    expect(linesWith(/^\s+(?:- )?run: .*\$\{\{/)).toEqual([]);
  });

  test("CI runs on the oldest Node.js that package.json allows, and on the one of .nvmrc", () => {
    const [minimum = ""] = /\d+\.\d+\.\d+/.exec(manifest.engines.node) ?? [];
    expect(read(".github/workflows/ci.yml")).toContain(`"${minimum}"`);
    expect(read(".nvmrc").trim()).toBe(manifest.devDependencies.node);
  });
});

test("every file that CODEOWNERS names is there", () => {
  const named = [...read(".github/CODEOWNERS").matchAll(/^\/(\S+)/gm)].map(([, path = ""]) => path);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});
