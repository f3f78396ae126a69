/** Pulumi: a plan holds an update to what was previewed, object by object. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import * as z from "zod";
import { isRecord, jsonOf, type Values } from "../../../provider/contract";
import { refusal } from "../forge/choose";
import { start, type Ended, type ToolContext } from "./process";
import { ToolError, type Planned, type Tool } from "./tool";

export interface PulumiOptions {
  readonly stack: string;
  readonly surroundings: ToolContext;
  readonly work: string;
}

/** Without `--show-sames` a preview does not name what drifted. */
const PREVIEW = ["preview", "--refresh", "--show-sames", "--json"];
/** Variables that give Pulumi an option which leaves a part of the program out, or plans more than it. */
const PARTS = /^PULUMI_OPTION_(?:TARGET|EXCLUDE|REPLACE)/;
const PLAIN = ["--non-interactive", "--color", "never"];

/** What a preview prints names no output; its file does. */
const file = z.object({
  resourcePlans: z.record(
    z.string(),
    z.object({
      goal: z
        .object({ type: z.string(), outputDiff: z.record(z.string(), z.unknown()).default({}) })
        .optional(),
    }),
  ),
});

/** Members of an object that stands for a secret: its text is another one each time. */
const SIGNATURE = "4dabf18193072939515e22adb298388d";

const withoutSecrets = (values: Values): Values =>
  JSON.parse(JSON.stringify(values), (_, value: unknown) =>
    isRecord(value) && SIGNATURE in value ? "[secret]" : value,
  ) as Values; // As it was.

export class Pulumi implements Tool {
  private readonly file: string;
  /** What the preview did, of which its words for people are made without a second preview. */
  private readonly events: string;

  constructor(private readonly of: PulumiOptions) {
    this.file = join(of.work, "plan.json");
    this.events = join(of.work, "events.json");
  }

  /** A stack is named in each command, and nothing is installed for it. */
  async prepare(): Promise<void> {
    for (const [name, value = ""] of Object.entries(this.of.surroundings.env)) {
      if (value === "" || !PARTS.test(name)) continue;
      throw refusal(name, "must not be set: a part of a plan is not reviewed");
    }
    await this.run(["stack", "--show-name"], true);
  }

  async plan(): Promise<Planned> {
    const files = [`--save-plan=${this.file}`, `--event-log=${this.events}`];
    const { stdout } = await this.run([...PREVIEW, ...files], true);
    const { resourcePlans } = file.parse(JSON.parse(readFileSync(this.file, "utf8")));
    const outputs = Object.values(resourcePlans).flatMap(({ goal }) =>
      goal?.type === "pulumi:pulumi:Stack" ? [withoutSecrets(goal.outputDiff)] : [],
    );
    const changesOutputs = outputs.some((diff) => Object.keys(diff).length > 0);
    return { json: stdout, changesOutputs, outputs };
  }

  async version(): Promise<string> {
    const { stdout } = await start(this.of.surroundings, {
      ...{ program: "pulumi", words: ["version"], isQuiet: true },
    });
    return stdout.trim();
  }

  /** Pulumi calls it a command for debugging: where it fails, the rest of the comment is enough. */
  async planText(): Promise<string> {
    const words = ["replay-events", "update", this.events, "--preview", "--diff", ...PLAIN];
    const { code, stdout } = await this.start(words, true);
    return code === 0 ? stdout : "";
  }

  async drift(): Promise<string> {
    return (await this.run(PREVIEW, true)).stdout;
  }

  async apply(): Promise<void> {
    await this.run(["up", "--yes", "--skip-preview", "--refresh", `--plan=${this.file}`]);
  }

  /** An update plans itself, within its plan, so that every one may resume. */
  resume(): Promise<void> {
    return this.apply();
  }

  async output(name: string): Promise<unknown> {
    const words = ["stack", "output", "--json", "--show-secrets"];
    const outputs: unknown = JSON.parse((await this.run(words, true)).stdout);
    return isRecord(outputs) ? outputs[name] : undefined;
  }

  private async run(words: readonly string[], isQuiet = false): Promise<Ended> {
    const ended = await this.start([...words, "--stack", this.of.stack, ...PLAIN], isQuiet);
    if (ended.code === 0) return ended;
    const complaint = [ended.complaint, ...errorsIn(ended.stdout)].join("\n");
    throw new ToolError("pulumi", words[0] ?? "", ended.code, complaint);
  }

  private start(words: readonly string[], isQuiet: boolean): Promise<Ended> {
    const { env, ...surroundings } = this.of.surroundings;
    const own = { ...surroundings, env: { ...env, PULUMI_DEBUG_COMMANDS: "true" } };
    return start(own, { program: "pulumi", words, isQuiet });
  }
}

const diagnostics = z.object({
  diagnostics: z.array(z.object({ severity: z.string(), message: z.string() })),
});

/** A preview in JSON says there what is wrong, and not on stderr. */
function errorsIn(stdout: string): string[] {
  const found = diagnostics.safeParse(jsonOf(stdout)).data?.diagnostics ?? [];
  return found
    .filter(({ severity }) => severity.endsWith("err") || severity === "error")
    .map(({ message }) => stripVTControlCharacters(message).trim());
}
