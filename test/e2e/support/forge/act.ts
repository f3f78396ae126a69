/** Workflows on this machine, by act, with a stand-in for GitHub. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeFiles } from "../../../../scripts/bootstrap/files.cjs";
import { startProgram, type Running } from "../../../../scripts/bootstrap/programs.cjs";
import { actionsOfOthers, standIns } from "../../../../scripts/workflow.cjs";
import { version } from "../../../../package.json";
import { COMPILED } from "../../../harness/command";
import { ACTIONS, type GitHubStandIn } from "./github";

const ROOT = join(__dirname, "../../../..");
const RUN_MS_MAX = 5 * 60_000;

const UPLOAD = actionsOfOthers().find((action) => action.includes("upload-artifact")) ?? "";

/** In the place of actions/upload-artifact, whose interface is only there for runs on GitHub. */
const upload = (folder: string): string => `name: A stand-in for the upload
description: Keeps a file for the test
inputs:
  name: { required: true }
  path: { required: true }
  if-no-files-found: {}
  overwrite: {}
runs:
  using: composite
  steps:
    - run: cp "$FROM" "${folder}/$NAME"
      shell: bash
      env:
        FROM: \${{ inputs.path }}
        NAME: \${{ inputs.name }}
`;

export interface ActRun {
  readonly event: string;
  /** What GitHub says of the event. */
  readonly payload: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
}

/** A runner with the actions of this checkout. */
export class Runner {
  /** Files that runs have uploaded, until the next run begins. */
  readonly uploads: string;
  private readonly folder: string;

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), "erphost-act-"));
    this.uploads = join(this.folder, "uploads");
    mkdirSync(this.uploads);
    const own = join(this.folder, "erphost", ".github");
    cpSync(join(ROOT, ".github"), own, { recursive: true });
    // What `$/` is on GitHub: the repository and the commit of the file. act does not know it.
    for (const name of ["plan", "drift"]) {
      const path = `workflows/erphost-${name}.yml`;
      const text = readFileSync(join(own, path), "utf8");
      const released = text.replace(/uses: \$\/(\S+)/, `uses: erphost/erphost/$1@v${version}`);
      writeFiles(own, { [path]: released });
    }
    writeFiles(this.folder, { "upload/action.yml": upload(this.uploads) });
    const words = [process.execPath, join(ROOT, "dist/cli/main.js")].map((word) =>
      JSON.stringify(word),
    );
    writeFiles(this.folder, { "bin/erphost": `#!/bin/sh\nexec ${words.join(" ")} "$@"\n` }, 0o755);
  }

  /** Starts the workflows of a repository for an event. */
  start(repository: string, { event, payload, env, secrets }: ActRun): Running {
    const file = (name: string, text: string): string => {
      writeFiles(this.folder, { [name]: text }, 0o600);
      return join(this.folder, name);
    };
    const lines = (values: Readonly<Record<string, string>>): string =>
      Object.entries(values)
        .map(([name, value]) => `${name}=${JSON.stringify(value)}\n`)
        .join("");
    const args = [
      ...[event, "--eventpath", file("event.json", JSON.stringify(payload))],
      ...["--secret-file", file("secrets", lines({ ...secrets, GITHUB_TOKEN: ACTIONS.token }))],
      ...["--env-file", file("env", lines({ ...COMPILED, ...env }))],
      ...["--local-repository", `erphost/erphost@v${version}=${join(this.folder, "erphost")}`],
      ...standIns(join(this.folder, "act")),
      ...["--local-repository", `${UPLOAD}=${join(this.folder, "upload")}`],
      // What would be masked is found by a test that looks for it.
      "--insecure-secrets",
    ];
    return startProgram("act", args, {
      cwd: repository,
      env: {
        ...process.env,
        XDG_CONFIG_HOME: join(this.folder, "act", "config"),
        PATH: `${join(this.folder, "bin")}:${process.env["PATH"] ?? ""}`,
      },
      timeoutMs: RUN_MS_MAX,
      group: true,
      outputCharsMax: 16 * 1024 ** 2,
    });
  }

  /** What a run has uploaded, which has ended. */
  handOver(github: GitHubStandIn, run: number): void {
    for (const name of readdirSync(this.uploads)) {
      const path = join(this.uploads, name);
      github.keep(run, name, readFileSync(path));
      rmSync(path);
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
