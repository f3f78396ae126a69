/** Process namespaces, as containers have them: what is in one ends with its first process. */
import { spawnSync } from "node:child_process";

const COMMON = ["--pid", "--fork", "--kill-child", "--mount-proc"] as const;
/** As root, and as anybody where the system lets people make namespaces. */
const FORMS = [
  ["unshare", ...COMMON, "--"],
  ["unshare", "--user", "--map-current-user", ...COMMON, "--"],
] as const;
const TIMEOUT_MS = 10_000;

/** What starts a command in a process namespace of its own, or why there is none on this machine. */
export interface Container {
  readonly within: readonly string[] | undefined;
  readonly why: string;
}

let found: Container | undefined;

/** Tried once per process. */
export const container = (): Container => (found ??= tryForms());

function tryForms(): Container {
  let why = "";
  for (const within of FORMS) {
    const [program, ...args] = within;
    const options = { encoding: "utf8", timeout: TIMEOUT_MS } as const;
    const { status, stderr, error } = spawnSync(program, [...args, "true"], options);
    if (status === 0) return { within, why: "" };
    why = error?.message ?? stderr.trim();
  }
  return { within: undefined, why };
}
