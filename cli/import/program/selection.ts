/** Which objects are wanted. */
import type { Kind } from "../../../provider/resources";
import type { AccountRecord } from "../account/page";

/** What the options ask for. */
export interface Selection {
  /** Patterns, of which an object's name has to match one; none: every object. */
  readonly names: readonly RegExp[];
  /** Of which an object's status has to be one; none: every object. */
  readonly statuses: readonly string[];
  /** Patterns of the free fields that are written. */
  readonly properties: readonly RegExp[];
}

/** What has no name or no status is not wanted where one is asked for. */
export function isSelected({ fields }: AccountRecord, { names, statuses }: Selection): boolean {
  const { name, status } = fields;
  const byName = typeof name === "string" && names.some((pattern) => pattern.test(name));
  const byStatus = typeof status === "string" && statuses.includes(status);
  return (names.length === 0 || byName) && (statuses.length === 0 || byStatus);
}

/** `erp-*` as a pattern of whole names: `*` is any text, `?` any one character. */
export function globPattern(glob: string): RegExp {
  const plain = glob.replace(/[\\^$.|+()[\]{}]/g, "\\$&");
  return new RegExp(`^${plain.replaceAll("*", ".*").replaceAll("?", ".")}$`, "su");
}

/** Kinds in an order in which each comes after those that it refers to. */
export function inOrder(kinds: readonly Kind[]): Kind[] {
  const ordered = new Set<Kind>();
  const place = (kind: Kind, above: readonly Kind[]): void => {
    if (above.includes(kind)) return;
    for (const { references } of Object.values(kind.fields)) {
      const target = kinds.find(({ name }) => name === references);
      if (target) place(target, [...above, kind]);
    }
    ordered.add(kind);
  };
  for (const kind of kinds) place(kind, []);
  return [...ordered];
}
