/** Whether an address is in a key's `ip_whitelist` (contract, part 5, item 8). */
import { BlockList, isIPv4, isIPv6 } from "node:net";

const MAPPED = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** `::ffff:192.0.2.1` → `192.0.2.1`; a zone such as `%eth0` is removed. */
export function plainAddress(address: string): string {
  const bare = address.replace(/%.*$/, "");
  return MAPPED.exec(bare)?.[1] ?? bare;
}

/** Parsed lists that are cached; the cache is emptied when it is full. */
const LISTS_MAX = 1_000;
const lists = new Map<string, BlockList>();

function listOf(entries: readonly string[]): BlockList {
  const name = JSON.stringify(entries);
  const known = lists.get(name);
  if (known) return known;
  const list = new BlockList();
  for (const entry of entries) add(list, entry);
  if (lists.size >= LISTS_MAX) lists.clear();
  lists.set(name, list);
  return list;
}

function add(list: BlockList, entry: string): void {
  const [text = "", prefix] = entry.split("/");
  const address = plainAddress(text);
  const family = isIPv4(address) ? "ipv4" : isIPv6(address) ? "ipv6" : undefined;
  if (!family) return;
  // The prefix of a range of mapped addresses includes the 96 bits of the mapping.
  const bits = Number(prefix) - (address !== text ? 96 : 0);
  if (prefix === undefined) list.addAddress(address, family);
  else if (bits >= 0) list.addSubnet(address, bits, family);
  else list.addSubnet(text, Number(prefix), "ipv6");
}

/** An empty list allows every address. Assumption: Empty list of addresses. */
export function addressAllowed(address: string, entries: readonly string[]): boolean {
  if (entries.length === 0) return true;
  const plain = plainAddress(address);
  return listOf(entries).check(plain, isIPv4(plain) ? "ipv4" : "ipv6");
}
