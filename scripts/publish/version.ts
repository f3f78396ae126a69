/**
 * `npm run release:version`: turns the changesets into the next version and its part of
 * CHANGELOG.md, and says that version everywhere. What it leaves is one commit for a person to read.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../../test/support/command-line";
import { runProgram } from "../bootstrap/programs.cjs";
import { plan } from "./plan.cjs";

const root = join(__dirname, "..", "..");
const STEP_MS_MAX = 10 * 60_000;

/** Files for people that name the version outside of generated text. */
export const PAGES = [
  "README.md",
  "SECURITY.md",
  "docs/guides/install.md",
  "docs/guides/pipelines.md",
  "docs/moving-to-the-plugin.md",
  "docs/pulumi-plugin.md",
  "docs/cdktf/python.md",
  ".github/ISSUE_TEMPLATE/bug.yml",
  ".github/actions/pipeline/action.yml",
  "templates/erphost.yml",
  ...globSync("examples/*/{package.json,requirements.txt}", { cwd: root }),
];

async function main(): Promise<number> {
  const { version: before, changesets } = plan(root);
  if (changesets.length === 0) {
    console.error("There is no changeset, and so no new version. `npx changeset` makes one.");
    return 1;
  }
  await node("node_modules/@changesets/cli/bin.js", "version");
  const { version } = plan(root);
  // Not in another's 10.1.0.
  const named = new RegExp(`(?<![\\d.])${before.replaceAll(".", "[.]")}(?!\\d)`, "g");
  for (const page of PAGES) rewrite(page, (text) => text.replaceAll(named, version));
  rewrite("package-lock.json", lockedAs(version));
  await node("-r", "ts-node/register", "scripts/generate.ts");
  await node("node_modules/prettier/bin/prettier.cjs", "-uw", "CHANGELOG.md", ...PAGES);
  console.log(`${before} became ${version}, from ${changesets.length} changesets.`);
  return 0;
}

function rewrite(file: string, change: (text: string) => string): void {
  const path = join(root, file);
  writeFileSync(path, change(readFileSync(path, "utf8")));
}

/** npm would do it, and ask its registry for everything else in the file. */
const lockedAs =
  (version: string) =>
  (text: string): string => {
    // npm's own file, version 3: the root of `packages` is this package.
    const lock = JSON.parse(text) as {
      version: string;
      packages: Record<string, { version: string }>;
    };
    const own = lock.packages[""];
    if (own === undefined) throw new Error("package-lock.json does not list this package");
    lock.version = version;
    own.version = version;
    return `${JSON.stringify(lock, null, 2)}\n`;
  };

async function node(...words: readonly string[]): Promise<void> {
  const options = { cwd: root, env: process.env, timeoutMs: STEP_MS_MAX };
  const { code, output } = await runProgram(process.execPath, words, options);
  if (code !== 0) throw new Error(`${words.join(" ")} failed:\n${output}`);
}

if (require.main === module) runCommand(main);
