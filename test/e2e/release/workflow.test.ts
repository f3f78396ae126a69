/** A job of CI, run by act on this machine: the real one, and on a checkout that must not pass. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { git } from "../../support/git";
import { copyCheckout } from "../../../scripts/check/tracked";
import { makeSigningKey } from "../../harness/release/signing-key";
import { sharedFolder } from "../../support/folder";
import { opened } from "../support/opened";

/** A repository of its own with the files of this checkout: one commit, and no tags. */
const folder = sharedFolder();
beforeAll(() => {
  copyCheckout(join(__dirname, "../../.."), folder);
  git(folder, "init", "--quiet", "--initial-branch", "main");
  git(folder, "add", "--all");
  git(folder, "commit", "--quiet", "--message", "a checkout");
});

/** Past the task, which would install the copy's dependencies; the tests' own task has got act. */
function workflow(...words: readonly string[]): { code: number | null; output: string } {
  const own = ["scripts/workflow.cjs", ...words];
  const { status, stdout, stderr } = spawnSync(process.execPath, own, {
    ...{ cwd: folder, encoding: "utf8", timeout: 120_000, env: process.env },
  });
  return { code: status, output: stdout + stderr };
}

const write = (path: string, text: string): void => writeFileSync(join(folder, path), text);

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
    const file = join(folder, "package-lock.json");
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

describe("the job that signs a release", () => {
  /** The action that fetches what the job before it made. */
  let download: string;

  beforeAll(() => {
    const { env } = opened(makeSigningKey());
    const words = ["--batch", "--pinentry-mode", "loopback", "--passphrase", ""];
    const exported = [...words, "--armor", "--export-secret-keys"];
    process.env["SIGNING_KEY"] = spawnSync("gpg", exported, { env, encoding: "utf8" }).stdout;
    mkdirSync(join(folder, "artifact"));
    write("artifact/one.zip", "one");
    write("artifact/action.yml", handOver(join(folder, "artifact")));
    const path = ".github/workflows/release.yml";
    const text = readFileSync(join(folder, path), "utf8");
    [download = ""] = /actions\/download-artifact@\w+/.exec(text) ?? [];
    write(path, text.replace("  sign:\n    needs: build\n", "  sign:\n"));
  });
  afterAll(() => void delete process.env["SIGNING_KEY"]);

  const sign = () => {
    const artifact = `${download}=${join(folder, "artifact")}`;
    const options = ["--secret", "SIGNING_KEY", "--local-repository", artifact];
    return workflow("sign", "--workflow", "release", ...options);
  };
  const sum = createHash("sha256").update("one").digest("hex");

  test("both files of checksums are signed with the key of the environment", () => {
    write("artifact/SHA256SUMS", `${sum}  one.zip\n`);
    write("artifact/terraform-provider-erphost_0.1.0_SHA256SUMS", `${sum}  one.zip\n`);
    const { code, output } = sign();
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(output.match(/Good signature from "release@example\.com"/g)).toHaveLength(2);
    expect(output).not.toContain("PRIVATE KEY BLOCK");
  });

  test("nothing is signed where a file is not the one that was built", () => {
    write("artifact/one.zip", "another");
    const { code, output } = sign();
    expect(output).toContain("one.zip: FAILED");
    expect(output).not.toContain("Good signature");
    expect(code).toBe(1);
  });
});

/** An action in the place of the one that gets artifacts, which only GitHub keeps. */
const handOver = (artifact: string): string => `name: Hand over
description: Hands over what the job before would have made
runs:
  using: composite
  steps:
    - run: mkdir -p release && cp -r ${artifact} release/page
      shell: bash
`;
