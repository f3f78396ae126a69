/** Recorded plans, also made larger, as a pull request shows them in docs/guides/comments.md. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { changeSection, type Section } from "../../cli/pipeline/comment/sections";
import { failureSection, planSection, type Reviewed } from "../../cli/pipeline/comment/text";
import { hideIn, type Job } from "../../cli/pipeline/job";
import { summaryIn } from "../../cli/pipeline/review";
import { ToolError, type ToolName } from "../../cli/pipeline/tools/tool";

/** A pull request in memory, of which programs write one section each. */
export class PullRequest {
  body = "";

  constructor(private readonly lengthMax = 65_000) {}

  job(dir = "infra/", stack = "prod", toolName: ToolName = "terraform"): Job {
    const forge = {
      name: "GitHub",
      run: { url: "https://github.com/acme/infra/actions/runs/1217" },
      pullWord: "pull request",
      bodyLengthMax: this.lengthMax,
      editComment: async (_: number, __: string, edit: (body: string) => string) => {
        this.body = edit(this.body);
      },
    };
    const world = { env: {}, after: (_: number, work: () => void) => setImmediate(work) };
    // A section asks no more of a job.
    const secrets = new Set();
    return { dir, stack, toolName, forge, world, secrets, source: COMMIT } as unknown as Job;
  }

  async write(section: (old: Section) => Section, job = this.job()): Promise<string> {
    await changeSection(job, 1, section);
    return this.body;
  }
}

const COMMIT = "4f1c9a02be77";
type Made = Reviewed & { readonly json: string };

/** What a plan job has made of a plan in JSON. */
export const reviewed = (json: string, text = "", changesOutputs = false): Made => ({
  summary: summaryIn(json, "prod", { changesOutputs }),
  commit: COMMIT,
  judged: "",
  isRefused: false,
  json,
  text,
});

/** The comment on a pull request with one plan. */
export async function commentOf(made: Made, pull = new PullRequest(), job = pull.job()) {
  hideIn(job, made.json);
  return pull.write((old) => planSection(job, made, old), job);
}

const RECORDED = join(__dirname, "recorded");
export const ALIKE = 1_000;

export const recordedPlan = (name: string): RecordedPlan =>
  // The recorder writes no other form.
  JSON.parse(readFileSync(join(RECORDED, "comments", `${name}.json`), "utf8")) as RecordedPlan;

/** The comment on a recorded plan, as it is shown where this many characters are taken. */
export async function recordedComment(name: string, lengthMax?: number): Promise<string> {
  const plan = recordedPlan(name);
  const { tool, text } = plan;
  const pull = new PullRequest(lengthMax);
  const job = pull.job("infra/", "prod", tool);
  if (plan.json === undefined) {
    // What was planned before the commit whose plan fails.
    const older = reviewed(JSON.stringify(recordedPlan("alike").json));
    await commentOf({ ...older, commit: "0b5d61fe92c4" }, pull, job);
    const error = new ToolError(tool, "plan", 1, text);
    return pull.write((old) => failureSection(job, COMMIT, error, old), job);
  }
  const [json, words] =
    name === "alike" ? alikeChanges(plan, ALIKE) : [JSON.stringify(plan.json), text];
  return commentOf(reviewed(json, words), pull, job);
}

export interface RecordedPlan {
  readonly tool: ToolName;
  /** `Terraform 1.15.0` */
  readonly engine: string;
  /** As it is printed, but for what nobody reads; undefined of a plan that failed. */
  readonly json?: unknown;
  /** What the engine shows to people, or says of its failure. */
  readonly text: string;
}

/** A recorded plan about `s[0]` and others of its kind, with this many of them in JSON and in words. */
function alikeChanges({ json, text }: RecordedPlan, count: number): [string, string] {
  const { resource_changes: [first] = [], ...rest } = json as { resource_changes?: unknown[] };
  const numbered = (of: string, index: number): string =>
    of.replaceAll("s[0]", `s[${index}]`).replaceAll("s-0", `s-${index}`);
  const one = JSON.stringify(first);
  const resource_changes = Array.from({ length: count }, (_, index): unknown =>
    JSON.parse(numbered(one, index)),
  );
  const [head = "", ...blocks] = text.split(/(?= {2}# erphost_server\.s\[)/);
  const [block = ""] = blocks[0]?.split(/(?<=\n {4}\}\n)/) ?? [];
  const words = resource_changes.map((__, index) => numbered(block, index)).join("\n");
  const tail = `\nPlan: 0 to add, ${count} to change, 0 to destroy.\n`;
  return [JSON.stringify({ ...rest, resource_changes }), `${head}${words}${tail}`];
}
