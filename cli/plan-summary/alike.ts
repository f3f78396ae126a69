/** Changes that are the same but for an index in their address: one line says them all. */

/** Objects of which everything is said at once, in the order of the first one. */
export interface Group<T> {
  /** `erphost_server.s[*]`; of one object its address. */
  readonly address: string;
  /** `0–999`; none of one object. */
  readonly keys: readonly string[];
  readonly items: readonly [T, ...T[]];
}

/** Two are as short by themselves. */
const GROUP_MIN = 3;
const INDEX = /\[(?:\d+|"(?:[^"\\]|\\.)*")\]/g;

/** @param textOf all that is said of an object, but for its address */
export function alike<T extends { readonly address: string }>(
  items: readonly T[],
  textOf: (item: T) => string,
): Group<T>[] {
  const found = Map.groupBy(items, (item) =>
    JSON.stringify([patternOf(item.address), textOf(item)]),
  );
  return [...found.values()].flatMap((group): Group<T>[] => {
    const [first, ...more] = group;
    if (first && group.length >= GROUP_MIN) {
      const keys = keysOf(group.map((item) => item.address));
      return [{ address: patternOf(first.address), keys, items: [first, ...more] }];
    }
    return group.map((item) => ({ address: item.address, keys: [], items: [item] }));
  });
}

/** Pulumi and CDKTF put a number into the name. */
const patternOf = (address: string): string =>
  address.search(INDEX) >= 0 ? address.replace(INDEX, "[*]") : address.replace(/\d+(?=\D*$)/, "*");

function keysOf(addresses: readonly string[]): string[] {
  const keys = addresses.map((address) => {
    const indexes = address.match(INDEX)?.map((index) => index.slice(1, -1).replaceAll('"', ""));
    return indexes?.join("/") ?? /\d+(?=\D*$)/.exec(address)?.[0] ?? "";
  });
  return keys.every((key) => /^\d{1,15}$/.test(key)) ? rangesOf(keys.map(Number)) : keys;
}

function rangesOf(numbers: readonly number[]): string[] {
  const ranges: [from: number, to: number][] = [];
  for (const number of numbers.toSorted((one, other) => one - other)) {
    const last = ranges.at(-1);
    if (last && number <= last[1] + 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`));
}
