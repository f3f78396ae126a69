/**
 * Which text the formatter makes of a generated one, by hash: most generated files are as they were,
 * and formatting them all again is what takes longest.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { version } from "prettier/package.json";

/** What it remembers; the oldest are forgotten. */
const ENTRIES_MAX = 4_000;

/** What the formatter reads besides the text. */
export const SETTINGS = [".prettierrc.json", ".prettierignore", ".editorconfig"];

const hashOf = (...texts: readonly string[]): string =>
  createHash("sha256").update(texts.join("\0")).digest("base64url");

export class Formatted {
  readonly #file: string;
  readonly #settings: string;
  /** Hash of the formatted text by that of the other. */
  readonly #known: Map<string, string>;
  #isChanged = false;

  constructor(root: string) {
    this.#file = join(root, "node_modules/.cache/erphost-formatted.json");
    const settings = SETTINGS.map((name) => readFileSync(join(root, name), "utf8"));
    this.#settings = hashOf(version, ...settings);
    this.#known = new Map(remembered(this.#file));
  }

  /** Whether `text` is what the formatter makes of `raw`; false where that is not known. */
  has(path: string, raw: string, text: string): boolean {
    return this.#known.get(hashOf(this.#settings, path, raw)) === hashOf(text);
  }

  /** Remembers what the formatter made. */
  add(path: string, raw: string, text: string): void {
    this.#known.set(hashOf(this.#settings, path, raw), hashOf(text));
    this.#isChanged = true;
  }

  /** For the runs to come. Of several at once, the last one counts: the others only format again. */
  save(): void {
    if (!this.#isChanged) return;
    mkdirSync(dirname(this.#file), { recursive: true });
    const draft = `${this.#file}.${process.pid}`;
    writeFileSync(draft, JSON.stringify([...this.#known].slice(-ENTRIES_MAX)));
    renameSync(draft, this.#file);
    this.#isChanged = false;
  }
}

function remembered(file: string): [string, string][] {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as [string, string][];
  } catch {
    return []; // The first run, or what another release of this code has left.
  }
}
