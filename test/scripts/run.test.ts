/** Tasks as people run them. What else the long runs refuse is in their own tests. */
import { writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { sharedFolder } from "../support/folder";
import { outcomeOf } from "../support/wait";
import { createSandbox, run, startRun } from "./support/run";

const folder = sharedFolder();

function runScript(text: string, ...words: readonly string[]) {
  const file = join(folder, "script.ts");
  writeFileSync(file, text);
  return run(["typescript", file, ...words], process.env);
}

const KILLED = `process.kill(process.pid, 'SIGKILL');`;

describe("TypeScript tasks", () => {
  test("a task that throws fails", async () => {
    const outcome = await runScript(`const count: number = 1; throw new Error('no ' + count);`);
    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining("Error: no 1") });
  });

  test.each([
    ["with an unhandled rejection fails", `void Promise.reject(new Error('later'));`, 1],
    ["gives the command its exit code", `process.exitCode = 7 as number;`, 7],
    ["that dies of a signal has the exit code that shells report", KILLED, 137],
  ])("a task %s", async (_, text, code) => {
    expect(await runScript(text)).toMatchObject({ code });
  });

  test("a task gets its arguments, Node.js 24, and stdout for itself alone", async () => {
    const text = `console.log(process.argv.slice(2).join('|'), process.versions.node.split('.')[0]);`;
    const outcome = await runScript(text, "--flag", "two words");
    expect(outcome).toEqual({ code: 0, stdout: "--flag|two words 24\n", stderr: "" });
  });

  test("a task runs on the Node.js that ERPHOST_TASKS_NODE names, which comes first on PATH", async () => {
    const node = join(folder, "node");
    writeFileSync(node, `#!/bin/sh\necho "$PATH"\n`, { mode: 0o755 });
    const outcome = await run(["typescript"], { ...process.env, ERPHOST_TASKS_NODE: node });
    expect(outcome).toMatchObject({ code: 0, stdout: expect.stringMatching(`^${folder}:`) });
  });

  test("a task gets the signals that the command gets", async () => {
    const file = join(folder, "waits.ts");
    const text = `process.on('SIGTERM', () => process.exit(9)); setInterval(() => {}, 1000);`;
    writeFileSync(file, `${text} console.log('up');`);
    const child = startRun(["typescript", file], process.env);
    const ended = outcomeOf(child);
    child.stdout.once("data", () => child.kill("SIGTERM"));
    expect(await ended).toMatchObject({ code: 9 });
  });
});

const UNKNOWN = [[[]], [["nothing"]], [["toString"]]];
test.each(UNKNOWN)("the unknown task %j is an error that lists the tasks", async (words) => {
  const stderr = expect.stringMatching(/^ {2}demo +the main job/m);
  expect(await run(words, process.env)).toMatchObject({ code: 2, stdout: "", stderr });
});

test.each(["--help", "-h"])("engines %s names every engine and prepares none", async (word) => {
  const outcome = await run(["engines", word], process.env);
  expect(outcome).toMatchObject({ code: 0, stderr: "" });
  expect(outcome.stdout).toMatch(/^Usage: npm run engines -- \[NAME…\]\n/);
  expect(outcome.stdout).toMatch(/^ {2}tofu +\d+ to \d+ +OpenTofu \d/m);
});

test("a face of the rehearsal that does not exist is refused with those that do, in one sentence", async () => {
  const words = ["release:rehearse", "--only", "nonsense,gibberish"];
  const { code, stdout, stderr } = await run(words, process.env);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/^There is no face "nonsense"\. Faces: pulumi, [\w, -]+\.\n$/);
}, 60_000);

test("chaos on a face without its engine fails, and says and counts what was not tried", async () => {
  // A machine with Node.js and a few tools.
  const sandbox = createSandbox();
  const path = [dirname(process.execPath), sandbox.env["PATH"]].join(delimiter);
  const words = ["chaos", "--face=terraform", "--claim=a kill at each step"];
  const { code, stdout } = await run(words, { ...sandbox.env, PATH: path });
  expect(stdout).toContain("Tried: 0 of 1 claims on faces.");
  expect(stdout).toContain("Not tried: 1 on terraform: terraform is not on PATH.");
  expect(code).toBe(1);
}, 60_000);
