/** Which process wrote an intent, and whether it still lives. */
import { createHash } from "node:crypto";
import { execFileSync } from "node:child_process";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

export interface Processes {
  /** `PID-START-PLACE`, never the same for two processes. */
  readonly self: string;
  isAlive(owner: string): boolean;
  /** Whether it runs where this process sees none: on another machine, or in another container. */
  isElsewhere?(owner: string): boolean;
  /** Works at this interval in milliseconds, as long as the process has something else to do. */
  every?(ms: number, work: () => void): () => void;
}

/**
 * A process is its id and its start, since ids are reused. On Linux the start is read from `/proc`,
 * elsewhere from `ps`. Where neither works, a process with that id counts as alive, so that nothing
 * of a living process is ever claimed; where one works, its id alone shows nothing.
 */
export function systemProcesses(pid: number): Processes {
  const own = startOf(pid);
  const place = placeOf();
  return {
    self: `${pid}-${own ?? "0"}-${place}`,
    isElsewhere(owner) {
      const [, , where = place] = owner.split("-");
      return where !== place;
    },
    isAlive(owner) {
      const [id = "", start] = owner.split("-");
      if (!exists(Number(id))) return false;
      const now = startOf(Number(id));
      return now === undefined || now === start || (start === "0" && own === undefined);
    },
  };
}

/** One boot of one machine, and what of its processes can be seen: containers share all but the last. */
function placeOf(): string {
  let seen = hostname();
  try {
    seen = `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8")} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    // Only Linux has these.
  }
  return createHash("sha256").update(seen).digest("hex").slice(0, 12);
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"; // Another user's, and alive.
  }
}

/** Field 22 of /proc/PID/stat, after the name, which may hold spaces and brackets. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const state = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state[0] === "Z") return "zombie";
    return state[19];
  } catch (error) {
    // Without `/proc`. Elsewhere it would give a living process another start than its own.
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    return isMissing ? startFromPs(pid) : undefined;
  }
}

function startFromPs(pid: number): string | undefined {
  try {
    const started = execFileSync("ps", ["-o", "lstart=", "-p", String(pid)], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
    return started === ""
      ? undefined
      : createHash("sha256").update(started).digest("hex").slice(0, 12);
  } catch {
    return undefined; // Then the process counts as alive.
  }
}
