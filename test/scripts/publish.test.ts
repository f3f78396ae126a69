/** What a maintainer runs to release: the next version from changesets, and what comes next. */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import manifest from "../../package.json";
import { notes } from "../../scripts/publish/notes.cjs";
import { plan, sentence } from "../../scripts/publish/plan.cjs";
import { copyRepository, type Repository } from "../harness/repository";

const { version } = manifest;
const ACTION = ".github/actions/pipeline/action.yml";
const next = version.replace(/^(\d+)\.(\d+)\..*$/, (_, major, minor) => `${major}.${+minor + 1}.0`);
let repository: Repository;

const read = (path: string): string => readFileSync(join(repository.folder, path), "utf8");

const addChangeset = (): void => {
  const text = '---\n"erphost": minor\n---\n\nServers can be renamed.\n';
  writeFileSync(join(repository.folder, ".changeset/renamed.md"), text);
};

function makeVersion(): { code: number | null; output: string } {
  const words = ["-r", "ts-node/register", "scripts/publish/version.ts"];
  const options = { cwd: repository.folder, encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, words, options);
  return { code: status, output: stdout + stderr };
}

beforeAll(() => {
  repository = copyRepository();
  const folder = join(repository.folder, ".changeset");
  for (const name of readdirSync(folder)) {
    if (name.endsWith(".md") && name !== "README.md") rmSync(join(folder, name));
  }
});
afterAll(() => repository.remove());

describe("what comes next", () => {
  test("a version without a tag is published", () => {
    const planned = plan(repository.folder);
    expect(planned).toEqual({ version, changesets: [], next: "publish" });
    expect(sentence(planned)).toBe(
      `${version} is published next: it has no tag, and no changeset waits.`,
    );
  });

  test("a version with a tag is not published again", () => {
    repository.git("tag", `v${version}`);
    expect(plan(repository.folder)).toMatchObject({ next: "nothing" });
    repository.git("tag", "--delete", `v${version}`);
  });

  test("a changeset asks for a new version first", () => {
    addChangeset();
    expect(plan(repository.folder)).toMatchObject({ next: "version", changesets: ["renamed.md"] });
  });
});

test("the next version is said everywhere, with its part of the changelog, by one command", () => {
  addChangeset();
  const { code, output } = makeVersion();
  expect({ code, output }).toMatchObject({ code: 0 });
  expect(output).toContain(`${version} became ${next}, from 1 changesets.`);
  for (const file of ["package.json", "schema.json", "docs/guides/install.md", ACTION]) {
    expect({ file, text: read(file) }).toMatchObject({ text: expect.stringContaining(next) });
    expect({ file, text: read(file) }).not.toMatchObject({
      text: expect.stringContaining(`"version": "${version}"`),
    });
  }
  const lock = JSON.parse(read("package-lock.json")) as {
    version: string;
    packages: Record<string, { version: string }>;
  };
  expect([lock.version, lock.packages[""]?.version]).toEqual([next, next]);
  expect(notes(read("CHANGELOG.md"), next)).toBe("### Minor Changes\n\n- Servers can be renamed.");
  expect(plan(repository.folder)).toMatchObject({ version: next, next: "publish" });
  expect(makeVersion()).toMatchObject({ code: 1, output: expect.stringContaining("no changeset") });
}, 180_000);

test("the version of this checkout has its part of CHANGELOG.md", () => {
  const changelog = readFileSync(join(__dirname, "../../CHANGELOG.md"), "utf8");
  expect(notes(changelog, version)).toContain("The first release");
  expect(notes(changelog, "9.9.9")).toBeUndefined();
});
