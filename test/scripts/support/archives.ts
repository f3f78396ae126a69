import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { folder } from "../../support/folder";
import { zip as zipOf } from "../../../scripts/release/archive";

/** Programs by their path in an archive. */
export type Members = Readonly<Record<string, string>>;

/** Packs as a vendor's `.tar.gz` release does. */
export function tarGz(members: Members): Buffer {
  const at = folder();
  for (const [path, content] of Object.entries(members)) {
    mkdirSync(dirname(join(at, path)), { recursive: true });
    writeFileSync(join(at, path), content, { mode: 0o755 });
  }
  const archive = join(at, ".archive");
  execFileSync("tar", ["-czf", archive, "-C", at, ...Object.keys(members)]);
  return readFileSync(archive);
}

/** Packs as a vendor's `.zip` release does. */
export const zip = (members: Members): Buffer =>
  zipOf(
    Object.entries(members).map(([name, content]) => ({
      name,
      content: Buffer.from(content),
      executable: true,
    })),
  );
