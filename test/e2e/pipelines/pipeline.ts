/** A repository on a stand-in for GitHub, with its pipeline on a runner of this machine. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmulator, type Emulator } from "../../../emulator";
import { Runner, type ActResult } from "../support/forge/act";
import { ACTIONS, GitHubStandIn } from "../support/forge/github";
import { variableSecrets } from "../support/forge/github-project";
import { forStack, snippet } from "../support/guide";
import { makeFolder, type Tool, type Written } from "./programs";

export const PASSPHRASE = "a passphrase of the plans";

export class Pipeline {
  /** All that runs printed. */
  readonly outputs: string[] = [];
  readonly readKey: string;
  private readonly runner = new Runner();

  private constructor(
    private readonly top: string,
    private readonly program: Written,
    readonly emulator: Emulator,
    readonly github: GitHubStandIn,
  ) {
    this.readKey = emulator.createKey({ permissions: ["servers:read", "api-keys:read"] }).value;
  }

  static async start(tool: Tool): Promise<Pipeline> {
    const top = mkdtempSync(join(tmpdir(), "erphost-pipeline-"));
    const program = await tool.start(top);
    const emulator = await startEmulator({ provisionMs: 0 });
    const pipeline = new Pipeline(top, program, emulator, await GitHubStandIn.start());
    mkdirSync(join(pipeline.repository, ".github/workflows"), { recursive: true });
    // The job of the guide that stores a key, for a program that has one.
    const rotate =
      program.writeKey === undefined
        ? ""
        : snippet("pipelines", "yaml", "rotate:").replace(/^jobs:.*\n/, "");
    const caller = snippet("pipelines", "yaml", "tool: terraform") + rotate;
    const { synth, engine } = program;
    const more = Object.entries({ synth, engine }).flatMap(([name, value]) =>
      value === undefined ? [] : `$1${name}: ${value}`,
    );
    writeFileSync(
      join(pipeline.repository, ".github/workflows/infrastructure.yml"),
      forStack(caller, tool)
        .replace(/(erphost-plan\.yml.*\n {4}with:\n)( +)/, "$1$2policies: all\n$2")
        .replace(/^( +)command: apply$/m, "$&\n$1policies: all")
        .replace(/^( +)dir: infra$/gm, ["$&", ...more].join("\n")),
    );
    writeFileSync(join(pipeline.repository, ".gitignore"), ".terraform*\ncdktf.out\n");
    pipeline.git("init", "--quiet", "--initial-branch", "main");
    pipeline.commit([], "an empty program");
    return pipeline;
  }

  get repository(): string {
    return join(this.top, "repository");
  }

  readonly git = (...words: readonly string[]): string => {
    const who = ["-c", "user.name=one", "-c", "user.email=one@example.com"];
    const options = { cwd: this.repository, encoding: "utf8" } as const;
    return execFileSync("git", [...who, ...words], options).trim();
  };

  /** @returns the commit with a program of these servers */
  commit(servers: readonly string[], message: string): string {
    const folder = makeFolder(this.repository);
    this.program.write(folder, servers);
    this.program.writeKey?.(folder);
    this.git("add", "--all");
    this.git("commit", "--quiet", "--message", message);
    return this.git("rev-parse", "HEAD");
  }

  async run(event: string, payload: Readonly<Record<string, unknown>>): Promise<ActResult> {
    const run = this.github.begin(event, this.git("rev-parse", "HEAD"));
    const { env, identity } = this.program;
    const variables = { ...env, ERPHOST_BASE_URL: this.emulator.baseUrl };
    const result = await this.runner.run(this.repository, this.github, {
      event,
      payload,
      env: this.github.env(run),
      secrets: {
        ERPHOST_READ_KEY: this.readKey,
        ERPHOST_API_KEY: this.emulator.adminKey,
        ERPHOST_PLAN_PASSPHRASE: PASSPHRASE,
        SECRETS_TOKEN: ACTIONS.token,
        ...variableSecrets(variables, identity === undefined ? {} : { ERPHOST_IDENTITY: identity }),
      },
    });
    run.isOver = true;
    this.outputs.push(result.output);
    return result;
  }

  /** The state of a program of Terraform. */
  state(): string {
    return readFileSync(join(this.top, "terraform.tfstate"), "utf8");
  }

  names(): unknown[] {
    return this.emulator.objects("server").map(({ name }) => name);
  }

  async close(): Promise<void> {
    this.runner.remove();
    this.program.remove();
    await this.github.close();
    await this.emulator.close();
    rmSync(this.top, { recursive: true, force: true, maxRetries: 3 });
  }
}
