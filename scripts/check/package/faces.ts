/** The faces of the installed package, each tried as its users will, with any Node.js. */
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "../../../package.json";
import { runProgram, type Finished } from "../../bootstrap/programs.cjs";

const STEP_MS_MAX = 5 * 60_000;

/** What the throw-away projects run. */
export const PROGRAMS = join(__dirname, "programs");
/** The command, as npm links it. */
export const COMMAND = "node_modules/erphost/dist/cli/main.js";

/** Everything that programs can load by name and that is code. */
export const ENTRIES: readonly string[] = Object.entries(manifest.exports)
  .filter(([, target]) => typeof target !== "string")
  .map(([subpath]) => subpath.replace(".", manifest.name));

/** Something that a person runs. */
interface PackagedProgram {
  readonly words: readonly string[];
  /** All that it prints, on stdout. */
  readonly prints: RegExp;
}

/** What works without any other package. */
export const ALONE: readonly PackagedProgram[] = [
  { words: [COMMAND, "--version"], prints: exactly(manifest.version) },
  { words: [COMMAND, "--help"], prints: /^Usage: erphost / },
  {
    words: ["faces.mjs"],
    prints: exactly(
      ...["emulator", "client", "webhooks", "policies", "handler", "schema"],
      ...["erphost whoami", "erphost emulator"],
    ),
  },
];

/** What its users add another package for. */
export const WITH_PEERS: readonly PackagedProgram[] = [
  { words: ["synth.cjs", "cdktf"], prints: exactly("erphost_server") },
  { words: ["synth.cjs", "cdktn"], prints: exactly("erphost_server") },
  { words: ["register.cjs"], prints: exactly("pulumi-nodejs:dynamic/erphost:Server") },
];

const lacksConstructs = (library: string): string =>
  `erphost/${library} needs ${library} and constructs, which are not installed. Install them: npm install ${library} constructs@10.7`;

/** The entries that need another package, and what they say where it is missing. */
const PEERLESS: Readonly<Record<string, string>> = {
  "erphost/pulumi":
    "erphost/pulumi needs @pulumi/pulumi, which is not installed. Install it: npm install @pulumi/pulumi",
  "erphost/cdktf": lacksConstructs("cdktf"),
  "erphost/cdktf/testing": lacksConstructs("cdktf"),
  "erphost/cdktn": lacksConstructs("cdktn"),
  "erphost/cdktn/testing": lacksConstructs("cdktn"),
};

function exactly(...lines: readonly string[]): RegExp {
  return new RegExp(`^${lines.map((line) => `${line.replaceAll(".", "\\.")}\n`).join("")}$`);
}

/** @returns what is wrong, a paragraph for each face; a warning is wrong, too */
export async function tryFaces(project: Project, faces: readonly PackagedProgram[], node: string) {
  const wrong: string[] = [];
  for (const { words, prints } of faces) {
    const [program = ""] = words;
    if (!program.includes("/")) {
      copyFileSync(join(PROGRAMS, program), join(project.folder, program));
    }
    const { code, output, stdout } = await project.run(node, words);
    if (code === 0 && output === stdout && prints.test(stdout)) continue;
    wrong.push(`${words.join(" ")} ended with ${code}:\n${output}`);
  }
  return wrong;
}

/** Loads each entry that needs another package, where there is none. */
export async function tryWithoutPeers(project: Project, node: string): Promise<string[]> {
  const wrong: string[] = [];
  for (const [entry, sentence] of Object.entries(PEERLESS)) {
    const { code, output } = await project.run(node, ["-e", `require("${entry}")`]);
    if (code === 1 && output.includes(`\n${sentence}\n`) && !hasStack(output)) continue;
    wrong.push(`${entry} ended with ${code} and not with "${sentence}":\n${output}`);
  }
  return wrong;
}

/** Whether an output holds a stack trace. */
export const hasStack = (output: string): boolean => /^\s+at /m.test(output);

/** Versions by the name that a package has in the project. */
export type Dependencies = Readonly<Record<string, string>>;

/** What the optional faces build on, as their users install it. */
export const PEERS: Dependencies = {
  "@pulumi/pulumi": "3.270.0",
  cdktf: "0.21.0",
  cdktn: "0.24.0",
  constructs: "10.7.2",
};

/** A throw-away project of people who install the package: nothing of the checkout is near it. */
export class Project {
  private constructor(readonly folder: string) {}

  /** Installs the packed package, and other packages, into an empty folder. */
  static async install(archive: string, others: Dependencies = {}): Promise<Project> {
    const project = new Project(mkdtempSync(join(tmpdir(), "erphost-project-")));
    const dependencies = { erphost: `file:${archive}`, ...others };
    project.write("package.json", JSON.stringify({ private: true, dependencies }));
    const words = ["install", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"];
    const { code, output } = await project.run("npm", words);
    if (code === 0) return project;
    project.remove();
    throw new Error(`npm install failed:\n${output}`);
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.folder, file), text);
  }

  /** Without the settings that this process has for itself. */
  run(program: string, words: readonly string[]): Promise<Finished> {
    const kept = Object.entries(process.env).filter(
      ([name]) => name !== "NODE_OPTIONS" && !name.startsWith("ERPHOST_"),
    );
    const options = { cwd: this.folder, env: Object.fromEntries(kept), timeoutMs: STEP_MS_MAX };
    return runProgram(program, words, options);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
