/** GitLab: the jobs of our component, run by gitlab-ci-local; the forge itself is a stand-in. */
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { writeFiles } from "../../../../scripts/bootstrap/files.cjs";
import { MACHINE_CACHE, startCommand, type CommandResult } from "../../../harness/command";
import { GitLabStandIn } from "../../../support/forge/gitlab";
import type { MergeRequest } from "../../../support/forge/gitlab-project";
import { snippet } from "../guide";
import { Origin, RULES_FILE, type Files } from "./checkout";
import type { Cause, JobName, Project, Rig, Run } from "./rig";

const ROOT = join(__dirname, "../../../..");
const RUNNER = require.resolve("gitlab-ci-local/dist/index.js");
const RUN_MS_MAX = 3 * 60_000;
const { version } = require("../../../../package.json") as { version: string };

const [BOT, OWNER, STRANGER] = [101, 102, 103];
const TOKENS = {
  ERPHOST_FORGE_TOKEN: "glpat-reporter-4f1c",
  ERPHOST_VARIABLES_TOKEN: "glpat-maintainer-77ab",
};

type Variables = Readonly<Record<string, string> & Record<"CI_PIPELINE_SOURCE", string>>;
/** What starts each job: the variables of its pipeline. */
const SOURCES: Readonly<Record<JobName, Variables>> = {
  plan: { CI_PIPELINE_SOURCE: "merge_request_event" },
  apply: { CI_PIPELINE_SOURCE: "push" },
  drift: { CI_PIPELINE_SOURCE: "schedule", ERPHOST_RUN: "drift" },
};

export class GitLabRig implements Rig {
  private readonly origin: Origin<MergeRequest>;
  private readonly machines: string[] = [];

  private constructor(
    private readonly gitlab: GitLabStandIn,
    private readonly project: Project,
  ) {
    const { stack, tool, output, readKey, applyKey, passphrase, baseUrl, identity } = project;
    const more = Object.entries({
      ...{ policies: "all", rules: RULES_FILE },
      ...(output !== undefined && { rotated_output: output }),
    }).map(([name, value]) => `\n      ${name}: ${value}`);
    const files = {
      ".gitlab-ci.yml": snippet("pipelines", "yaml", "templates/erphost.yml")
        .replace(/remote: \S+/, "local: templates/erphost.yml")
        .replace("tool: tofu", `tool: ${tool}`)
        .replace("stack: prod", `stack: ${stack}${more.join("")}`),
      ".gitignore": ".gitlab-ci-local/\n",
      "templates/erphost.yml": readFileSync(join(ROOT, "templates/erphost.yml"), "utf8"),
    };
    this.origin = new Origin(files, (sha) => gitlab.openMergeRequest(sha));
    const { ERPHOST_FORGE_TOKEN, ERPHOST_VARIABLES_TOKEN } = TOKENS;
    gitlab.admit(ERPHOST_FORGE_TOKEN, { user: BOT, role: "reporter" });
    gitlab.admit(ERPHOST_VARIABLES_TOKEN, { user: OWNER, role: "maintainer" });
    const all = {
      ERPHOST_FORGE_TOKEN,
      ERPHOST_READ_KEY: readKey,
      ERPHOST_PLAN_PASSPHRASE: passphrase,
      ERPHOST_BASE_URL: baseUrl,
    };
    this.keep(all, false);
    this.keep({ ERPHOST_VARIABLES_TOKEN, ERPHOST_API_KEY: applyKey }, true);
    this.keep({ ERPHOST_IDENTITY: identity }, true);
  }

  static async create(project: Project): Promise<GitLabRig> {
    return new GitLabRig(await GitLabStandIn.start(), project);
  }

  get tokens(): readonly string[] {
    return [...Object.values(TOKENS), "glcbt-job-"];
  }

  change(files: Files): void {
    const { pull, head } = this.origin.change(files);
    pull.sha = head;
  }

