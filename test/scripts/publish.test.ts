/** What is published next, and the words of a release. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { version } from "../../package.json";
import { notes } from "../../scripts/publish/notes.cjs";
import { plan, sentence } from "../../scripts/publish/plan.cjs";
import { folder } from "../support/folder";

test("a version without a tag is published, one with a tag is not again, and a changeset asks for a new one first", () => {
  const root = folder();
  const git = (...words: readonly string[]): unknown => execFileSync("git", words, { cwd: root });
  git("init", "--quiet");
  const who = ["-c", "user.name=one", "-c", "user.email=one@example.com"];
  git(...who, "commit", "--quiet", "--allow-empty", "--message", "a checkout");
  writeFileSync(join(root, "package.json"), JSON.stringify({ version }));
  mkdirSync(join(root, ".changeset"));
  writeFileSync(join(root, ".changeset/README.md"), "");
  const planned = plan(root);
  expect(planned).toEqual({ version, changesets: [], next: "publish" });
  expect(sentence(planned)).toBe(
    `${version} is published next: it has no tag, and no changeset waits.`,
  );
  git("tag", `v${version}`);
  expect(plan(root)).toMatchObject({ next: "nothing" });
  writeFileSync(join(root, ".changeset/renamed.md"), "");
  expect(plan(root)).toMatchObject({ next: "version", changesets: ["renamed.md"] });
});

test("the version of this checkout has its part of CHANGELOG.md", () => {
  const changelog = readFileSync(join(__dirname, "../../CHANGELOG.md"), "utf8");
  expect(notes(changelog, version)).toContain("The first release");
  expect(notes(changelog, "9.9.9")).toBeUndefined();
});
