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
 * as root's, and is nobody's here. Without such a table every peer passes.
 */
export const ofUser =
  (uid: number | undefined, rowsOf: (table: string) => readonly string[] = readRows) =>
  (peer: Peer): boolean => {
    const rows = TABLES.flatMap(rowsOf);
    if (uid === undefined || rows.length === 0) return true;
    const theirs = endText(peer.remoteAddress, peer.remotePort);
    const ours = endText(peer.localAddress, peer.localPort);
    return rows.some((row) => {
      const [, from = "", to = "", state, , , , owner, , inode] = row.trim().split(/\s+/);
      return (
        from.endsWith(theirs) &&
        to.endsWith(ours) &&
        state === ESTABLISHED &&
        Number(owner) === uid &&
        inode !== "0"
      );
    });
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
