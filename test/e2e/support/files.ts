import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Files below some folders (links are not followed) that hold one of the texts, with the text. */
export function findTexts(
  places: readonly string[],
  texts: readonly string[],
): { readonly file: string; readonly text: string }[] {
  return places.flatMap(filesBelow).flatMap((file) => {
    const content = readFileSync(file, "latin1");
    return texts.filter((text) => content.includes(text)).map((text) => ({ file, text }));
  });
}

function filesBelow(place: string): string[] {
  if (statSync(place).isFile()) return [place];
  return readdirSync(place, { withFileTypes: true }).flatMap((entry) => {
    const path = join(place, entry.name);
    if (entry.isSymbolicLink()) return [];
    return entry.isDirectory() ? filesBelow(path) : entry.isFile() ? [path] : [];
  });
}
