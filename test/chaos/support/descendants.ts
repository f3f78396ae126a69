/** Processes below one that we started. */
import { execFileSync } from "node:child_process";

/** Ids of the processes below `ancestor`, children in process groups of their own included, whose command line contains a text. */
function descendants(ancestor: number, text: string): number[] {
  const rows = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" })
    .split("\n")
    .map((line) => /^ *(\d+) +(\d+) +(.*)$/.exec(line))
    .filter((row) => row !== null)
    .map(([, pid, parent, args]) => ({ pid: Number(pid), parent: Number(parent), args }));
  const below = new Set([ancestor]);
  for (let before = 0; before !== below.size;) {
    before = below.size;
    for (const { pid, parent } of rows) if (below.has(parent)) below.add(pid);
  }
  return rows
    .filter(({ pid, args }) => below.has(pid) && pid !== ancestor && args?.includes(text))
    .map(({ pid }) => pid);
}

/** SIGKILL to those (default: all); false: there were none. */
export function killBelow(ancestor: number | undefined, text = ""): boolean {
  if (ancestor === undefined) return false;
  const found = descendants(ancestor, text);
  for (const pid of found) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended already.
    }
  }
  return found.length > 0;
}
