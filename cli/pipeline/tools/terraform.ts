/** Terraform and OpenTofu, by themselves and below a CDKTF program. */
import { statSync } from "node:fs";
import { join, relative } from "node:path";
import { refusal } from "../forge/choose";
import { start, type Ended, type ToolContext } from "./process";
import { ToolError, type Planned, type Tool } from "./tool";

export interface TerraformOptions {
  readonly program: string;
  /** Whether the state may be read only: a lock would be written to it. */
  readonly isReading: boolean;
  readonly surroundings: ToolContext;
  readonly work: string;
  /** Of CDKTF: what writes the configuration, and where. */
  readonly synthesis?: { readonly line: string; readonly folder: string };
}

/** Somebody may work on the state by hand. */
const LOCKED = "-lock-timeout=10m";
/** What leaves a part of the program out, of which OpenTofu's JSON says nothing. */
const PARTS = /(?:^|\s)--?(?:target|exclude)(?:-file)?(?:[=\s]|$)/;

/** @throws InvalidInput where variables give the engine such an option */
function assertWhole({ env }: ToolContext): void {
  for (const [name, value = ""] of Object.entries(env)) {
    // Quotes may be anywhere in what a shell would split.
    if (name.startsWith("TF_CLI_ARGS") && PARTS.test(value.replace(/["'\\]/g, ""))) {
      throw refusal(name, "must not have -target or -exclude: a part of a plan is not reviewed");
    }
  }
}

export class Terraform implements Tool {
  private readonly file: string;

  constructor(private readonly of: TerraformOptions) {
    this.file = join(of.work, "plan.bin");
  }

  async prepare(): Promise<void> {
    const { synthesis, surroundings } = this.of;
    assertWhole(surroundings);
    if (synthesis) {
      const { code, complaint } = await start(surroundings, {
        program: synthesis.line,
        words: [],
        isLine: true,
      });
      if (code !== 0) throw new ToolError("the synthesis", `(${synthesis.line})`, code, complaint);
      if (!statSync(synthesis.folder, { throwIfNoEntry: false })) {
        const place = relative(surroundings.cwd, synthesis.folder);
        throw refusal("--stack", `names no stack of the program: its synthesis made no ${place}`);
      }
    }
    await this.run(["init", "-input=false"]);
  }

  async plan(): Promise<Planned> {
    return { json: await this.planned([]), changesOutputs: false };
  }

  version(): Promise<string> {
    return Promise.resolve(this.of.program);
  }

  async planText(): Promise<string> {
    return (await this.run(["show", this.file], true)).stdout;
  }

  drift(): Promise<string> {
    return this.planned(["-refresh-only"]);
  }

  async apply(): Promise<void> {
    await this.run(["apply", "-input=false", LOCKED, this.file]);
  }

  async resume(): Promise<void> {
    await this.run(["apply", "-input=false", LOCKED, "-auto-approve"]);
  }

  async output(name: string): Promise<unknown> {
    const { stdout } = await this.run(["output", "-json"], true);
    // As both engines document it.
    const outputs = JSON.parse(stdout) as Record<string, { readonly value: unknown }>;
    return Object.hasOwn(outputs, name) ? outputs[name]?.value : undefined;
  }

  private async planned(words: readonly string[]): Promise<string> {
    const lock = this.of.isReading ? "-lock=false" : LOCKED;
    await this.run(["plan", "-input=false", lock, `-out=${this.file}`, ...words]);
    return (await this.run(["show", "-json", this.file], true)).stdout;
  }

  private async run([command = "", ...more]: readonly string[], isQuiet = false): Promise<Ended> {
    const { surroundings, program, synthesis } = this.of;
    const inFolder = synthesis ? { ...surroundings, cwd: synthesis.folder } : surroundings;
    const words = [command, "-no-color", ...more];
    const ended = await start(inFolder, { program, words, isQuiet });
    if (ended.code === 0) return ended;
    throw new ToolError(program, command, ended.code, ended.complaint);
  }
}
