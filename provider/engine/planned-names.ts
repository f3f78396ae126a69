/** Names that a run plans to give: two objects of one name are rarely meant. */
import type { OperationOptions } from "./types";

export class NamesGuard {
  /** Which declaration plans to create an object of this name: its identity, where it has one. */
  private readonly planned = new Map<string, string | undefined>();
  private readonly reported = new Set<string>();
  private readonly unread = new Set<string>();

  /**
   * Whether another declaration of this run plans the same. Hosts that give an identity may plan a
   * declaration repeatedly, the others plan each once unless they say otherwise.
   */
  isPlannedTwice(kind: string, name: string, { identity, replans }: OperationOptions): boolean {
    if (identity === undefined && replans) return false;
    const key = `${kind} ${name}`;
    const isKnown = this.planned.has(key);
    const other = this.planned.get(key);
    if (!isKnown) this.planned.set(key, identity);
    return isKnown && (identity === undefined || other !== identity);
  }

  /** The names of a kind could not be read: this run does not ask for them again. */
  noteUnread(kind: string): void {
    this.unread.add(kind);
  }
  isUnread(kind: string): boolean {
    return this.unread.has(kind);
  }

  /** True once for each name. */
  isNew(key: string): boolean {
    const isNew = !this.reported.has(key);
    this.reported.add(key);
    return isNew;
  }
}
