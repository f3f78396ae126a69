/** The npm package as `npm publish` would send it, for whoever tries it before that. */
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { inFolder } from "../bootstrap/files.cjs";
import { withLock } from "../bootstrap/lock.cjs";
import { runProgram } from "../bootstrap/programs.cjs";
import { copyCheckout, trackedPaths } from "../check/tracked";
import { bundled } from "../supply-chain/lock-file.cjs";

/** What the package is made of. */
const SOURCES =
  /^(?:provider|emulator|cli|cdktf-bindings|policies|scripts\/(?:build\.ts|publish\/declarations\.ts|run\.cjs|tasks\.cjs|bootstrap\/.*|generate\/cdktf\/.*)|(?:package|package-lock|schema|tsconfig.*)\.json|README\.md|LICENSE)(?:\/|$)/;

const PACK_MS_MAX = 15 * 60_000;

/**
 * Packs a copy of the checkout, so that nobody's `dist/` is touched; once per state of the sources.
 * @param root the checkout
 * @returns the archive
 */
export async function packed(root: string): Promise<string> {
  const cache = join(root, "node_modules/.cache/erphost-packed");
  const folder = join(cache, stampOf(root));
  return withLock(`${cache}.lock`, "the package", async () => {
    if (!existsSync(folder)) {
      rmSync(cache, { recursive: true, force: true });
      mkdirSync(cache, { recursive: true });
      await pack(root, folder);
    }
    return archiveIn(folder);
  });
}

function stampOf(root: string): string {
  const hash = createHash("sha256");
  for (const path of trackedPaths(root).filter((each) => SOURCES.test(each))) {
    hash.update(`${path}\n`).update(readFileSync(join(root, path)));
  }
  return hash.digest("hex").slice(0, 16);
}

function pack(root: string, into: string): Promise<void> {
  const draft = `${into}.draft`;
  return inFolder("erphost-pack-", async (work) => {
    copyCheckout(root, join(work, "checkout"));
    unlinkBundled(join(work, "checkout/node_modules"));
    mkdirSync(draft);
    // `prepack` builds what is packed.
    const words = ["pack", "--silent", "--ignore-scripts=false", "--pack-destination", draft];
    const options = { cwd: join(work, "checkout"), env: process.env, timeoutMs: PACK_MS_MAX };
    const { code, output } = await runProgram("npm", words, options);
    if (code !== 0) throw new Error(`npm pack failed:\n${output}`);
    archiveIn(draft);
    renameSync(draft, into);
  });
}

/** npm packs nothing that is behind a link: what the package brings is copied. */
function unlinkBundled(modules: string): void {
  const from = realpathSync(modules);
  const brought = new Set(bundled().map((folder) => folder.split("/")[1]));
  rmSync(modules);
  mkdirSync(modules);
  for (const name of readdirSync(from)) {
    if (brought.has(name)) cpSync(join(from, name), join(modules, name), { recursive: true });
    else symlinkSync(join(from, name), join(modules, name));
  }
}

function archiveIn(folder: string): string {
  const name = readdirSync(folder).find((file) => file.endsWith(".tgz"));
  if (name === undefined) throw new Error(`npm pack left no archive in ${folder}`);
  return join(folder, name);
}
