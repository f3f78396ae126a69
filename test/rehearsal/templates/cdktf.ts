/**
 * The project that `cdktf init --template=typescript` makes: the files are those of the command line
 * itself, as the end-to-end tests pin it, and so is what its hook installs.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { FUTURE_FLAGS as cdktfFlags } from "cdktf/lib/features";
import { FUTURE_FLAGS as cdktnFlags } from "cdktn/lib/features";
import { cdktfTools } from "../../harness/cdktf-cli";

/** What a library asks of new projects. */
const flags: Readonly<Record<Library, object>> = { cdktf: cdktfFlags, cdktn: cdktnFlags };

/** What the command line is asked for, or answers itself. */
const answersOf = (library: Library): Readonly<Record<string, string>> => ({
  $base: "shop",
  projectId: "7f1c3c1e-0000-4000-8000-000000000000",
  sendCrashReports: "false",
  futureFlags: JSON.stringify(flags[library]).slice(1, -1),
});

/** The command line's own files, which it does not copy. */
const OWN = ["help", ".hooks.sscaff.js"];

type Library = "cdktf" | "cdktn";

export interface Template {
  /** By their path in the project. */
  readonly files: Readonly<Record<string, string>>;
  /** What its hook installs for development, by name or with a version. */
  readonly development: readonly string[];
}

/** @throws Error if the command line has changed its way of making a project */
export async function cdktfTemplate(library: Library): Promise<Template> {
  const tools = await cdktfTools();
  const folder = join(tools, "node_modules", `${library}-cli`, "bundle/templates/typescript");
  const read = (name: string): string => readFileSync(join(folder, name), "utf8");
  const answers = answersOf(library);
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .filter((name) => !OWN.includes(name))
    .map((name) => [name.replace("{{}}", ""), filled(read(name), answers)] as const);
  const hook = /\[("@types\/node"[^\]]*)\]/.exec(read(".hooks.sscaff.js"))?.[1];
  if (hook === undefined) throw new Error(`The template of ${library} installs other packages.`);
  return {
    files: Object.fromEntries(files),
    development: [...hook.matchAll(/"([^"]+)"/g)].map(([, name = ""]) => name),
  };
}

const filled = (text: string, answers: Readonly<Record<string, string>>): string =>
  text.replace(/\{\{ *(\$?\w+) *\}\}/g, (_, name: string) => {
    const answer = answers[name];
    if (answer === undefined) throw new Error(`The template asks for ${name}.`);
    return answer;
  });
