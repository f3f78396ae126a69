/** What docs/cdktf/testing.md says of releases, done as it is written there. */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { writeFiles } from "../../../../scripts/bootstrap/files.cjs";
import { runProgram, type Finished } from "../../../../scripts/bootstrap/programs.cjs";
import { located, synthesised } from "../../../cdktf/support/documented";
import { ONE_ENGINE } from "../../../harness/terraform-workspace";
import { folder as newFolder } from "../../../support/folder";
import { deployment, type Deployment } from "../../support/cdktf";
import { snippet } from "../../support/guide";

const PAGE = "../cdktf/testing";
const root = join(__dirname, "../../../..");

test("the documented snapshot passes until the stack declares something else", async () => {
  const folder = newFolder();
  // How the checkout's own tests are compiled.
  const { projects } = require(join(root, "jest.config.cjs")) as {
    projects: [{ transform: object; transformIgnorePatterns: readonly string[] }];
  };
  const [{ transform, transformIgnorePatterns }] = projects;
  const of = { rootDir: root, roots: [folder], testMatch: [`${folder}/*.test.js`] };
  const settings = JSON.stringify({ ...of, transform, transformIgnorePatterns });
  const program = snippet(PAGE, "js", "toMatchSnapshot");
  const jest = async (next: string): Promise<Finished> => {
    for (const [name, text] of Object.entries({ same: program, next })) {
      writeFileSync(join(folder, `${name}.test.js`), located(text));
    }
    const words = ["node_modules/jest/bin/jest.js", "--ci=false", "-i", "-c", settings];
    return runProgram(process.execPath, words, { cwd: root, env: process.env, timeoutMs: 120_000 });
  };
  expect((await jest(program)).output).toContain("2 snapshots written");
  const { code, output } = await jest(program.replace('"erp-web"', '"erp-shop"'));
  expect([code, output]).toEqual([1, expect.stringMatching(/^ *\+.*"name": "erp-shop"/m)]);
  expect(output).toContain("1 failed, 1 passed");
});

/** A release whose state is elsewhere. */
const release = (web: string): string => `
import { App, LocalBackend, TerraformStack } from "cdktf";
import { ErphostProvider, moveConstruct, Server } from "erphost/cdktf";
const app = new App();
const stack = new TerraformStack(app, "erp");
new LocalBackend(stack, { path: "the-real.tfstate" });
new ErphostProvider(stack, "provider");
${web}
app.synth();
`;
const OLD = `new Server(stack, "old", { name: "erp" })`;
const WEB = `new Server(stack, "web", { name: "erp" })`;

let deployed: Deployment;

beforeAll(async () => void (deployed = await deployment(ONE_ENGINE)));

test.each([
  ["0 where nothing changes", OLD, 0, "No changes."],
  ["2 for a construct under another path", WEB, 2, "1 to add, 0 to change, 1 to destroy"],
  ["2 for one that is moved", `moveConstruct(${OLD}, ${WEB});`, 2, "0 to add, 0 to change, 0 to "],
])("the documented plan exits with %s, and leaves the real state alone", async (...row) => {
  const [, next, expected, said] = row;
  const { folder: place, env } = deployed.workspace;
  for (const [name, web] of Object.entries({ last: OLD, next })) {
    const folder = join(place, name, "stacks/erp");
    rmSync(folder, { recursive: true, force: true });
    writeFiles(folder, { "cdk.tf.json": synthesised(release(web)) });
  }
  const script = snippet(PAGE, "sh").replaceAll(/^terraform/gm, ONE_ENGINE);
  const { code, output } = await runProgram("sh", ["-ec", script], {
    cwd: place,
    env: { ...env, TF_CLI_ARGS: "-no-color" },
    timeoutMs: 120_000,
  });
  expect([code, output]).toEqual([expected, expect.stringContaining(said)]);
  expect(existsSync(join(place, "last/stacks/erp/the-real.tfstate"))).toBe(false);
});
