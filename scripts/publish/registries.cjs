"use strict";

/**
 * `node scripts/publish/registries.cjs VERSION FOLDER REMOTE`: a release where the registries of
 * Terraform and OpenTofu look for it (docs/decisions/0016). FOLDER holds `registry`, the pages, and
 * `page`, the files of the release with their signature; REMOTE is the repository's address. What is
 * there already stays as it is, so that a failed job can be run again.
 */

const { execFileSync, spawnSync } = require("node:child_process");
const { cpSync, mkdtempSync, readdirSync, rmSync } = require("node:fs");
const { tmpdir } = require("node:os");
const { join } = require("node:path");

const COMMAND_MS_MAX = 10 * 60_000;
const AUTHOR = [
  "user.name=github-actions[bot]",
  "user.email=41898282+github-actions[bot]@users.noreply.github.com",
].flatMap((setting) => ["-c", setting]);

const [, , version = "", folder = "", remote = ""] = process.argv;
const tag = `v${version}`;
const copy = mkdtempSync(join(tmpdir(), "erphost-registries-"));

/** @param {readonly string[]} words */
const git = (...words) =>
  execFileSync("git", words, { cwd: copy, encoding: "utf8", timeout: COMMAND_MS_MAX });

/** @param {readonly string[]} words */
const gh = (...words) =>
  spawnSync("gh", ["release", ...words, "--repo", remote], {
    encoding: "utf8",
    timeout: COMMAND_MS_MAX,
  });

/** The pages as a commit with the version's tag. */
function pushPages() {
  git("clone", "--quiet", remote, ".");
  if (git("tag", "--list", tag) !== "") return;
  for (const name of readdirSync(copy).filter((each) => each !== ".git")) {
    rmSync(join(copy, name), { recursive: true });
  }
  cpSync(join(folder, "registry"), copy, { recursive: true });
  git("add", "--all");
  git(...AUTHOR, "commit", "--quiet", "--allow-empty", "--message", `release: ${version}`);
  git("tag", tag);
  git("push", "--quiet", "--atomic", "origin", "HEAD:main", tag);
}

/** @throws Error where the registries would refuse them */
function signedFiles() {
  const page = join(folder, "page");
  const files = readdirSync(page).filter((file) => file.startsWith("terraform-provider-"));
  if (files.some((file) => file.endsWith("_SHA256SUMS.sig"))) {
    return files.map((file) => join(page, file));
  }
  throw new Error("The checksums are not signed, and the registries require that.");
}

/** The release, complete at once: registries read it once. @param {readonly string[]} files */
function publish(files) {
  const { status: seen, stdout } = gh("view", tag, "--json", "isDraft", "--jq", ".isDraft");
  if (seen === 0 && stdout.trim() !== "true") return;
  // An upload that was cut off leaves a draft, which no registry reads.
  if (seen === 0) gh("delete", tag, "--yes");
  const words = ["--verify-tag", "--title", version, "--notes", `erphost ${version}`];
  const { status, stderr } = gh("create", tag, ...words, ...files);
  if (status !== 0) throw new Error(`gh could not publish ${tag}: ${stderr}`);
}

try {
  if (remote === "") throw new Error("Say the version, the release's folder and the repository.");
  const files = signedFiles();
  pushPages();
  publish(files);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(copy, { recursive: true, force: true });
}
