import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { crc32, deflateRawSync } from "node:zlib";

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
export function zip(members: Members): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, content] of Object.entries(members)) {
    const name = Buffer.from(path);
    const packed = deflateRawSync(content);
    // From the version needed to the length of the name, both kinds of header agree.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(Buffer.byteLength(content), 18);
    common.writeUInt16LE(name.length, 22);
    files.push(Buffer.from("PK\u0003\u0004"), common, name, packed);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.from("PK\u0001\u0002"), Buffer.from([20, 3]), common, place, name);
    offset += 30 + name.length + packed.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(Object.keys(members).length, 4);
  end.writeUInt16LE(Object.keys(members).length, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...files, listed, Buffer.from("PK\u0005\u0006"), end]);
}
