/**
 * Who is at the other end of a connection on the loopback address. The plugin acts with the key of
 * its own user, and every user of the machine can connect to its port.
 */
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { endianness } from "node:os";

export type Peer = Pick<Socket, "localAddress" | "localPort" | "remoteAddress" | "remotePort">;

/** Linux lists every connection here with the user that opened it, for either version of IP. */
const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"];
const ESTABLISHED = "01";

/**
 * Tells whether a peer runs as the user `uid`. A connection that its owner has closed is listed
 * as root's, and is nobody's here. Every peer passes where the tables cannot tell: there are none,
 * or they leave out even this process's own port, as in sandboxes and WSL 1. The port is listed
 * whatever a peer does, because the process listens on it.
 */
export const ofUser =
  (uid: number | undefined, rowsOf: (table: string) => readonly string[] = readRows) =>
  (peer: Peer): boolean => {
    if (uid === undefined) return true;
    // One that has left is not to be found, and what it sent may still be read.
    if (peer.localAddress === undefined || peer.remoteAddress === undefined) return false;
    const rows = TABLES.flatMap(rowsOf).map((row) => row.trim().split(/\s+/));
    const theirs = endText(peer.remoteAddress, peer.remotePort);
    const ours = endText(peer.localAddress, peer.localPort);
    const isListed = rows.some(([, from = ""]) => from.endsWith(ours));
    if (!isListed) return true;
    return rows.some(
      ([, from = "", to = "", state, , , , owner, , inode]) =>
        from.endsWith(theirs) &&
        to.endsWith(ours) &&
        state === ESTABLISHED &&
        Number(owner) === uid &&
        inode !== "0",
    );
  };

function readRows(table: string): readonly string[] {
  try {
    return readFileSync(table, "utf8").split("\n");
  } catch {
    return []; // Not Linux, or hidden.
  }
}

/** `127.0.0.1`, 80 → `0100007F:0050`, as the tables write it; in the second more digits come first. */
function endText(address: string | undefined, port: number | undefined): string {
  const bytes = Buffer.from((address ?? "").split(".").map(Number));
  if (endianness() === "LE") bytes.reverse();
  const text = `${bytes.toString("hex")}:${(port ?? 0).toString(16).padStart(4, "0")}`;
  return text.toUpperCase();
}
