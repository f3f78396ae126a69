/** A program as one executable: Node itself with a bundle inside, for machines without Node.js. */
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Marks where Node looks for what was put into it. */
const FUSE = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/**
 * Made from the Node.js that runs this, for its own platform. About 125 MB.
 * @param bundle JavaScript that needs no other file
 */
export async function singleExecutable(bundle: string): Promise<Buffer> {
  const work = mkdtempSync(join(tmpdir(), "erphost-executable-"));
  const file = (name: string): string => join(work, name);
  try {
    writeFileSync(file("bundle.cjs"), bundle, "latin1");
    const config = {
      main: file("bundle.cjs"),
      output: file("blob"),
      disableExperimentalSEAWarning: true,
      useCodeCache: true,
      // NODE_OPTIONS is meant for other programs.
      execArgvExtension: "none",
    };
    writeFileSync(file("sea.json"), JSON.stringify(config));
    execFileSync(process.execPath, ["--experimental-sea-config", file("sea.json")], {
      stdio: "ignore",
    });
    copyFileSync(process.execPath, file("program"));
    chmodSync(file("program"), 0o755);
    const postject = require("postject") as {
      inject(path: string, name: string, content: Buffer, options: object): Promise<void>;
    };
    const blob = readFileSync(file("blob"));
    await postject.inject(file("program"), "NODE_SEA_BLOB", blob, { sentinelFuse: FUSE });
    return readFileSync(file("program"));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
