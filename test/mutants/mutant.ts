/** Mutants: patches that break one promise of the product, and the tests that must notice. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Mutant {
  /** Folder and file without its ending: `engine/folder-is-open-to-others`. */
  readonly name: string;
  /** Folder below `test/` whose unit tests must notice. */
  readonly room: string;
  /** The patch, absolute. */
  readonly file: string;
  /** The claim that no longer holds. */
  readonly breaks: string;
  /** The test file that must notice, from the root of the checkout. */
  readonly tests: string;
}

/** A patch of this many changed lines is more than one mutation. */
const CHANGED_MAX = 12;

/** Every mutant, by name. @throws Error that names the patch that is not as it must be */
export function readMutants(root: string): readonly Mutant[] {
  const folder = join(root, "test", "mutants");
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".patch"))
    .map((path) => readMutant(root, path.replaceAll("\\", "/")))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function readMutant(root: string, path: string): Mutant {
  const file = join(root, "test", "mutants", path);
  const text = readFileSync(file, "utf8");
  const refuse = (reason: string): never => {
    throw new Error(`test/mutants/${path} ${reason}.`);
  };
  const header = (word: string): string =>
    new RegExp(`^${word}: (.+)$`, "m").exec(text)?.[1]?.trim() ??
    refuse(`has no line "${word}: …" before the patch`);
  const room = path.split("/")[0] ?? "";
  const mutant = {
    name: path.replace(/\.patch$/, ""),
    room,
    file,
    breaks: header("Breaks"),
    tests: header("Tests"),
  };
  if (!mutant.tests.startsWith(`test/${room}/`) || !existsSync(join(root, mutant.tests))) {
    refuse(`names ${mutant.tests}, which is not a test file of its room, test/${room}`);
  }
  const patched = [...text.matchAll(/^\+\+\+ b\/(.+)$/gm)].map((match) => match[1] ?? "");
  if (patched.length === 0 || patched.some((one) => /^(?:test|docs|scripts|demo)\//.test(one))) {
    refuse("must change product code, and nothing else");
  }
  const changed = text.split("\n").filter((line) => /^[+-](?![+-]{2} )/.test(line)).length;
  if (changed > CHANGED_MAX) {
    refuse(`changes ${changed} lines; one mutation takes at most ${CHANGED_MAX}`);
  }
  return mutant;
}
