/** Whether an address is in a key's `ip_whitelist` (contract, part 5, item 8). */
import { BlockList, isIPv4, isIPv6 } from "node:net";

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** `::ffff:192.0.2.1` → `192.0.2.1`; a zone such as `%eth0` is removed. */
export function plainAddress(address: string): string {
  const bare = address.replace(/%.*$/, "");
  return MAPPED.exec(bare)?.[1] ?? bare;
}

interface Lists {
  readonly ipv4: BlockList;
  /** Apart, because Node.js counts every IPv4 address as one of `::/0`. */
  readonly ipv6: BlockList;
}

function add(lists: Lists, entry: string): void {
  const [text = "", prefix] = entry.split("/");
  const address = plainAddress(text);
  const family = isIPv4(address) ? "ipv4" : isIPv6(address) ? "ipv6" : undefined;
  if (!family) return;
  // The prefix of a range of mapped addresses includes the 96 bits of the mapping.
  const bits = Number(prefix) - (address !== text ? 96 : 0);
  if (prefix === undefined) lists[family].addAddress(address, family);
  else if (bits >= 0) lists[family].addSubnet(address, bits, family);
  else lists.ipv6.addSubnet(text, Number(prefix), "ipv6");
}

/**
 * Whether a key may be used from an address; an empty list allows every one.
 * Assumption: Empty list of addresses.
 * Assumption: Families of addresses.
 */
export function addressAllowed(address: string, entries: readonly string[]): boolean {
  if (entries.length === 0) return true;
  const plain = plainAddress(address);
  const family = isIPv4(plain) ? "ipv4" : "ipv6";
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const entry of entries) add(lists, entry);
  return lists[family].check(plain, family);
}
