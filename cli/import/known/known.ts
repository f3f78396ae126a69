/** Objects that a program or a state has already, however that is known. */
import type { DeclaredName } from "../program/model";

/** Where an object is kept: in the program in the folder, or in a state. */
export interface KnownObject {
  readonly in: "program" | "state";
  /** Undefined: it may be anywhere. */
  readonly place: DeclaredName | undefined;
}

/** By kind, then by what an import names the object by: an id, or `name=…`. */
export class KnownObjects {
  private readonly byKind = new Map<string, Map<string, KnownObject>>();

  /** By place: the objects that are said to be there. */
  private readonly claims = new Map<string, Set<string>>();

  /** The first that is said of an object counts. @param alias another id of the same object */
  add(kind: string, id: string, known: KnownObject, alias?: string): void {
    if (known.place) {
      const claim = claimOf(kind, known.place);
      this.claims.set(claim, (this.claims.get(claim) ?? new Set()).add(id));
    }
    const objects = this.byKind.get(kind) ?? new Map<string, KnownObject>();
    this.byKind.set(kind, objects);
    for (const each of alias === undefined ? [id] : [id, alias]) {
      if (!objects.has(each)) objects.set(each, known);
    }
  }

  /** Any of the names by which an object may be known. */
  find(kind: string, ids: readonly string[]): KnownObject | undefined {
    const objects = this.byKind.get(kind);
    return ids.map((id) => objects?.get(id)).find((known) => known !== undefined);
  }

  /**
   * Where a reference to an object may lead. Nowhere, where another object is said to be in the same
   * place: a state may be another program's, and a record older than what the program has become.
   */
  placeOf(kind: string, id: string): DeclaredName | undefined {
    const place = this.find(kind, [id])?.place;
    return place && this.claims.get(claimOf(kind, place))?.size === 1 ? place : undefined;
  }

  /** Every place of a kind, so that no other object gets its name. */
  places(kind: string): DeclaredName[] {
    return [...(this.byKind.get(kind)?.values() ?? [])].flatMap(({ place }) => place ?? []);
  }
}

const claimOf = (kind: string, { name, key }: DeclaredName): string =>
  JSON.stringify([kind, name, key]);
