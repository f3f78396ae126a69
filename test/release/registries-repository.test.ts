/** The repository that the registries of Terraform and OpenTofu read, as a folder of this machine. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";

const script = join(__dirname, "../../scripts/publish/registries.cjs");
/** Notes what it is asked for, and knows the releases that it made. */
const GH = `#!/bin/sh
case "$2" in
  view)
    if [ -e "$GH_LOG.draft" ]; then echo true; exit 0; fi
    grep -q "^release create $3 " "$GH_LOG" && echo false ;;
  delete) rm "$GH_LOG.draft" ;;
  create) echo "$@" >> "$GH_LOG" ;;
esac
`;

let folder: string;
const at = (path: string): string => join(folder, path);
const git = (...words: string[]): string =>
  execFileSync("git", ["-C", at("remote.git"), ...words], { encoding: "utf8" });
const created = (): string[] =>
  readFileSync(at("gh.log"), "utf8").trim().split("\n").filter(Boolean);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "erphost-registries-test-"));
  for (const path of ["bin", "release/registry/docs", "release/page"]) {
    mkdirSync(at(path), { recursive: true });
  }
  writeFileSync(at("bin/gh"), GH, { mode: 0o755 });
  writeFileSync(at("gh.log"), "");
  execFileSync("git", ["init", "--quiet", "--bare", "--initial-branch=main", at("remote.git")]);
  write("registry/docs/index.md", "first\n");
  write("page/terraform-provider-thing_1.0.0_SHA256SUMS", "sums\n");
  write("page/terraform-provider-thing_1.0.0_SHA256SUMS.sig", "signature\n");
  write("page/sbom.cdx.json", "{}\n");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (path: string, text: string): void => writeFileSync(at(`release/${path}`), text);
const publish = (version: string) =>
  spawnSync(process.execPath, [script, version, at("release"), at("remote.git")], {
    encoding: "utf8",
    env: {
      ...process.env,
      PATH: [at("bin"), process.env["PATH"]].join(delimiter),
      GH_LOG: at("gh.log"),
      GIT_CONFIG_GLOBAL: at("no-settings"),
    },
  });

test("a version becomes a tagged commit of its pages and a release with its signed files", () => {
  expect(publish("1.0.0")).toMatchObject({ status: 0 });
  expect(git("show", "v1.0.0:docs/index.md")).toBe("first\n");
  expect(git("rev-parse", "main")).toBe(git("rev-parse", "v1.0.0^{commit}"));
  const [line = "", ...more] = created();
  expect(more).toEqual([]);
  expect(line).toMatch(/^release create v1\.0\.0 --verify-tag /);
  expect(line).toContain("terraform-provider-thing_1.0.0_SHA256SUMS.sig");
  expect(line).not.toContain("sbom");
});

test("the next version replaces all pages, and the earlier one keeps its own", () => {
  publish("1.0.0");
  rmSync(at("release/registry/docs/index.md"));
  write("registry/docs/other.md", "second\n");
  expect(publish("1.1.0")).toMatchObject({ status: 0 });
  expect(git("ls-tree", "-r", "--name-only", "v1.1.0").trim()).toBe("docs/other.md");
  expect(git("ls-tree", "-r", "--name-only", "v1.0.0").trim()).toBe("docs/index.md");
});

test("a job that is run again publishes nothing twice and moves no tag", () => {
  publish("1.0.0");
  const first = git("rev-parse", "v1.0.0");
  write("registry/docs/index.md", "changed\n");
  expect(publish("1.0.0")).toMatchObject({ status: 0 });
  expect(git("rev-parse", "v1.0.0")).toBe(first);
  expect(created()).toHaveLength(1);
});

test("a draft that an interrupted upload left is made again, and published", () => {
  writeFileSync(at("gh.log.draft"), "");
  expect(publish("1.0.0")).toMatchObject({ status: 0 });
  expect(existsSync(at("gh.log.draft"))).toBe(false);
  expect(created()).toHaveLength(1);
});

test("a release without a signature is not published, and its version stays free", () => {
  rmSync(at("release/page/terraform-provider-thing_1.0.0_SHA256SUMS.sig"));
  const { status, stderr } = publish("1.0.0");
  expect(status).toBe(1);
  expect(stderr).toBe("The checksums are not signed, and the registries require that.\n");
  expect(created()).toEqual([]);
  expect(git("tag")).toBe("");
});

test("without a repository nothing is done", () => {
  const { status, stderr } = spawnSync(process.execPath, [script, "1.0.0"], { encoding: "utf8" });
  expect(status).toBe(1);
  expect(stderr).toContain("Say the version");
  expect(existsSync(at("no-settings"))).toBe(false);
});
