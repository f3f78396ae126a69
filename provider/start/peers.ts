/** What an entry needs of packages that its program installs, and only programs that use it. */

/** A package that an entry builds on. */
export interface Peer {
  readonly name: string;
  /** What npm is asked for, where not every release fits. */
  readonly install?: string;
  /** With the name written out, so that bundlers see it. */
  readonly load: () => void;
}

/**
 * Loads the packages that an entry builds on.
 * @throws Error where some are missing: a sentence with the command that installs them
 */
export function loadPeers(entry: string, peers: readonly Peer[]): void {
  const missing = peers.filter(({ name }) => peers.some(({ load }) => lacks(load, name)));
  if (missing.length === 0) return;
  const [are, them] = missing.length > 1 ? ["are", "them"] : ["is", "it"];
  const names = missing.map(({ name }) => name).join(" and ");
  const command = ["npm install", ...missing.map(({ name, install = name }) => install)].join(" ");
  const refusal = new Error(
    `${entry} needs ${names}, which ${are} not installed. Install ${them}: ${command}`,
  );
  // Where it was noticed helps nobody; on lines of its own, because Node.js prints it in brackets.
  refusal.stack = `\n${refusal.message}\n`;
  throw refusal;
}

/** A package that is there, and misses one of its own, has a fault that its own words describe. */
function lacks(load: () => void, name: string): boolean {
  try {
    load();
    return false;
  } catch (error) {
    return (
      error instanceof Error &&
      "code" in error &&
      error.code === "MODULE_NOT_FOUND" &&
      error.message.startsWith(`Cannot find module '${name}'`)
    );
  }
}
