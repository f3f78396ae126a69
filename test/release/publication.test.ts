/** What packages carry, and what a release hands to npm and to registries, also when run again. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { version } from "../../package.json";
import { PULUMI_ENTRY, TERRAFORM_ENTRY } from "../../scripts/release/bundle";
import { notices } from "../../scripts/release/notices";
import { folder as newFolder } from "../support/folder";

const SCRIPTS = join(__dirname, "../../scripts/publish");

/** Has what was published, and refuses what is in the list of refusals. */
const NPM = `#!/bin/sh
case "$1" in
  view) grep -qx "$2" "$AT/published" && echo 1.0.0 ;;
  publish)
    name=$(tar -xzOf "$2" package/package.json | sed 's/.*"name":"\\([^"]*\\)","version":"\\([^"]*\\)".*/\\1@\\2/')
    grep -qx "$name" "$AT/published" && { echo "403 already there" >&2; exit 1; }
    grep -qx "$name" "$AT/refused" && { echo "503 try later" >&2; exit 1; }
    echo "$name" >> "$AT/published"
    echo "$@" >> "$AT/log" ;;
esac
`;

/** Notes what it is asked for, and knows the releases that it made. */
const GH = `#!/bin/sh
[ "$1" = api ] && exec cat "$GH_LOG.draft"
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
const linesOf = (path: string): string[] =>
  readFileSync(at(path), "utf8").split("\n").filter(Boolean);

beforeEach(() => {
  folder = newFolder();
  mkdirSync(at("bin"));
  for (const [name, text] of Object.entries({ npm: NPM, gh: GH })) {
    writeFileSync(at(`bin/${name}`), text, { mode: 0o755 });
  }
});

/** With the programs above. */
const start = (program: string, words: readonly string[], more: NodeJS.ProcessEnv = {}) =>
  spawnSync(program, words, {
    cwd: folder,
    encoding: "utf8",
    env: {
      ...process.env,
      PATH: [at("bin"), process.env["PATH"]].join(delimiter),
      ...{ AT: folder, GH_LOG: at("gh.log"), GIT_CONFIG_GLOBAL: at("no-settings") },
      ...more,
    },
  });
const run = (script: string, words: readonly string[]) =>
  start(process.execPath, [join(SCRIPTS, script), ...words]);

describe("on npm", () => {
  beforeEach(() => {
    for (const path of ["npm", "package"]) mkdirSync(at(path));
    for (const file of ["published", "refused", "log"]) writeFileSync(at(file), "");
  });

  function pack(...names: readonly string[]): void {
    for (const name of names) {
      writeFileSync(at("package/package.json"), JSON.stringify({ name, version: "1.0.0" }));
      execFileSync("tar", ["-czf", at(`npm/${name}.tgz`), "-C", folder, "package"]);
    }
  }

  const publish = () => run("npm.cjs", [at("npm")]);
  const published = (): string[] => linesOf("published");

  test("every archive is published, with its provenance and for everybody", () => {
    pack("first", "second");
    expect(publish()).toMatchObject({ status: 0 });
    expect(published()).toEqual(["first@1.0.0", "second@1.0.0"]);
    expect(readFileSync(at("log"), "utf8")).toMatch(/first\.tgz --provenance --access public/);
  });

  test("a publication that ended half way is finished by running it again", () => {
    pack("first", "second");
    writeFileSync(at("refused"), "second@1.0.0\n");
    const half = publish();
    expect([half.status, half.stderr]).toEqual([1, expect.stringContaining("second@1.0.0: 503")]);
    writeFileSync(at("refused"), "");
    const whole = publish();
    expect(whole).toMatchObject({ status: 0 });
    expect(whole.stdout).toContain("first@1.0.0 is published already.");
    expect(published()).toEqual(["first@1.0.0", "second@1.0.0"]);
  });

  test("a folder without archives is refused", () => {
    expect(publish()).toMatchObject({ status: 1, stderr: expect.stringContaining("no archive") });
  });
});

/** The repository that they read, as a folder of this machine. */
describe("in the registries", () => {
  beforeEach(() => {
    for (const path of ["registry/docs", "page"])
      mkdirSync(at(`release/${path}`), { recursive: true });
    writeFileSync(at("gh.log"), "");
    execFileSync("git", ["init", "--quiet", "--bare", "--initial-branch=main", at("remote.git")]);
    write("registry/docs/index.md", "first\n");
    write("page/terraform-provider-thing_1.0.0_SHA256SUMS", "sums\n");
    write("page/terraform-provider-thing_1.0.0_SHA256SUMS.sig", "signature\n");
    write("page/sbom.cdx.json", "{}\n");
  });

  const git = (...words: string[]): string =>
    execFileSync("git", ["-C", at("remote.git"), ...words], { encoding: "utf8" });
  const created = (): string[] => linesOf("gh.log");

  const write = (path: string, text: string): void => writeFileSync(at(`release/${path}`), text);
  const publish = (version: string) =>
    run("registries.cjs", [version, at("release"), at("remote.git")]);

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
    const { status, stderr } = run("registries.cjs", ["1.0.0"]);
    expect(status).toBe(1);
    expect(stderr).toContain("Say the version");
    expect(existsSync(at("no-settings"))).toBe(false);
  });
});

test.each([
  ["nothing is made of it yet", "", 0, ["create"]],
  ["its upload was cut off", "abc1\n", 0, ["delete", "create"]],
  ["another commit is half published", "abc0\n", 1, []],
  ["its upload was cut off, and another commit is half published", "abc1\nabc0\n", 1, []],
])("on its page a version is of one commit: %s", (_, drafts, code, calls) => {
  const workflow = readFileSync(join(SCRIPTS, "../../.github/workflows/release.yml"), "utf8");
  // Of this checkout.
  expect(workflow).toMatch(/name: signed\n +path: release\n.*\n +retention-days: 90/);
  const { jobs } = parse(workflow) as { jobs: { draft: { steps: { run?: string }[] } } };
  symlinkSync(join(SCRIPTS, ".."), at("scripts"));
  writeFileSync(at("gh.log.draft"), drafts);
  const words = ["-eo", "pipefail", "-c", jobs.draft.steps.at(-1)?.run ?? ""];
  const { status } = start("bash", words, { VERSION: version, GITHUB_SHA: "abc1" });
  expect(status).toBe(code);
  const created = existsSync(at("gh.log")) ? ["create"] : [];
  const deleted = existsSync(at("gh.log.draft")) ? [] : ["delete"];
  expect([...deleted, ...created]).toEqual(calls);
});

test.each([
  ["Terraform's provider", TERRAFORM_ENTRY],
  ["Pulumi's plugin", PULUMI_ENTRY],
])(
  "%s is handed on with its licence and the texts of all that is bundled into it",
  async (_, entry) => {
    const entries = await notices(entry, [{ name: "Node.js 0.0.0", text: "as is" }]);
    const plain = { executable: false };
    expect(entries).toMatchObject([
      { name: "LICENSE", ...plain },
      { name: "THIRD-PARTY", ...plain },
    ]);
    const [own = "", others = ""] = entries.map(({ content }) => content.toString());
    expect(own).toBe(readFileSync(join(SCRIPTS, "../../LICENSE"), "utf8"));
    const bundled = ["Node.js 0.0.0\n\nas is", "zod ", "undici ", "age-encryption ", "@noble/"];
    for (const name of bundled) expect(others).toContain(name);
    expect(others).not.toMatch(/^(?:jest|typescript|@pulumi\/pulumi) /m);
  },
);
