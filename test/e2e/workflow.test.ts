/** A job of CI, run by act on this machine: the real one, and on a checkout that must not pass. */
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { copyRepository, type Repository } from "../harness/repository";

let repository: Repository;

beforeAll(() => {
  repository = copyRepository();
});
afterAll(() => repository.remove());

/** Past the task, which would install the copy's dependencies; the tests' own task has got act. */
function workflow(...words: readonly string[]): { code: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["scripts/workflow.cjs", ...words],
    { cwd: repository.folder, encoding: "utf8", timeout: 120_000 },
  );
  return { code: status, output: stdout + stderr };
}

describe("jobs of workflows on this machine", () => {
  test("the job that needs no installation passes on this checkout, step by step", () => {
    const { code, output } = workflow("supply-chain");
    expect(output).toContain("components have licences that are allowed.");
    expect(output).toMatch(/Success - Main Every package of the lock file has a checksum/);
    expect({ code, output }).toMatchObject({ code: 0 });
  });

  test("the release's first job hands on what comes next", () => {
    const { code, output } = workflow("plan", "--workflow", "release");
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(output).toMatch(/::set-output:: next=(?:version|publish)$/m);
  });

  test("the job fails on a lock file with a package that has no checksum", () => {
    const file = join(repository.folder, "package-lock.json");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, text.replace(/\n\s+"integrity": "[^"]+",/, ""));
    const { code, output } = workflow("supply-chain");
    writeFileSync(file, text);
    expect(output).toContain("has no checksum");
    expect(output).not.toContain("licences that are allowed");
    expect(code).toBe(1);
  });

  test("a job that does not exist fails", () => {
    expect(workflow("nonsense").code).toBe(1);
  });
});
