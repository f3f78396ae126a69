/** Writing generated files, or telling which ones are stale. */
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { version } from "prettier/package.json";

/** Files by path below the checkout, with their text. */
export type Generated = Readonly<Record<string, string>>;

/** Files that keep the form that others gave them; its patterns start at the working folder. */
const IGNORED = ".prettierignore";

/** Formats as the checkout does, so that what is generated passes the same checks; or not at all. */
async function format(root: string, path: string, text: string): Promise<string> {
  // Loaded only here: most runs find every file as it was.
  const prettier = require("prettier") as typeof import("prettier");
  const { ignored } = await prettier.getFileInfo(path, { ignorePath: IGNORED });
  if (ignored) return text;
  const options = await prettier.resolveConfig(join(root, path));
  return prettier.format(text, { ...options, filepath: path });
}

/** Writes what differs, or only reports it; answers the paths that differed. */
export async function emit(root: string, files: Generated, write: boolean): Promise<string[]> {
  const formatted = new Formatted(root);
  const stale: string[] = [];
  for (const [path, text] of Object.entries(files)) {
    const target = join(root, path);
    const present = read(target);
    if (present !== undefined && formatted.has(path, text, present)) continue;
    const wanted = await format(root, path, text);
    formatted.add(path, text, wanted);
    if (present === wanted) continue;
    stale.push(path);
    if (!write) continue;
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, wanted);
  }
  formatted.save();
  return stale;
}

const REMEDY = "Generated files are stale. Run `npm run generate` and commit the result.";

/** What is said of the paths that differed, and the exit code. */
export function reported(stale: readonly string[], write: boolean) {
  if (write) return { lines: stale.map((path) => `wrote ${path}`), code: 0 };
  const lines = stale.map((path) => `stale: ${path}`);
  return stale.length === 0 ? { lines, code: 0 } : { lines: [...lines, REMEDY], code: 1 };
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined; // Not there yet: stale.
  }
}

/** What it remembers; the oldest are forgotten. */
const ENTRIES_MAX = 4_000;

/** What the formatter reads besides the text. */
export const SETTINGS = [".prettierrc.json", ".prettierignore", ".editorconfig"];

const hashOf = (...texts: readonly string[]): string =>
  createHash("sha256").update(texts.join("\0")).digest("base64url");

/**
 * Which text the formatter makes of a generated one, by hash: most generated files are as they were,
 * and formatting them all again is what takes longest.
 */
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
