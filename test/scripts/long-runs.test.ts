/** Long runs through their real commands; what else each refuses is in its own tests. */
import { delimiter, dirname } from "node:path";
import { afterAll, expect, test } from "@jest/globals";
import { createSandbox, run } from "./support/run";

const sandbox = createSandbox();
afterAll(() => sandbox.remove());

test("a face of the rehearsal that does not exist is refused with those that do, in one sentence", async () => {
  const words = ["release:rehearse", "--only", "cli,nonsense"];
  const { code, stdout, stderr } = await run(words, process.env);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/^There is no face "nonsense"\. Faces: cli, [\w, -]+\.\n$/);
}, 60_000);

test("chaos on a face without its engine fails, and says and counts what was not tried", async () => {
  // A machine with Node.js and a few tools.
  const path = [dirname(process.execPath), sandbox.env["PATH"]].join(delimiter);
  const words = ["chaos", "--face=terraform", "--claim=a kill at each step"];
  const { code, stdout } = await run(words, { ...sandbox.env, PATH: path });
  expect(stdout).toContain("Tried: 0 of 1 claims on faces.");
  expect(stdout).toContain("Not tried: 1 on terraform: terraform is not on PATH.");
  expect(code).toBe(1);
}, 60_000);
