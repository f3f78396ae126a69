/** Mutants: patches that break one promise of the product, and the tests that must notice. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Mutant {
  /** Room and what is broken: `engine/folder-is-open-to-others`. */
  readonly name: string;
  /** Folder below `test/` whose unit tests must notice, and the file of patches. */
  readonly room: string;
  /** What `git apply` takes. */
  readonly patch: string;
  /** The claim that no longer holds. */
  readonly breaks: string;
  /** The test file that must notice, from the root of the checkout. */
  readonly tests: string;
}

/** A patch of this many changed lines is more than one mutation. */
const CHANGED_MAX = 12;

/** Every mutant of test/mutants/ROOM.patch, by name. @throws Error that names one that is not as it must be */
export function readMutants(root: string): readonly Mutant[] {
  const folder = join(root, "test", "mutants");
  return readdirSync(folder)
    .filter((file) => file.endsWith(".patch"))
    .flatMap((file) => {
      const parts = readFileSync(join(folder, file), "utf8").split(/^(?=Mutant: )/m);
      return parts.map((part) => readMutant(root, file.replace(/\.patch$/, ""), part));
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

function readMutant(root: string, room: string, text: string): Mutant {
  const refuse = (reason: string): never => {
    throw new Error(`test/mutants/${room}.patch: ${text.split("\n")[0] ?? ""} ${reason}.`);
  };
  const header = (word: string): string =>
    new RegExp(`^${word}: (.+)$`, "m").exec(text)?.[1]?.trim() ??
    refuse(`has no line "${word}: …" before the patch`);
  const mutant = {
    name: `${room}/${header("Mutant")}`,
    room,
    patch: text.slice(text.search(/^--- /m)).replace(/\n*$/, "\n"),
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
