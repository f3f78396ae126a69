/** A generated part of a page that people write. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(__dirname, "../..");

/**
 * The whole page with one part replaced: what stands between `<!-- NAME: generated … -->` and
 * `<!-- NAME: end -->`.
 *
 * @throws Error where the page lacks the markers
 */
export function between(page: string, name: string, part: string): string {
  const text = readFileSync(join(ROOT, page), "utf8");
  const start = new RegExp(`<!-- ${name}: generated [^>]*-->`).exec(text);
  const end = text.indexOf(`<!-- ${name}: end -->`);
  if (start === null || end < start.index) throw new Error(`${page} lacks the markers of ${name}`);
  return `${text.slice(0, start.index + start[0].length)}\n\n${part}\n\n${text.slice(end)}`;
}
