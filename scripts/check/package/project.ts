/** Throw-away projects of people who install the package: nothing of the checkout is near them. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runProgram, type Finished } from "../../bootstrap/programs.cjs";

const STEP_MS_MAX = 5 * 60_000;

/** Versions by the name that a package has in the project. */
export type Dependencies = Readonly<Record<string, string>>;

/** What the optional faces build on, as their users install it. */
export const PEERS: Dependencies = {
  "@pulumi/pulumi": "3.270.0",
  cdktf: "0.21.0",
  cdktn: "0.24.0",
  constructs: "10.7.2",
};

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
  run(program: string, words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Finished> {
    const kept = Object.entries(process.env).filter(
      ([name]) => name !== "NODE_OPTIONS" && !name.startsWith("ERPHOST_"),
    );
    return runProgram(program, words, {
      cwd: this.folder,
      env: { ...Object.fromEntries(kept), ...env },
      timeoutMs: STEP_MS_MAX,
    });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
