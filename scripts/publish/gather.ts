/**
 * `npm run release:build`: everything that a release publishes, in `dist/release`: what its page on
 * GitHub carries, with the checksums of all of it, what npm and PyPI get, and the pages of the
 * registries. Nothing is signed here: what signs does not run the code of dependencies.
 */
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { version } from "../../package.json";
import { runCommand } from "../../test/support/command-line";
import { lastLines, runProgram } from "../bootstrap/programs.cjs";
import { checksumLine } from "../release/archive";
import { allComponents } from "../supply-chain/licences.cjs";
import { bundled } from "../supply-chain/lock-file.cjs";
import { releasedComponents } from "./sbom";

const root = join(__dirname, "..", "..");
const release = join(root, "dist/release");
const STEP_MS_MAX = 40 * 60_000;
type Folder = "page" | "npm" | "pypi";

/** Where a file goes, by where the builds leave it. The first that matches counts. */
const PLACES: readonly (readonly [pattern: RegExp, folder: Folder])[] = [
  [/^terraform-release\/terraform-provider-erphost_/, "page"],
  [/^pulumi-plugin\/pulumi-resource-erphost-/, "page"],
  [/^pulumi-plugin\/[^/]+\.tgz$/, "npm"],
  [/^pulumi-plugin\/[^/]+(?:\.whl|\.tar\.gz)$/, "pypi"],
];

/** What a release without would not be one, and how many at least. */
const EXPECTED: readonly (readonly [folder: Folder, pattern: RegExp, countMin: number])[] = [
  ["page", /^terraform-provider-erphost_.+_(?:SHA256SUMS|manifest\.json)$/, 2],
  ["page", /^terraform-provider-erphost_.+\.zip$/, 6],
  ["page", /^pulumi-resource-erphost-.+\.tar\.gz$/, 6],
  ["page", /^erphost-pulumi-sdk-.+\.tar\.gz$/, 3],
  ["page", /^sbom\.cdx\.json$/, 1],
  ["npm", /\.tgz$/, 2],
  ["pypi", /\.whl$/, 1],
];

async function main(): Promise<number> {
  rmSync(release, { recursive: true, force: true });
  for (const folder of ["page", "npm", "pypi"]) {
    mkdirSync(join(release, folder), { recursive: true });
  }
  await packPackage(join(release, "npm"));
  await task("build:pulumi", "--all");
  await task("build:terraform", "--all");
  gather();
  await packSources();
  await writeSbom();
  const page = join(release, "page");
  const sums = filesOf(page).map((file) => checksumLine(file, readFileSync(join(page, file))));
  writeFileSync(join(page, "SHA256SUMS"), sums.join(""));
  const missing = EXPECTED.filter(([folder, pattern, countMin]) => {
    return filesOf(join(release, folder)).filter((file) => pattern.test(file)).length < countMin;
  });
  if (missing.length > 0) {
    const list = missing.map(([folder, { source }, countMin]) => `${countMin} ${folder}/${source}`);
    throw new Error(`The release is incomplete: it lacks ${list.join(", ")}.`);
  }
  console.log(`dist/release holds erphost ${version}:`);
  for (const folder of ["page", "npm", "pypi"]) {
    for (const file of filesOf(join(release, folder))) {
      const { size } = statSync(join(release, folder, file));
      console.log(`  ${folder.padEnd(6)}${(size / 1e6).toFixed(1).padStart(7)} MB  ${file}`);
    }
  }
  return 0;
}

/** npm packs whatever is there, so what is packed is looked at. */
async function packPackage(folder: string): Promise<void> {
  const words = ["pack", "--json", "--pack-destination", folder];
  const text = await run("the npm package", "npm", words);
  const expected = ["dist/cli/main.js", ...bundled().map((each) => `${each}/package.json`)];
  const lost = expected.filter((file) => !text.includes(`"${file}"`));
  if (lost.length > 0) throw new Error(`the npm package lacks ${lost.join(", ")}`);
}

function gather(): void {
  const dist = join(root, "dist");
  for (const built of ["terraform-release", "pulumi-plugin"]) {
    for (const name of readdirSync(join(dist, built))) {
      const path = `${built}/${name}`;
      const [, folder] = PLACES.find(([pattern]) => pattern.test(path)) ?? [];
      if (folder === undefined) continue;
      copyFileSync(join(dist, path), join(release, folder, basename(path)));
    }
  }
  cpSync(join(dist, "terraform-registry"), join(release, "registry"), { recursive: true });
}

/** The SDKs that people build themselves, as sources: their registries want an account for each. */
async function packSources(): Promise<void> {
  for (const language of ["go", "java", "csharp"]) {
    const archive = join(release, "page", `erphost-pulumi-sdk-${language}-${version}.tar.gz`);
    const words = ["-czf", archive, "-C", join(root, "dist/pulumi-plugin/sdk"), language];
    await run(`the sources of the SDK for ${language}`, "tar", words);
  }
}

async function writeSbom(): Promise<void> {
  const words = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"];
  const text = await run("the list of components", "npm", words);
  writeFileSync(join(release, "page", "sbom.cdx.json"), releasedComponents(text, allComponents()));
}

const filesOf = (folder: string): string[] => readdirSync(folder).sort();

const task = (name: string, ...words: readonly string[]): Promise<string> =>
  run(name, process.execPath, [join(root, "scripts", "run.cjs"), name, ...words]);

/** @returns stdout */
async function run(what: string, program: string, words: readonly string[]): Promise<string> {
  console.error(`release: ${what} …`);
  const { code, stdout, output } = await runProgram(program, words, {
    cwd: root,
    env: process.env,
    timeoutMs: STEP_MS_MAX,
    outputCharsMax: 5_000_000,
    // Node.js is compressed for six platforms, which takes a while and says so.
    onOutput:
      program === process.execPath ? (text: string) => process.stderr.write(text) : undefined,
  });
  if (code !== 0) throw new Error(`${what} failed:\n${lastLines(output, 30)}`);
  return stdout;
}

runCommand(main);
