/** GitHub: the guide's workflow, run by act; the forge itself is a stand-in. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { firstFile } from "../../../../cli/pipeline/forge/zip";
import { MACHINE_CACHE } from "../../../harness/command";
import { Runner } from "../forge/act";
import { ACTIONS, GitHubStandIn } from "../forge/github";
import { pullPayload, variableSecrets, type Pull } from "../forge/github-project";
import { forStack, snippet } from "../guide";
import { Origin, RULES_FILE, type Files } from "./checkout";
import type { Cause, Comment, JobName, Project, Rig, Run } from "./rig";

const EVENTS = { plan: "pull_request", apply: "push", drift: "schedule" };
const STRANGER = "somebody-else";
/** What GitHub makes of a post of `erphost listen` (test/cli/listen/dispatch.test.ts). */
const HEARD = {
  action: "erphost",
  client_payload: { events: [{ id: "msg_1", event: "server.deleted" }], count: 1 },
};

/** The guide's workflow for a project; with the job that stores a key, where an output has one. */
function workflowOf({ tool, stack, synth, engine, output }: Project): string {
  const rotate = snippet("pipelines", "yaml", "rotate:").replace(/^jobs:.*\n/, "");
  const policies = snippet("policies", "yaml").trim();
  const rules = `rules: ${RULES_FILE}`;
  const caller = snippet("pipelines", "yaml", "tool: terraform");
  const more = Object.entries({ synth, engine }).flatMap(([name, value]) =>
    value === undefined ? [] : `$1${name}: ${value}`,
  );
  return forStack(caller + (output === undefined ? "" : rotate), { tool, stack })
    .replace(/(erphost-plan\.yml.*\n {4}with:\n)( +)/, `$1$2${policies}\n$2${rules}\n$2`)
    .replace(/^( +)command: apply$/m, `$&\n$1${policies}\n$1${rules}`)
    .replace(/^( +)dir: infra$/gm, ["$&", ...more].join("\n"));
}

export class GitHubRig implements Rig {
  readonly tokens = [ACTIONS.token];
  private readonly origin: Origin<Pull>;
  private readonly machines: (() => void)[] = [];

  private constructor(
    private readonly github: GitHubStandIn,
    private readonly project: Project,
  ) {
    const files = {
      ".github/workflows/infrastructure.yml": workflowOf(project),
      ".gitignore": ".terraform*\ncdktf.out\n",
    };
    this.origin = new Origin(files, (head) => github.open(github.next(), head));
  }

  static async create(project: Project): Promise<GitHubRig> {
    return new GitHubRig(await GitHubStandIn.start(), project);
  }

  change(files: Files): void {
    const { pull, head } = this.origin.change(files);
    pull.head = head;
  }

  merge(): void {
    const { pull, commit } = this.origin.merge();
    pull.merged = commit;
    this.github.history.push(commit);
  }

  start(job: JobName, { isHeard, accept }: Cause = {}): Run {
    const branch = job === "plan" ? this.origin.branch : "main";
    const machine = mkdtempSync(join(tmpdir(), "erphost-runner-"));
    const home = join(machine, "home");
    mkdirSync(home);
    const runner = new Runner();
    const discard = (): void => {
      runner.remove();
      rmSync(machine, { recursive: true, force: true, maxRetries: 3 });
    };
    this.machines.push(discard);
    const checkout = join(machine, "checkout");
    this.origin.clone(checkout, branch, "https://github.example/acme/infra.git");
    const head = this.origin.commitOf(branch);
    const usual = isHeard ? "repository_dispatch" : EVENTS[job];
    const event = accept === undefined ? usual : "workflow_dispatch";
    const run = this.github.begin(event, head, { isAgain: event === EVENTS[job] });
    const number = this.pull?.number;
    const { readKey, applyKey, passphrase, identity, baseUrl, env } = this.project;
    const variables = { ...env, ERPHOST_BASE_URL: baseUrl };
    const running = runner.start(checkout, {
      event,
      payload:
        job === "plan"
          ? pullPayload({ number: number ?? 0, head, base: this.origin.commitOf("main") })
          : {
              ...(event === "push" && { before: this.origin.before }),
              ...(accept !== undefined && { inputs: { accept } }),
              ...(isHeard && HEARD),
            },
      env: { ...this.github.env(run), HOME: home, ...MACHINE_CACHE },
      secrets: {
        ERPHOST_READ_KEY: readKey,
        ERPHOST_API_KEY: applyKey,
        ERPHOST_PLAN_PASSPHRASE: passphrase,
        SECRETS_TOKEN: ACTIONS.token,
        ...variableSecrets(variables, { ERPHOST_IDENTITY: identity }),
      },
    });
    return {
      ...running,
      interrupt: () => running.signal("SIGINT"),
      kill: () => running.signal("SIGKILL"),
      finished: running.finished.then((result) => {
        run.isOver = true;
        runner.handOver(this.github, run.id);
        // A runner obeys these, and hides the values.
        const output = result.output.replaceAll(/.*::(?:add-mask|set-env)::.*/g, "");
        return { ...result, output };
      }),
      discard,
    };
  }

  comments(): readonly Comment[] {
    return this.pull?.comments ?? [];
  }

  say(body: string): void {
    this.pull?.comments.push({ id: this.github.next(), author: STRANGER, body });
  }

  tickets() {
    return this.github.issues.map(({ title, body, state }) => ({
      title,
      body,
      isOpen: state === "open",
    }));
  }

  records() {
    return this.github.deployments.map(({ environment, states }) => ({
      environment,
      isEnded: states.some((state) => state === "success" || state === "failure"),
    }));
  }

  storedKey(): string {
    return this.github.secret(`${this.project.stack}/ERPHOST_API_KEY`);
  }

  given(): string {
    const files = this.github.artifacts.map(({ bytes }) =>
      Buffer.from(firstFile(bytes)).toString("latin1"),
    );
    return [...this.github.posted, ...files].join("\n");
  }

  async close(): Promise<void> {
    for (const discard of this.machines) discard();
    this.origin.remove();
    await this.github.close();
  }

  private get pull() {
    return this.github.pulls.at(-1);
  }
}
