/** The starter in Go, with a package inside: one executable for any platform, made on any other. */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { zstdCompressSync, constants } from "node:zlib";
import { inFolder } from "../../bootstrap/files.cjs";
import { findProgram, runProgram } from "../../bootstrap/programs.cjs";
import { checksum } from "../archive";
import type { PackedNode } from "./packed-node";

const SOURCE = join(__dirname, "starter");
const BUILD_MS_MAX = 10 * 60_000;
const LEVEL = 19;

/** What an executable holds. */
export interface Contents {
  /** As a person knows it, without a version. */
  readonly program: string;
  /** Where a person reads why it cannot start. */
  readonly complaints: "stdout" | "stderr";
  /** The oldest Node.js that runs the scripts, such as 22.19.0. */
  readonly needs: string;
  /** Seconds that the first run of a Node.js may take. */
  readonly patience: number;
  readonly node: Omit<PackedNode, "licence"> | undefined;
  /** Paths of all calls that there are; the starter refuses others. */
  readonly calls: readonly string[];
  /** What is answered without Node.js: bytes, by the path of the call. */
  readonly answers: Readonly<Record<string, Buffer>>;
  /** By file name. */
  readonly scripts: Readonly<Record<string, string>>;
}

/** Whether executables can be made on this machine. */
export const hasGo = (): boolean => findProgram("go", process.env["PATH"] ?? "") !== undefined;

/**
 * The same contents always give the same bytes. It is not signed afterwards: Go's linker signs
 * those for Apple's processors, and anything added later would break that.
 * @param platform system and architecture, as Go names them: linux-amd64
 */
export function starterWith(platform: string, contents: Contents): Promise<Buffer> {
  return inFolder("erphost-executable-", async (work) => {
    cpSync(SOURCE, work, { recursive: true });
    mkdirSync(join(work, "payload"), { recursive: true });
    writePayload(join(work, "payload"), contents);
    const [GOOS, GOARCH] = platform.split("-");
    const flags = ["-trimpath", "-buildvcs=false", "-ldflags", "-s -w -buildid="];
    const { code, output } = await runProgram("go", ["build", ...flags, "-o", "program", "."], {
      cwd: work,
      env: {
        ...process.env,
        ...{ GOOS, GOARCH, CGO_ENABLED: "0", GOFLAGS: "-mod=readonly", GOWORK: "off" },
      },
      timeoutMs: BUILD_MS_MAX,
    });
    if (code !== 0) throw new Error(`Go could not make it: ${output.trim()}`);
    return readFileSync(join(work, "program"));
  });
}

function writePayload(folder: string, { node, scripts, answers, ...rest }: Contents): void {
  if (node) writeFileSync(join(folder, "node.zst"), node.content);
  const members = Object.entries(answers).map(([path, content], index): [string, string] => {
    writeFileSync(join(folder, `${index}.answer`), content);
    return [path, `${index}.answer`];
  });
  const manifest = {
    ...rest,
    ...(node && { node: { name: node.version, size: node.size, sha256: node.sha256 } }),
    answers: Object.fromEntries(members),
    scripts: Object.entries(scripts).map(([name, text]) => {
      const content = Buffer.from(text, "latin1");
      const params = { [constants.ZSTD_c_compressionLevel]: LEVEL };
      writeFileSync(join(folder, `${name}.zst`), zstdCompressSync(content, { params }));
      return { name, size: content.length, sha256: checksum(content) };
    }),
  };
  writeFileSync(join(folder, "manifest.json"), JSON.stringify(manifest));
}
