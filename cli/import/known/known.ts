/** Objects that a program or a state has already, however that is known. */
import type { Place } from "../program/model";

/** Where an object is kept: in the program in the folder, or in a state. */
export interface KnownObject {
  readonly in: "program" | "state";
  /** Undefined: it may be anywhere. */
  readonly place: Place | undefined;
}

/** By kind, then by what an import names the object by: an id, or `name=…`. */
export class KnownObjects {
  private readonly byKind = new Map<string, Map<string, KnownObject>>();

  /** The first that is said of an object counts. */
  add(kind: string, id: string, known: KnownObject): void {
    const objects = this.byKind.get(kind) ?? new Map<string, KnownObject>();
    this.byKind.set(kind, objects);
    if (!objects.has(id)) objects.set(id, known);
  }

  /** Any of the names by which an object may be known. */
  find(kind: string, ids: readonly string[]): KnownObject | undefined {
    const objects = this.byKind.get(kind);
    for (const id of ids) {
      const known = objects?.get(id);
      if (known) return known;
    }
    return undefined;
  }

  /** Every place of a kind, so that no other object gets its name. */
  places(kind: string): Place[] {
    return [...(this.byKind.get(kind)?.values() ?? [])].flatMap(({ place }) => place ?? []);
  }
}
