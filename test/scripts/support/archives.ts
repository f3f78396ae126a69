import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { zip as zipOf } from "../../../scripts/release/archive";

/** Programs by their path in an archive. */
export type Members = Readonly<Record<string, string>>;

/** Packs as a vendor's `.tar.gz` release does. */
export function tarGz(members: Members): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "erphost-archive-"));
  try {
    for (const [path, content] of Object.entries(members)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content, { mode: 0o755 });
    }
    const archive = join(folder, ".archive");
    execFileSync("tar", ["-czf", archive, "-C", folder, ...Object.keys(members)]);
    return readFileSync(archive);
  } finally {
    rmSync(folder, { recursive: true });
  }
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
