/** The licences that every copy of a package has to carry: the project's, and those of what is in it. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "../bootstrap/programs.cjs";
import { STARTER as components } from "../supply-chain/licences.cjs";
import { textEntry, type Entry } from "./archive";
import { bundledPackages } from "./bundle";

const root = join(__dirname, "..", "..");
const STARTER = join(__dirname, "runtime/starter");
const GO_MS_MAX = 60_000;
const RULE = `\n${"=".repeat(80)}\n`;

interface Part {
  readonly name: string;
  readonly text: string;
}

/** `LICENSE` of this project. */
const ownLicence = (): Entry => textEntry("LICENSE", readFileSync(join(root, "LICENSE"), "utf8"));

/**
 * `LICENSE`, and `THIRD-PARTY` with the texts of everything that a package holds.
 * @param entry what the package was bundled from
 * @param others what is in it besides npm packages
 */
export async function notices(entry: string, others: readonly Part[]): Promise<Entry[]> {
  const parts = [...others, ...(await bundledPackages(entry)).map(packagePart)];
  const texts = parts.map(({ name, text }) => `${name}\n\n${text.trim()}\n`);
  return [ownLicence(), textEntry("THIRD-PARTY", texts.join(RULE))];
}

/** @throws Error for a package without a licence's text */
function packagePart(folder: string): Part {
  // Every package has one, as npm wants it.
  const { name, version, license } = JSON.parse(
    readFileSync(join(root, folder, "package.json"), "utf8"),
  ) as { readonly name: string; readonly version: string; readonly license?: string };
  const found = licenceIn(join(root, folder));
  if (found === undefined) throw new Error(`${name} ${version} has no text of its licence`);
  return { name: `${name} ${version} (${license ?? "see below"})`, text: found };
}

/** Go, and the modules that the starter is made of. @throws Error where Go does not have them */
export async function goParts(): Promise<Part[]> {
  const go = (...words: readonly string[]) =>
    runProgram("go", words, { cwd: STARTER, env: process.env, timeoutMs: GO_MS_MAX });
  const parts: Part[] = [];
  for (const { name, version } of components) {
    const isModule = name.includes("/");
    // A build for one platform leaves out the modules of the others, which this gets.
    const { stdout } = isModule
      ? await go("mod", "download", "-json", name)
      : await go("env", "-json", "GOROOT");
    const { Dir = "", GOROOT = Dir } = JSON.parse(stdout) as { Dir?: string; GOROOT?: string };
    const text = licenceIn(GOROOT);
    if (text === undefined) throw new Error(`${name} has no text of its licence`);
    parts.push({ name: isModule ? `${name} ${version}` : name, text });
  }
  return parts;
}

function licenceIn(folder: string): string | undefined {
  if (folder === "" || !existsSync(folder)) return undefined;
  const name = readdirSync(folder).find((each) => /^licen[cs]e(?:\.(?:md|txt))?$/i.test(each));
  return name === undefined ? undefined : readFileSync(join(folder, name), "utf8");
}
