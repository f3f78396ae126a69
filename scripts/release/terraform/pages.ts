/**
 * The pages that a registry shows. It takes them from the tagged commit of a repository that has a
 * name of its own (docs/decisions/0016), where nothing else of this checkout is.
 */
import { copyFileSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import { writeFiles } from "../../bootstrap/files.cjs";

/** What the registries read below docs/. */
const SHOWN =
  /^(?:index\.md|(?:actions|list-resources|resources|data-sources|ephemeral-resources|functions|guides)\/[^/]+\.md)$/;

/**
 * Copies the pages, with the licence.
 * @param root the checkout
 * @param at where the checkout's files are shown: `https://github.com/erphost/erphost/blob/v0.1.0`
 * @returns how many pages there are
 */
export function writePages(root: string, target: string, at: string): number {
  const docs = join(root, "docs");
  const files = readdirSync(docs, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => SHOWN.test(file) && statSync(join(docs, file)).isFile());
  for (const file of files) {
    const text = readFileSync(join(docs, file), "utf8");
    writeFiles(target, { [`docs/${file}`]: withWholeLinks(text, `docs/${file}`, at) });
  }
  copyFileSync(join(root, "LICENSE"), join(target, "LICENSE"));
  return files.length;
}

/** Links to other files lead to the checkout's home, because a registry has none of them. */
const withWholeLinks = (text: string, page: string, at: string): string =>
  text.replace(/\]\((?!https?:|#)([^)\s]+)\)/g, (_, link: string) => {
    const [path = "", heading] = link.split("#");
    const file = posix.join(posix.dirname(page), path);
    return `](${at}/${file}${heading === undefined ? "" : `#${heading}`})`;
  });
