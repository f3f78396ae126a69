import { readFileSync, statSync } from "node:fs";
import { filesBelow } from "../../../scripts/bootstrap/files.cjs";

/** Files below some folders (links are not followed) that hold one of the texts, with the text. */
export function findTexts(
  places: readonly string[],
  texts: readonly string[],
): { readonly file: string; readonly text: string }[] {
  const files = places.flatMap((at) => (statSync(at).isFile() ? [at] : filesBelow(at)));
  return files.flatMap((file) => {
    const content = readFileSync(file, "latin1");
    return texts.filter((text) => content.includes(text)).map((text) => ({ file, text }));
  });
}