  merge(): void {
    const { pull, commit } = this.origin.merge();
    Object.assign(pull, { state: "merged", merge_commit_sha: commit });
    this.gitlab.history.push(commit);
  }

  /** With an apply, its pipeline stores the rotated key, where the project has an output with one. */
  start(job: JobName, { accept }: Cause = {}): Run {
    const isPlan = job === "plan";
    const branch = isPlan ? this.origin.branch : "main";
    const machine = mkdtempSync(join(tmpdir(), "erphost-runner-"));
    this.machines.push(machine);
    const checkout = join(machine, "checkout");
    this.origin.clone(checkout, branch, `http://${this.gitlab.host}/${this.gitlab.path}.git`);
    const byHand = { ERPHOST_RUN: job, ERPHOST_ACCEPT: accept ?? "", CI_PIPELINE_SOURCE: "web" };
    const causes = accept === undefined ? SOURCES[job] : byHand;
    const id = this.gitlab.next();
    const of = {
      sha: this.origin.commitOf(branch),
      ref: isPlan ? `refs/merge-requests/${this.pull?.iid}/head` : branch,
      source: causes.CI_PIPELINE_SOURCE,
      mergeRequest: isPlan ? this.pull?.iid : undefined,
    };
    const same = this.gitlab.pipelines.find(({ sha, ref, source }) =>
      isDeepStrictEqual([sha, ref, source], [of.sha, of.ref, of.source]),
    );
    if (same === undefined) this.gitlab.pipelines.push({ id, ...of });
    const name = `erphost ${job} ${this.project.stack}`;
    const entry = { id, name, status: "running", pipeline: same?.id ?? id, files: {} };
    this.gitlab.jobs.push(entry);
    const token = `glcbt-job-${id}`;
    this.gitlab.admit(token, { user: OWNER, role: "developer", isJob: true });
    const predefined = {
      ...causes,
      GITLAB_CI: "true",
      CI_COMMIT_BEFORE_SHA: job === "apply" && !accept ? this.origin.before : "0".repeat(40),
      CI_JOB_ID: String(id),
      CI_JOB_TOKEN: token,
      CI_PROJECT_DIR: checkout,
      ...(isPlan && {
        CI_MERGE_REQUEST_IID: String(this.pull?.iid),
        CI_MERGE_REQUEST_DIFF_BASE_SHA: this.origin.commitOf("main"),
        CI_MERGE_REQUEST_PROJECT_ID: String(this.gitlab.project),
        CI_MERGE_REQUEST_SOURCE_PROJECT_ID: String(this.pull?.source_project_id),
      }),
    };
    const words = [
      // GitLab's schema, by which test/cli/pipeline/template.test.ts checks the component.
      ...["--force-shell-executor", "--no-color", "--json-schema-validation=false"],
      "--evaluate-rule-changes=false",
      ...Object.entries(predefined).flatMap(([name, value]) => ["--variable", `${name}=${value}`]),
      ...["--ignore-predefined-vars", Object.keys(predefined).join(",")],
      ...(isPlan ? ["--unset-variable", "CI_COMMIT_BRANCH"] : []),
    ];
    const running = startCommand(process.execPath, [RUNNER, ...words], {
      folder: checkout,
      env: this.machineEnv(machine, !isPlan),
      timeoutMs: RUN_MS_MAX,
    });
    const ended = (result: CommandResult): CommandResult => {
      entry.status = result.code === 0 ? "success" : "failed";
      if (result.code === 0) entry.files = keptOf(checkout);
      return result;
    };
    return {
      ...running,
      finished: running.finished.then(ended),
      discard: () => rmSync(machine, { recursive: true, force: true, maxRetries: 3 }),
    };
  }

  private get pull(): MergeRequest | undefined {
    return this.gitlab.mergeRequests.at(-1);
  }

