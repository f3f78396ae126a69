import { execFileSync } from "node:child_process";

const running = () =>
  execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" })
    .split("\n")
    .map((line) => /^ *(\d+) +(\d+) +(.*)$/.exec(line))
    .filter((row) => row !== null)
    .map(([, pid, parent, args = ""]) => ({ pid: Number(pid), parent: Number(parent), args }));

/**
 * SIGKILL to the processes below `ancestor` whose command line contains a text (default: to all),
 * including those in other process groups. Returns false if there were none.
 */
export function killBelow(ancestor: number | undefined, text = ""): boolean {
  if (ancestor === undefined) return false;
  const all = running();
  const below = new Set([ancestor]);
  for (let before = 0; before !== below.size;) {
    before = below.size;
    for (const { pid, parent } of all) if (below.has(parent)) below.add(pid);
  }
  const victims = all.filter(
    ({ pid, args }) => below.has(pid) && pid !== ancestor && args.includes(text),
  );
  for (const { pid } of victims) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has already exited.
    }
  }
  return victims.length > 0;
}
