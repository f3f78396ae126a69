/** A pipeline with a stand-in for GitHub, and one for an engine: a script that answers what it is given. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, expect } from "@jest/globals";
import { atEndOfFile, sharedFolder } from "../../support/folder";
import { git } from "../../support/git";
import { writeFiles } from "../../../scripts/bootstrap/files.cjs";
import { SETTLING_MS } from "../../../cli/pipeline/comment/sections";
import { artifactName } from "../../../cli/pipeline/forge/forge";
import { firstFile } from "../../../cli/pipeline/forge/zip";
import { startEmulator, type Emulator } from "../../../emulator";
import { systemInjectables } from "../../../provider/client";
import { ACTIONS, GitHubStandIn } from "../../e2e/support/forge/github";
import { erphost, type CommandResult } from "../support";

/** What it plans, and how an apply ends. */
const ENGINE = `#!/bin/sh
here=\${0%/*}
echo "$*" >> "$here/calls"
case "$1" in
  plan)
    if test -e "$here/broken"; then cat "$here/broken" >&2; exit 1; fi
    for word; do case "$word" in -out=*) echo saved > "\${word#-out=}";; esac; done ;;
  show) case "$*" in *-json*) cat "$here/plan.json" ;; *) cat "$here/plan.txt" 2> /dev/null ;; esac || : ;;
  output) cat "$here/outputs.json" ;;
  apply)
    env >> "$here/environment"
    if test -e "$here/waiting"; then
      trap 'exit 1' INT
      touch "$here/begun"
      while :; do sleep 0.1; done
    fi
    if test -e "$here/killed"; then kill -9 $$; fi
    test ! -e "$here/failing" ;;
esac
`;

/** Waits for an apply are shorter, limits of a command are longer. */
const LIMIT_MS = 60 * 60_000;
export const PASSPHRASE = "correct horse battery staple";
export const SECRET = "hunter2-in-a-plan";

/** One change of a plan, as Terraform prints it. */
export const creating = (name: string, values: Readonly<Record<string, unknown>> = {}) => ({
  address: `erphost_server.${name}`,
  mode: "managed",
  type: "erphost_server",
  provider_name: "registry.terraform.io/erphost/erphost",
  change: {
    actions: ["create"],
    before: null,
    after: { name, ...values },
    after_unknown: { id: true, status: true },
  },
});

/** Faults of a forge that records the begin of an apply, and not its end. */
export const unrecorded = () => {
  const match = /POST .*\/statuses$/;
  return [
    { match, status: 200, isDone: true, times: 1 },
    { match, status: 403, times: 1 },
  ];
};

export class Pipeline {
  /** What encrypts saved plans. By default nothing does, as deriving a key takes most of a test. */
  passphrase: string | undefined;
  /** Where pull requests begin, and what a push adds to. */
  base: string | undefined;
  readonly folder = sharedFolder();
  private commits = 0;

  github!: GitHubStandIn;
  emulator!: Emulator;

  /** One pipeline for the tests of a file or of a group, each of which finds it as at its start. */
  static ofTests(): Pipeline {
    const pipeline = new Pipeline();
    beforeAll(() => pipeline.begin());
    beforeEach(() => pipeline.reset());
    return pipeline;
  }

  private async begin(): Promise<void> {
    this.github = await GitHubStandIn.start();
    atEndOfFile(() => this.github.close());
    this.emulator = await startEmulator({ provisionMs: 0 });
    atEndOfFile(() => this.emulator.close());
    mkdirSync(join(this.folder, "bin"));
    mkdirSync(this.repository);
    writeFileSync(join(this.folder, "bin", "terraform"), ENGINE, { mode: 0o755 });
    this.git("init", "--quiet", "--initial-branch", "main");
    this.commit("one");
  }

  get repository(): string {
    return join(this.folder, "repository");
  }

  git(...words: readonly string[]): string {
    return git(this.repository, ...words);
  }

  /** @returns the commit; its tree is another one each time */
  commit(text: string, files: Readonly<Record<string, string>> = {}): string {
    this.commits += 1;
    writeFiles(this.repository, { ...files, program: `${text} ${this.commits}` });
    this.git("add", "--all");
    this.git("commit", "--quiet", "--allow-empty", "--message", text);
    return this.git("rev-parse", "HEAD");
  }

  /** What the engine plans from now on. */
  planned(...changes: readonly unknown[]): void {
    this.plannedMore({}, ...changes);
  }

  /** The same, with more members. */
  plannedMore(more: object, ...changes: readonly unknown[]): void {
    const plan = { format_version: "1.2", resource_changes: changes, ...more };
    this.set("plan.json", JSON.stringify(plan));
  }

  drifted(...changes: readonly unknown[]): void {
    this.set("plan.json", JSON.stringify({ format_version: "1.2", resource_drift: changes }));
  }

  /** How the engine behaves: `failing`, `killed`, or a file that it prints. */
  set(name: string, text = ""): void {
    writeFileSync(join(this.folder, "bin", name), text);
  }

  unset(name: string): void {
    rmSync(join(this.folder, "bin", name), { force: true });
  }

  get engine(): string[] {
    return this.read("calls").split("\n").filter(Boolean);
  }

  has(name: string): boolean {
    return existsSync(join(this.folder, "bin", name));
  }

  read(name: string): string {
    return this.has(name) ? readFileSync(join(this.folder, "bin", name), "utf8") : "";
  }