  comments() {
    return (this.pull?.notes ?? []).map(({ body, author }) => ({
      body,
      author: String(author.id),
    }));
  }

  say(body: string): void {
    this.pull?.notes.push({ id: this.gitlab.next(), body, author: { id: STRANGER } });
  }

  tickets() {
    return this.gitlab.issues.map(({ title, description, state }) => ({
      title,
      body: description,
      isOpen: state === "opened",
    }));
  }

  records() {
    return this.gitlab.deployments.map(({ environment, status }) => ({
      environment,
      isEnded: status !== "running",
    }));
  }

  storedKey(): string {
    const [stored] = this.gitlab.variables.filter(
      (one) => one["key"] === "ERPHOST_API_KEY" && one["environment_scope"] === this.project.stack,
    );
    return String(stored?.["value"]);
  }

  given(): string {
    const files = this.gitlab.jobs.flatMap(({ files: kept }) => Object.values(kept));
    const texts = files.map((bytes) => Buffer.from(bytes).toString("latin1"));
    // What a job stores as a variable is a secret on purpose.
    const posted = this.gitlab.calls.filter(({ call }) => !call.includes("/variables"));
    return [...posted.map(({ call, body }) => `${call}\n${body}`), ...texts].join("\n");
  }

  async close(): Promise<void> {
    for (const one of this.machines) rmSync(one, { recursive: true, force: true, maxRetries: 3 });
    this.origin.remove();
    await this.gitlab.close();
  }

  private keep(values: Readonly<Record<string, string>>, isProtected: boolean): void {
    for (const [key, value] of Object.entries(values)) {
      const made = { key, value, protected: isProtected, masked: true, environment_scope: "*" };
      this.gitlab.variables.push(made);
    }
  }

  /** A machine without a past. gitlab-ci-local reads a project's variables from a file. */
  private machineEnv(machine: string, isProtected: boolean): Record<string, string> {
    const [home, bin] = [join(machine, "home"), join(machine, "bin")];
    const global: Record<string, { type: string; values: Record<string, string> }> = {};
    for (const one of this.gitlab.variables) {
      if (one["protected"] === true && !isProtected) continue;
      const kept = (global[String(one["key"])] ??= { type: "variable", values: {} });
      kept.values[String(one["environment_scope"])] = String(one["value"]);
    }
    writeFiles(home, { ".gitlab-ci-local/variables.yml": JSON.stringify({ global }) });
    const npx = [
      // This checkout's erphost in the place of the one on npm; a wrong version is not found.
      `[ "$1 $2 $3" = "--yes --ignore-scripts erphost@${version}" ] || { echo "npx: no $3" >&2; exit 1; }`,
      `shift 3; exec "${process.execPath}" "${join(ROOT, "dist/cli/main.js")}" "$@"`,
    ].join("\n");
    // gitlab-ci-local copies the checkout for containers, of which there are none.
    writeFiles(bin, { npx: `#!/bin/sh\n${npx}\n`, rsync: "#!/bin/sh\nexit 0\n" }, 0o755);
    return {
      PATH: [bin, process.env["PATH"] ?? ""].join(delimiter),
      HOME: home,
      ...MACHINE_CACHE,
      ...this.project.env,
    };
  }
}

/** What GitLab's runner uploads: the paths that the jobs name, as the runner has read them. */
function keptOf(checkout: string): Record<string, Uint8Array> {
  const expanded = readFileSync(join(checkout, ".gitlab-ci-local/expanded-gitlab-ci.yml"), "utf8");
  const found = [...expanded.matchAll(/^ {4}paths:\n((?: {6}- .*\n)+)/gm)]
    .flatMap(([, lines = ""]) => lines.split("\n").map((line) => line.replace(/^ *- /, "")))
    .filter((path) => path !== "")
    .flatMap((path) => globSync(path, { cwd: checkout }));
  return Object.fromEntries(found.map((path) => [path, readFileSync(join(checkout, path))]));
}
