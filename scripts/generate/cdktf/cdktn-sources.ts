/**
 * The sources of `erphost/cdktn`, which git does not hold: L1 by cdktn's generator, and the
 * constructs that are written for cdktf with cdktn in their imports. They lie where the build and
 * `npm run check -- types` compile them, and where the tests of the constructs find L1.
 *
 * `node -r ts-node/register scripts/generate/cdktf/cdktn-sources.ts` brings them up to date.
 */
import { createHash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { filesBelow, writeFiles } from "../../bootstrap/files.cjs";
import type { Generated } from "../files";

const root = join(__dirname, "../../..");
const ROOM = join(root, "cdktf-bindings");
const TREE = join(root, "dist/sources/cdktf-bindings/cdktn");
const L1 = "generated/";

/** The committed SHA-256 of each file of cdktn's L1, which shows in review when it changes. */
export const CDKTN_HASHES = "cdktf-bindings/cdktn-l1.gen.json";

/** SHA-256 by path. */
export type Hashes = Readonly<Record<string, string>>;

/** The hashes of files by path; texts are hashed as they are. */
export const hashesOf = (files: Generated): Hashes =>
  Object.fromEntries(
    Object.entries(files).map(([path, text]) => [
      path,
      createHash("sha256").update(text).digest("hex"),
    ]),
  );

/** Writes the sources; L1 is generated only where it is not what the committed hashes say. */
export async function writeCdktnSources(): Promise<void> {
  const present = textsBelow(TREE);
  const wanted = { ...constructs(), ...(await l1Files(present)) };
  for (const path of Object.keys(present)) {
    if (!(path in wanted)) rmSync(join(TREE, path));
  }
  const changed = Object.entries(wanted).filter(([path, text]) => present[path] !== text);
  writeFiles(TREE, Object.fromEntries(changed));
}

async function l1Files(present: Generated): Promise<Generated> {
  const current = Object.fromEntries(
    Object.entries(present).filter(([path]) => path.startsWith(L1)),
  );
  if (sameAsCommitted(current)) return current;
  // Loaded only here: the generator and the provider's schema take seconds.
  const { l1 } = require("./l1") as typeof import("./l1");
  return Object.fromEntries(
    Object.entries(await l1("cdktn")).map(([path, text]) => [`${L1}${path}`, text]),
  );
}

function sameAsCommitted(current: Generated): boolean {
  const committed: unknown = JSON.parse(readFileSync(join(root, CDKTN_HASHES), "utf8"));
  const hashes = Object.entries(hashesOf(current)).map(([path, hash]) => [
    path.slice(L1.length),
    hash,
  ]);
  return isDeepStrictEqual(Object.fromEntries(hashes), committed);
}

/** The hand-written constructs, word for word but for the library's name and one folder more. */
function constructs(): Generated {
  return Object.fromEntries(
    Object.entries(textsBelow(ROOM))
      .filter(([path]) => path.endsWith(".ts") && !path.startsWith(L1))
      .map(([path, text]) => {
        const moved = text
          .replaceAll(/"(erphost\/)?cdktf"/g, '"$1cdktn"')
          .replaceAll(/"((?:\.\.\/)+)provider\//g, '"../$1provider/');
        return [path, `// Made by the build from cdktf-bindings/${path}. Do not edit.\n${moved}`];
      }),
  );
}

/** Text by path, in order of the paths; nothing where there is no such folder. */
const textsBelow = (folder: string): Generated =>
  Object.fromEntries(
    filesBelow(folder).map((path) => [
      relative(folder, path).replaceAll("\\", "/"),
      readFileSync(path, "utf8"),
    ]),
  );

if (require.main === module) {
  writeCdktnSources().catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
}
