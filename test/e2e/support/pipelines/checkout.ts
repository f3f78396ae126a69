/** A repository that machines clone, with a branch of a pull request. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeFiles } from "../../../../scripts/bootstrap/files.cjs";
import { git } from "../../../support/git";

/** Texts by their paths below the folder of the program. */
export type Files = Readonly<Record<string, string>>;

/** Where the guides have the program. */
const PROGRAM = "infra";
/** Rules of one's own, from the top of the repository. */
export const RULES_FILE = "policy/rules.ts";
/** One of them, which needs erphost's at run time. */
export const RULES = `import { checkPlan, type Rules } from "erphost/policies";
const isThere = typeof checkPlan === "function";
const check: Rules[string]["check"] = ({ objects }) =>
  objects.flatMap(({ address, name }) => name === "slow" && isThere ? [{ address, why: "is slow" }] : []);
export const rules: Rules = { "no-slow-servers": { level: "refuse", check } };
`;

/** @typeParam P what the forge keeps of a pull request */
export class Origin<P> {
  readonly folder = mkdtempSync(join(tmpdir(), "erphost-origin-"));
  /** The newest commit of main before the last push. */
  before = "";
  private branches = 0;
  private current: { readonly branch: string; readonly pull: P } | undefined;

  /**
   * @param files of the first commit on main, by their paths from the top, next to the rules
   * @param opened opens a pull request of a commit
   */
  constructor(
    files: Files,
    private readonly opened: (commit: string) => P,
  ) {
    git(this.folder, "init", "--quiet", "--initial-branch", "main");
    this.add({ ...files, [RULES_FILE]: RULES });
  }

  /** Of the pull request that was opened last. */
  get branch(): string {
    return this.current?.branch ?? "main";
  }

  commitOf(ref: string): string {
    return git(this.folder, "rev-parse", ref);
  }

  /** Of the program, on the branch of the pull request, which is opened where none is. */
  change(files: Files): { pull: P; head: string } {
    const { branch, pull } = (this.current ??= this.begin());
    git(this.folder, "checkout", "--quiet", branch);
    const paths = Object.entries(files).map(([path, text]) => [join(PROGRAM, path), text] as const);
    this.add(Object.fromEntries(paths));
    git(this.folder, "checkout", "--quiet", "main");
    return { pull, head: this.commitOf(branch) };
  }

  private begin() {
    const branch = `change-${(this.branches += 1)}`;
    git(this.folder, "branch", branch, "main");
    return { branch, pull: this.opened(this.commitOf(branch)) };
  }

  /** Merges the pull request, after which another one is opened by the next change. */
  merge(): { pull: P; commit: string } {
    if (!this.current) throw new Error("no pull request is open");
    const { branch, pull } = this.current;
    this.before = this.commitOf("main");
    this.current = undefined;
    git(this.folder, "merge", "--quiet", "--no-ff", "--message", "a merge", branch);
    return { pull, commit: this.commitOf("main") };
  }

  private add(files: Files): void {
    writeFiles(this.folder, files);
    git(this.folder, "add", "--all");
    git(this.folder, "commit", "--quiet", "--message", "a change");
  }

  /** A clone, as a runner makes it. @param remote the address that it believes to be cloned from */
  clone(into: string, ref: string, remote: string): void {
    git(this.folder, "clone", "--quiet", "--branch", ref, this.folder, into);
    git(into, "remote", "set-url", "origin", remote);
    git(into, "remote", "set-head", "origin", "main");
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
