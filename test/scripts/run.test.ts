import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { outcomeOf, run, startRun } from "./support/run";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "erphost-run-"));
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

function script(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

describe("TypeScript tasks", () => {
  test("a task that throws fails", async () => {
    const file = script("throws.ts", `const count: number = 1; throw new Error('no ' + count);`);
    const outcome = await run(["typescript", file], process.env);
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toContain("Error: no 1");
  });

  test("a task with an unhandled rejection fails", async () => {
    const file = script("rejects.ts", `void Promise.reject(new Error('later'));`);
    expect(await run(["typescript", file], process.env)).toMatchObject({ code: 1 });
  });

  test("a task's exit code is the exit code of the command", async () => {
    const file = script("exits.ts", `process.exitCode = 7 as number;`);
    expect(await run(["typescript", file], process.env)).toMatchObject({ code: 7 });
  });

  test("a task gets its arguments, Node.js 24, and stdout for itself alone", async () => {
    const file = script(
      "prints.ts",
      `console.log(process.argv.slice(2).join('|'), process.versions.node.split('.')[0]);`,
    );
    const outcome = await run(["typescript", file, "--flag", "two words"], process.env);
    expect(outcome).toEqual({ code: 0, stdout: "--flag|two words 24\n", stderr: "" });
  });

  test("a task runs on the Node.js that ERPHOST_TASKS_NODE names, which comes first on PATH", async () => {
    const node = join(folder, "node");
    writeFileSync(node, `#!/bin/sh\necho "$PATH"\n`, { mode: 0o755 });
    const outcome = await run(["typescript"], { ...process.env, ERPHOST_TASKS_NODE: node });
    expect(outcome).toMatchObject({ code: 0, stdout: expect.stringMatching(`^${folder}:`) });
  });

  test("a task gets the signals that the command gets", async () => {
    const file = script(
      "waits.ts",
      `process.on('SIGTERM', () => process.exit(9)); setInterval(() => {}, 1000); console.log('up');`,
    );
    const child = startRun(["typescript", file], process.env);
    const ended = outcomeOf(child);
    child.stdout?.once("data", () => child.kill("SIGTERM"));
    expect(await ended).toMatchObject({ code: 9 });
  });

  test("a task that dies of a signal has the exit code that shells report", async () => {
    const file = script("dies.ts", `process.kill(process.pid, 'SIGKILL');`);
    expect(await run(["typescript", file], process.env)).toMatchObject({ code: 137 });
  });
});

describe("unknown tasks", () => {
  test.each([[[]], [["nothing"]], [["toString"]]])(
    "the unknown task %j is an error that lists the tasks",
    async (words) => {
      const outcome = await run(words, process.env);
      expect(outcome).toMatchObject({ code: 2, stdout: "" });
      expect(outcome.stderr).toMatch(/^ {2}demo +the main job/m);
    },
  );
});

test.each(["--help", "-h"])("engines %s names every engine and prepares none", async (word) => {
  const outcome = await run(["engines", word], process.env);
  expect(outcome).toMatchObject({ code: 0, stderr: "" });
  expect(outcome.stdout).toMatch(/^Usage: npm run engines -- \[NAME…\]\n/);
  expect(outcome.stdout).toMatch(/^ {2}tofu +\d+ to \d+ +OpenTofu \d/m);
});
