/**
 * The Node.js that executables hold: the official ones, which npm has as packages by platform. They
 * are pinned by the integrity of their packages, and kept in this user's cache, ready to be packed.
 */
import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { constants, zstdCompress } from "node:zlib";
import { baseFolder, isWhole, makeEntry } from "../../engines/cache.cjs";
import { unpack } from "../../engines/unpack.cjs";
import { pinnedArchive } from "../../bootstrap/install-with-npm.cjs";
import { withLock } from "../../bootstrap/lock.cjs";
import { step } from "../../bootstrap/progress.cjs";
import { checksum } from "../archive";
import pins from "./node-binaries.json";

const ROOT = join(__dirname, "..", "..", "..");
const PACKED = "node.zst";
const FACTS = "facts.json";
const LICENCE = "LICENSE";
/** The packages for Windows hold the program alone; the licence is the same for every platform. */
const WITH_LICENCE = pins["darwin-amd64"];

/** Above 27, a reader needs an option that allows it as much memory. */
const WINDOW_LOG = 27;

/** For a release, in 100 seconds and 30 MB; for a developer's own machine, in five and 37 MB. */
const LEVELS = { best: 22, quick: 9 };

/** A Node.js as a package holds it. */
export interface PackedNode {
  readonly version: string;
  /** Of the program itself, in bytes. */
  readonly size: number;
  /** Of the program itself. */
  readonly sha256: string;
  /** The program, compressed with zstd. */
  readonly content: Buffer;
  /** Its own, and those of what is in it. */
  readonly licence: string;
}

type Pin = (typeof pins)["linux-amd64"];

interface Wanted {
  readonly platform: string;
  readonly pin: Pin;
  readonly level: number;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * @param platform such as linux-amd64
 * @param effort how well it is compressed, unless better is there already
 * @throws Error where npm cannot get it, or got something else
 */
export async function packedNode(
  platform: string,
  env: NodeJS.ProcessEnv,
  effort: "best" | "quick",
): Promise<PackedNode> {
  const pin = (pins as Readonly<Record<string, Pin>>)[platform];
  if (pin === undefined) throw new Error(`there is no Node.js for ${platform}`);
  const cache = join(baseFolder(env), "runtimes");
  const placeOf = (level: number): string => {
    const how = createHash("sha256").update(
      JSON.stringify([pin, level, WINDOW_LOG, "stripped", LICENCE]),
    );
    return join(cache, `node-${platform}-${pin.version}-${how.digest("hex").slice(0, 16)}`);
  };
  const isThere = (folder: string) => isWhole(folder, { programs: [PACKED, FACTS, LICENCE] });
  const level = isThere(placeOf(LEVELS.best)) ? LEVELS.best : LEVELS[effort];
  const folder = placeOf(level);
  await withLock(`${folder}.lock`, `Node.js for ${platform}`, async () => {
    if (isThere(folder)) return;
    await makeEntry(folder, (work) => fill(work, { platform, pin, level, env }), pin.package);
  });
  // Written below.
  const facts = JSON.parse(readFileSync(join(folder, FACTS), "utf8")) as Omit<
    PackedNode,
    "content" | "licence"
  >;
  const licence = readFileSync(join(folder, LICENCE), "utf8");
  return { ...facts, content: readFileSync(join(folder, PACKED)), licence };
}

/** @returns the files that it has written into the folder */
async function fill(work: string, { platform, pin, level, env }: Wanted): Promise<string[]> {
  const download = ({ package: name, ...pinned }: Pin) =>
    pinnedArchive(ROOT, env, { name, ...pinned, folder: work });
  const archive = await step(`getting ${pin.package} ${pin.version} with npm`, () => download(pin));
  const isForWindows = platform.startsWith("windows-");
  const program = isForWindows ? "node.exe" : "node";
  await unpack(archive, { folder: "package/bin", programs: [program] }, work, env);
  const other = isForWindows ? await download(WITH_LICENCE) : archive;
  await unpack(other, { folder: "package", programs: [LICENCE] }, work, env);
  for (const file of new Set([archive, other])) rmSync(file);
  const whole = readFileSync(join(work, program));
  rmSync(join(work, program));
  // What is signed stays as it is.
  const content = platform.startsWith("linux-") ? withoutSymbols(whole) : whole;
  const params = {
    [constants.ZSTD_c_compressionLevel]: level,
    [constants.ZSTD_c_enableLongDistanceMatching]: 1,
    [constants.ZSTD_c_windowLog]: WINDOW_LOG,
  };
  const packed = await step(`compressing Node.js for ${platform} (once)`, () =>
    promisify(zstdCompress)(content, { params }),
  );
  writeFileSync(join(work, PACKED), packed);
  const facts = { version: pin.version, size: content.length, sha256: checksum(content) };
  writeFileSync(join(work, FACTS), JSON.stringify(facts));
  return [PACKED, FACTS, LICENCE];
}

const ELF_MAGIC = 0x464c457f;
const LOADED = 1;

/**
 * A program for Linux without what only debuggers read: the end of the file, after everything that
 * is loaded into memory.
 * @param elf 64 bits, little-endian
 */
function withoutSymbols(elf: Buffer): Buffer {
  if (elf.readUInt32LE(0) !== ELF_MAGIC) throw new Error("it is not a program for Linux");
  const headersAt = Number(elf.readBigUInt64LE(0x20));
  const headerSize = elf.readUInt16LE(0x36);
  const headerCount = elf.readUInt16LE(0x38);
  let end = headersAt + headerSize * headerCount;
  for (let index = 0; index < headerCount; index += 1) {
    const at = headersAt + headerSize * index;
    if (elf.readUInt32LE(at) !== LOADED) continue;
    const segmentAt = Number(elf.readBigUInt64LE(at + 0x08));
    end = Math.max(end, segmentAt + Number(elf.readBigUInt64LE(at + 0x20)));
  }
  const kept = Buffer.from(elf.subarray(0, end));
  // There is no table of sections any more: its place, its length and the section of names.
  kept.writeBigUInt64LE(0n, 0x28);
  kept.writeUInt16LE(0, 0x3c);
  kept.writeUInt16LE(0, 0x3e);
  return kept;
}
