/** GitHub: the guide's workflow, run by act; the forge itself is a stand-in. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { firstFile } from "../../../../cli/pipeline/forge/zip";
import { MACHINE_CACHE } from "../../../harness/command";
import { Runner } from "../forge/act";
import { ACTIONS, GitHubStandIn } from "../forge/github";
import { pullPayload, variableSecrets } from "../forge/github-project";
import { forStack, snippet } from "../guide";
import { Origin } from "./checkout";
import type { Comment, Files, JobName, Project, Rig, Run } from "./rig";

const EVENTS: Readonly<Record<JobName, string>> = {
  plan: "pull_request",
  apply: "push",
  drift: "schedule",
};
const STRANGER = "somebody-else";

export class GitHubRig implements Rig {
  readonly forge = "GitHub";
  readonly tokens = [ACTIONS.token];
  private readonly origin: Origin;
  private readonly machines: (() => void)[] = [];

  private constructor(
    private readonly github: GitHubStandIn,
    private readonly project: Project,
  ) {
    const workflow = forStack(snippet("pipelines", "yaml", "tool: terraform"), project);
    this.origin = new Origin({ ".github/workflows/infrastructure.yml": workflow });
  }

  static async create(project: Project): Promise<GitHubRig> {
    return new GitHubRig(await GitHubStandIn.start(), project);
  }

  change(files: Files): void {
    const isNew = this.origin.change(files);
    const head = this.origin.commitOf(this.origin.branch ?? "");
    if (isNew) this.github.open(this.github.next(), head);
    else if (this.pull) this.pull.head = head;
  }

  pushPast(files: Files): void {
    this.origin.commit(files);
  }

  merge(): void {
    const merged = this.origin.merge();
    if (this.pull) this.pull.merged = merged;
  }

  start(job: JobName): Run {
    const branch = job === "plan" ? (this.origin.branch ?? "") : "main";
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
    const event = EVENTS[job];
    const run = this.github.begin(event, head);
    const number = this.pull?.number;
    const { readKey, applyKey, passphrase, baseUrl, env } = this.project;
    const variables = { ...env, ERPHOST_BASE_URL: baseUrl };
    const running = runner.start(checkout, {
      event,
      payload: job === "plan" ? pullPayload({ number: number ?? 0, head }) : {},
      env: { ...this.github.env(run), HOME: home, ERPHOST_CACHE_DIR: MACHINE_CACHE },
      secrets: {
        ERPHOST_READ_KEY: readKey,
        ERPHOST_API_KEY: applyKey,
        ERPHOST_PLAN_PASSPHRASE: passphrase,
        ...variableSecrets(variables),
      },
    });
    return {
      pid: running.pid,
      output: running.output,
      interrupt: () => running.signal("SIGINT"),
      kill: () => running.signal("SIGKILL"),
      finished: running.finished.then((result) => {
        run.isOver = true;
        runner.handOver(this.github, run.id);
        return result;
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