  /** Runs a command as a job for the pull request, or for none. */
  async run(words: readonly string[], options: RunOptions = {}): Promise<CommandResult> {
    const { pull, env, stack = "prod", dir = ".", passphrase = this.passphrase } = options;
    const { after, stopped = new AbortController().signal } = options;
    const head = this.git("rev-parse", "HEAD");
    const run = this.github.begin(pull === undefined ? "push" : "pull_request", head);
    const event = join(this.folder, "event.json");
    const { base } = this;
    const payload =
      pull === undefined
        ? { before: base }
        : { pull_request: { number: pull, ...(base && { base: { sha: base } }) } };
    writeFileSync(event, JSON.stringify(payload));
    const [command = "", ...rest] = words;
    const keepsPlan = command === "plan" || command === "apply";
    const out = join(this.folder, "erphost.plan");
    const result = await erphost(
      [
        ...["pipeline", command, "--tool", "terraform", "--stack", stack, "--dir", dir],
        ...(command === "plan" ? ["--out", out] : []),
        ...(keepsPlan && passphrase === undefined ? ["--unencrypted"] : []),
        ...rest,
      ],
      {
        cwd: this.repository,
        stopped,
        after: (ms: number, work: () => void) => {
          if (ms === SETTLING_MS) setImmediate(work);
          else if (after === undefined) return systemInjectables().clock.after(ms, work);
          else if (ms < LIMIT_MS) after(work);
          return () => undefined;
        },
        readFile: (path) => readFileSync(path, "utf8"),
        env: {
          ...this.github.env(run),
          PATH: `${join(this.folder, "bin")}:${process.env["PATH"] ?? ""}`,
          GITHUB_EVENT_PATH: event,
          ERPHOST_FORGE_TOKEN: ACTIONS.token,
          ERPHOST_PLAN_PASSPHRASE: passphrase,
          ERPHOST_BASE_URL: this.emulator.baseUrl,
          ERPHOST_API_KEY: this.emulator.adminKey,
          ...env,
        },
      },
    );
    run.isOver = true;
    if (command === "plan" && existsSync(out)) {
      const name = artifactName({ stack, dir: dir === "." ? "" : `${dir}/` });
      this.github.keep(run.id, name, readFileSync(out));
      rmSync(out);
    }
    return result;
  }

  /** A pull request whose plan was commented on, and that was merged. @returns the commit on main */
  async merged(number: number, text: string): Promise<string> {
    const pull = this.github.open(number, this.commit(text));
    const { code, err } = await this.run(["plan"], { pull: number });
    if (code !== 0) throw new Error(err.join("\n"));
    // A squash: another commit with the same tree.
    this.git("commit", "--quiet", "--amend", "--message", `${text} (#${number})`);
    pull.merged = this.git("rev-parse", "HEAD");
    return pull.merged;
  }

  /** A pull request whose plan was these changes is merged. @returns the commit on main */
  async reviewed(...changes: readonly unknown[]): Promise<string> {
    this.planned(...changes);
    return this.merged(this.github.pulls.length + 1, "two");
  }

  /** Plans that are kept for the apply, and none of what failed. */
  get kept() {
    return this.github.artifacts.filter(({ bytes }) => firstFile(bytes).length > 0);
  }

  get applies(): string[] {
    return this.engine.filter((line) => line.startsWith("apply"));
  }

  get plans(): string[] {
    return this.engine.filter((line) => line.startsWith("plan"));
  }

  /** States of each deployment, oldest first. */
  get states(): string[][] {
    return this.github.deployments.map(({ states }) => states);
  }

  /** Runs a command that fails, and whose engine applies nothing. @returns the last thing it said */
  async refused(options?: RunOptions, words: readonly string[] = ["apply"]): Promise<string> {
    const count = this.applies.length;
    const { code, err } = await this.run(words, options);
    expect({ code, applies: this.applies.length }).toEqual({ code: 1, applies: count });
    return err.at(-1) ?? "";
  }

  /** Runs an apply that succeeds. @returns all that it said on the way */
  async applied(options?: RunOptions): Promise<string> {
    const { code, err } = await this.run(["apply"], options);
    expect({ code, err }).toMatchObject({ code: 0 });
    return err.join("\n");
  }

  /** Runs an apply whose engine behaves so, and ends badly. */
  async spoilt(how: "failing" | "killed", options?: RunOptions): Promise<void> {
    this.set(how);
    expect(await this.run(["apply"], options)).toMatchObject({ code: 1 });
    this.unset(how);
  }

  /** As it was at the start, but for the commits. */
  reset(): void {
    const { github } = this;
    const lists = [github.pulls, github.issues, github.runs, github.deployments, github.artifacts];
    for (const list of [...lists, github.history, github.calls, github.posted]) list.length = 0;
    github.secrets.clear();
    github.faults = [];
    github.newest = undefined;
    this.passphrase = undefined;
    this.base = undefined;
    for (const name of readdirSync(join(this.folder, "bin"))) {
      if (name !== "terraform") this.unset(name);
    }
  }
}

export interface RunOptions {
  readonly pull?: number;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stack?: string;
  readonly dir?: string;
  readonly stopped?: AbortSignal;
  /** Default: the pipeline's. */
  readonly passphrase?: string | undefined;
  /** What becomes of each wait, but for the limit of a command; by default they take their time. */
  readonly after?: (work: () => void) => void;
}
