/** Files of a commit, in a folder of their own: nothing of the checkout is in their reach. */
import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import type { Job } from "../job";

const FILES_MAX = 200;
const BYTES_MAX = 1024 ** 2;
/** What people are spared of a commit; `^` is the one before it. */
const COMMIT_REST = /(?<=^\w{12})\w+/;

export interface Wanted {
  readonly commit: string;
  readonly folder: string;
  readonly names: RegExp;
}

/** Where the files are, and a hash of what they are called and hold. */
export interface Taken {
  readonly folder: string;
  readonly hash: string;
  /** From the top of the repository. */
  readonly paths: readonly string[];
}

/** A path of the repository, as git writes it; undefined where it leads out of it. */
export function inRepository(path: string): string | undefined {
  const plain = posix.normalize(path.replace(/\\/g, "/")).replace(/\/$/, "");
  const leads = plain === ".." || plain.startsWith("../") || posix.isAbsolute(plain);
  return leads || /^[A-Za-z]:/.test(plain) ? undefined : plain;
}

/** @throws Error where the commit is not in the checkout, or holds too many files */
export async function takeFiles(job: Job, { commit, folder, names }: Wanted): Promise<Taken> {
  const place = folder === "." ? [] : [folder];
  const words = ["ls-tree", "-r", "-z", "-l", "--full-tree"];
  const listed = await job.git([...words, commit, "--", ...place]);
  if (listed.code !== 0) {
    throw new Error(
      `The commit ${commit.replace(COMMIT_REST, "")}, by whose rules the plan is judged, is not in the checkout. Check out the whole history: fetch-depth: 0 on GitHub, GIT_DEPTH: 0 on GitLab.`,
    );
  }
  const files = listed.stdout.split("\0").flatMap((line) => {
    // Links and other repositories are left out: they lead elsewhere.
    const [, id, bytes, path] = /^100(?:644|755) blob (\w+) +(\d+)\t(.*)$/s.exec(line) ?? [];
    const isWanted = path !== undefined && names.test(path) && !SHADOWING.test(path);
    return isWanted && id !== undefined ? [{ id, path, bytes: Number(bytes) }] : [];
  });
  const size = files.reduce((sum, { bytes }) => sum + bytes, 0);
  if (files.length > FILES_MAX || size > BYTES_MAX) {
    throw new Error(
      `The folder ${folder} holds more than ${FILES_MAX} files or 1 MiB. Put the rules into a folder of their own.`,
    );
  }
  const name = createHash("sha256").update(`${commit} ${folder}`).digest("hex");
  const into = join(job.work, `rules-${name}`);
  const hash = createHash("sha256");
  for (const { id, path } of files) {
    const { code, stdout } = await job.git(["cat-file", "blob", id]);
    if (code !== 0) throw new Error(`git cannot read ${path} of ${commit}.`);
    hash.update(JSON.stringify([path, stdout]));
    mkdirSync(dirname(join(into, path)), { recursive: true, mode: 0o700 });
    writeFileSync(join(into, path), stdout, { mode: 0o600 });
  }
  return { folder: into, hash: hash.digest("hex"), paths: files.map(({ path }) => path) };
}

/** What would decide where an import leads. */
const SHADOWING = /(?:^|\/)(?:node_modules\/|package\.json$)/;
