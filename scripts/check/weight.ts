/**
 * How much somebody who takes the project over has to carry: the lines and files that people write.
 * What tools write (generated, locked or recorded) is marked in .gitattributes and counts as a file
 * that is tracked, no more; a table, a template or a text that generators read is written by people.
 */
import { execFileSync } from "node:child_process";
import { table } from "../../test/support/command-line";
import { trackedFiles, trackedPaths, type TrackedFile } from "./tracked";

/** What is counted; the same members as the limits have. */
export interface Weight {
  /** Lines that people write, blank ones and comments counted. */
  readonly lines: number;
  /** Files that people write. */
  readonly files: number;
  /** All files that git tracks, those of tools as well. */
  readonly tracked: number;
}

/** Each may only become smaller. */
const limits: Weight = { lines: 135_176, files: 1_187, tracked: 1_422 };

/** The first that matches counts. */
const ROOMS: readonly (readonly [room: string, pattern: RegExp])[] = [
  ["product", /^(?:provider|cdktf-bindings|cli|emulator|policies|templates)\//],
  ["tests", /^test\//],
  ["scripts", /^(?:scripts|\.ci)\//],
  ["docs", /^(?:docs\/|\.changeset\/|[^/]+\.md$)/],
  ["other", /^/],
];

/** A tool's list without an ending, such as .gitignore; a picture; the words of a licence. */
const NOT_WRITTEN = /(?:^|\/)(?:\.[^./]+|LICENSE)$|\.svg$/;

const linesOf = ({ text }: TrackedFile): number =>
  text.split("\n").length - (text.endsWith("\n") || text === "" ? 1 : 0);

const sum = (files: readonly TrackedFile[]): number =>
  files.reduce((lines, file) => lines + linesOf(file), 0);

/** A table by room, and a sentence for each limit that is passed. */
export function weigh(written: readonly TrackedFile[], tracked: number, atMost: Weight = limits) {
  const weight: Weight = { lines: sum(written), files: written.length, tracked };
  const roomOf = ({ path }: TrackedFile) => ROOMS.find(([, pattern]) => pattern.test(path))?.[0];
  const text = table(
    ["written", "lines", "files"],
    [
      ...ROOMS.map(([room]) => {
        const own = written.filter((file) => roomOf(file) === room);
        return [room, String(sum(own)), String(own.length)];
      }),
      ["all", `${weight.lines} of ${atMost.lines}`, `${weight.files} of ${atMost.files}`],
      ["tracked", "", `${tracked} of ${atMost.tracked}`],
    ],
  );
  const titles = { lines: "written lines", files: "written files", tracked: "tracked files" };
  const passed = (["lines", "files", "tracked"] as const)
    .filter((name) => weight[name] > atMost[name])
    .map((name) => `${weight[name]} ${titles[name]}, at most ${atMost[name]}.`);
  return { table: text, passed };
}

/** Weighs what people wrote in a checkout; `passed` names each limit that is. */
export function weighCheckout(root: string): ReturnType<typeof weigh> {
  const paths = trackedPaths(root);
  const answer = execFileSync("git", ["check-attr", "-z", "--stdin", "linguist-generated"], {
    cwd: root,
    encoding: "utf8",
    input: paths.join("\0"),
  });
  // Three fields for each path: its name, the attribute's, and `set` or `unspecified`.
  const fields = answer.split("\0");
  const byTools = new Set(paths.filter((_, index) => fields[3 * index + 2] === "set"));
  const isWritten = ({ path }: TrackedFile) => !byTools.has(path) && !NOT_WRITTEN.test(path);
  return weigh(trackedFiles(root).filter(isWritten), paths.length);
}
