/**
 * All that this run knows of ids, names, rotators and declarations, as facts. What hosts
 * show leaves the same memory in any order and twice, as long as each object has one declaration; of
 * what this run does, the last word counts. A fact that breaks an invariant is refused where it is noted.
 *
 * The invariants: no id answers two creates; none that a create of this run was answered is deleted
 * by it before the host shows that its state holds it; none that the program adopts, or may adopt, is
 * deleted as what a state before the adoption held; a key has one rotator.
 */
import { message, type Message, type Subject } from "../messages";
import { EngineError, engineError } from "./errors";
import type { Identity, State } from "./types";

/** An object of the service. */
export interface Ref {
  readonly kind: string;
  readonly id: string;
}

export type Fact =
  /** The host plans a declaration; `hasState` where it has an object under it: once known stays known. */
  | {
      readonly is: "declared";
      readonly identity: Identity;
      readonly hasState?: boolean | undefined;
    }
  /** A declaration is to create an object of this name. */
  | { readonly is: "named"; readonly kind: string; readonly name: string; readonly by: string }
  /**
   * A state of the host holds the object: the one that its declaration has now, unless `live` is
   * false, as of what is about to be deleted.
   */
  | {
      readonly is: "inState";
      readonly at: Ref;
      readonly identity?: Identity;
      readonly live: boolean;
    }
  /** An id of an object in a state, or about to be in one, by which that is not known: a key's own. */
  | { readonly is: "alias"; readonly at: Ref }
  /** The state that a declaration is planned from, and the mark in it of what was taken over. */
  | {
      readonly is: "plannedFrom";
      readonly at: Ref;
      readonly identity: Identity;
      readonly mark: string | undefined;
    }
  /** Proved to be gone: whatever has its name may take its place in the state. */
  | { readonly is: "gone"; readonly at: Ref }
  /** A create was answered this id; `key` is the first of a line of derived keys. */
  | {
      readonly is: "made";
      readonly at: Ref;
      readonly by: string;
      readonly key?: string | undefined;
    }
  /** A declaration adopts the object, or is going to; `mark` is what the state will be known by. */
  | { readonly is: "adopted"; readonly at: Ref; readonly by: string; readonly mark?: string }
  /** A declaration is to adopt what is not found yet, perhaps since its state renamed the object. */
  | {
      readonly is: "sought";
      readonly kind: string;
      readonly by: string;
      readonly reference: string;
    }
  /** Taken over from an earlier run, by an entry or on a person's word. */
  | { readonly is: "taken"; readonly at: Ref; readonly mark: string }
  | { readonly is: "deleted"; readonly at: Ref }
  /** `made`: the rotator itself created the key, whatever was claimed before. */
  | { readonly is: "rotates"; readonly keyId: string; readonly by: string; readonly made?: true }
  /** The list of a kind can't be read: this run does not ask for its names again. */
  | { readonly is: "unlisted"; readonly kind: string }
  /** This run has begun to change something in the service. */
  | { readonly is: "changed" };

interface Known {
  isInState?: boolean;
  /** Which declaration's create was answered it. */
  maker?: string;
  adoption?: { readonly by: string; readonly mark?: string | undefined };
  takenAs?: string;
}

/** What is known of one declaration of the host's program. */
export interface Declared {
  /** Whether the host has a state for it. */
  readonly hasState?: true;
  /** The object in that state. */
  readonly live?: Ref;
  /** The same as it was last planned from, with the mark in that state. */
  readonly from?: { readonly at: Ref; readonly mark: string | undefined };
}

const keyOf = ({ kind, id }: Ref): string => `${kind} ${id}`;

export class Ledger {
  private readonly objects = new Map<string, Known>();
  private readonly declarations = new Map<string, Declared>();
  /** Which declarations plan to create an object of a kind and name. */
  private readonly names = new Map<string, Set<string>>();
  private readonly sought = new Map<string, string>();
  private readonly rotators = new Map<string, string>();
  private readonly madeByKey = new Map<string, string>();
  private readonly unlisted = new Set<string>();
  /** Everything that a state ever held, what is gone or deleted now included; by kind, and in all. */
  private readonly shownOfKind = new Map<string, Set<string>>();
  private readonly shownInAll = new Set<string>();
  private hasPlanned = false;
  private hasChangedService = false;

  /** @throws EngineError `answered_twice`, `adopted_twice`, `two_rotators` */
  note(fact: Fact): void {
    // Each fact has one meaning, which its own line gives.
    switch (fact.is) {
      case "declared":
        this.hasPlanned = true;
        return fact.hasState ? this.know(fact.identity, { hasState: true }) : undefined;
      case "named":
        return this.nameIs(fact);
      case "inState":
        return this.isInStateNow(fact);
      case "alias":
        return void (this.of(fact.at).isInState = true);
      case "plannedFrom":
        return this.know(fact.identity, { from: { at: fact.at, mark: fact.mark } });
      case "gone":
        return this.isGone(fact.at);
      case "made":
        return this.isMade(fact);
      case "adopted":
        return this.isAdopted(fact);
      case "sought":
        return void this.sought.set(`${fact.kind} ${fact.by}`, fact.reference);
      case "taken":
        return void (this.of(fact.at).takenAs = fact.mark);
      case "deleted":
        return void this.objects.delete(keyOf(fact.at));
      case "rotates":
        return this.isRotatedBy(fact);
      case "unlisted":
        return void this.unlisted.add(fact.kind);
      case "changed":
        this.hasChangedService = true;
    }
  }

  /** Whether the host's state holds this object, by what this process was shown. */
  inState(at: Ref): boolean {
    return this.objects.get(keyOf(at))?.isInState === true;
  }

  /** Everything that a state of the host holds, as a plan note has it. */
  idsInState(): readonly string[] {
    return [...this.objects].flatMap(([key, { isInState }]) => (isInState ? [key] : []));
  }

  /** Everything that states of the host were known by when they were shown; of all kinds by default. */
  shown(kind?: string): ReadonlySet<string> {
    return kind === undefined ? this.shownInAll : (this.shownOfKind.get(kind) ?? new Set());
  }

  /** The declaration whose create was answered this id. */
  maker(at: Ref): string | undefined {
    return this.objects.get(keyOf(at))?.maker;
  }

  /** Whether a create here was answered it, or a state holds it. */
  isKnown(at: Ref): boolean {
    return this.inState(at) || this.maker(at) !== undefined;
  }

  /** What the first of a line of derived keys led to. */
  madeUnder(key: string): string | undefined {
    return this.madeByKey.get(key);
  }

  declared(identity: Identity): Declared {
    return (identity !== undefined && this.declarations.get(identity)) || {};
  }

  /** The other declarations that plan to create an object of this name. */
  othersNamed({ kind, name, by }: Omit<Extract<Fact, { is: "named" }>, "is">): readonly string[] {
    return [...(this.names.get(`${kind} ${name}`) ?? [])].filter((other) => other !== by);
  }

  isUnlisted(kind: string): boolean {
    return this.unlisted.has(kind);
  }

  /** Whether this run has planned, and changed nothing: then another process may apply. */
  get isPlanOnly(): boolean {
    return this.hasPlanned && !this.hasChangedService;
  }

  get hasChanged(): boolean {
    return this.hasChangedService;
  }

  /** Why a state cannot be of this object: the program adopts it, and another state comes of that. */
  adoptionOf(kind: string, { id, private: { resumed } }: State): Message | undefined {
    const adoption = this.objects.get(keyOf({ kind, id }))?.adoption;
    if (!adoption || (adoption.mark !== undefined && adoption.mark === resumed)) return undefined;
    return message("adopts_held", { subject: { kind, id }, by: adoption.by });
  }

  /**
   * Whether a create took over or adopted the very object that the host deletes, since nothing showed
   * that the state held it: in this process, or in one that ended before this delete.
   */
  isTakenOver(kind: string, { id, private: { resumed } }: State): boolean {
    const at = keyOf({ kind, id });
    const [from] = [...this.declarations.values()].flatMap((declared) =>
      declared.from && keyOf(declared.from.at) === at ? [declared.from] : [],
    );
    const mark = this.objects.get(at)?.takenAs ?? from?.mark;
    return mark !== undefined && mark !== resumed;
  }

  /** Call before a delete of what a state of this declaration holds. */
  assertDeletable(subject: Subject, prior: State, identity: Identity): void {
    const { kind } = subject;
    const by = identity ?? "";
    const sought = this.sought.get(`${kind} ${by}`);
    if (sought !== undefined) throw engineError("adopts_held", { subject, by, sought });
    const adopted = this.adoptionOf(kind, prior);
    if (adopted) throw new EngineError(adopted);
    const at = { kind, id: prior.id };
    if (this.maker(at) !== undefined && !this.inState(at)) {
      throw engineError("own_create", { subject: at });
    }
  }

  private of(at: Ref): Known {
    const known = this.objects.get(keyOf(at)) ?? {};
    this.objects.set(keyOf(at), known);
    return known;
  }

  private know(identity: Identity, more: Declared): void {
    if (identity === undefined) return;
    this.declarations.set(identity, { ...this.declarations.get(identity), ...more });
  }

  private nameIs({ kind, name, by }: Extract<Fact, { is: "named" }>): void {
    const key = `${kind} ${name}`;
    this.names.set(key, (this.names.get(key) ?? new Set()).add(by));
  }

  private isInStateNow({ at, identity, live }: Extract<Fact, { is: "inState" }>): void {
    this.of(at).isInState = true;
    this.shownInAll.add(keyOf(at));
    this.shownOfKind.set(at.kind, (this.shownOfKind.get(at.kind) ?? new Set()).add(keyOf(at)));
    if (live) this.know(identity, { live: at });
  }

  private isGone(at: Ref): void {
    for (const [identity, { live, hasState: _, ...rest }] of this.declarations) {
      if (live && keyOf(live) === keyOf(at)) this.declarations.set(identity, rest);
    }
  }

  private isMade({ at, by, key }: Extract<Fact, { is: "made" }>): void {
    const known = this.of(at);
    const other = known.maker ?? (known.isInState ? "a state" : undefined);
    if (other !== undefined) throw engineError("answered_twice", { subject: at, by, other });
    known.maker = by;
    if (key !== undefined) this.madeByKey.set(key, at.id);
  }

  private isAdopted({ at, by, mark }: Extract<Fact, { is: "adopted" }>): void {
    const known = this.of(at);
    const other = known.maker ?? known.adoption?.by;
    if (other !== undefined && other !== by) {
      throw engineError("adopted_twice", { subject: at, by, other });
    }
    known.adoption = { by, mark: mark ?? known.adoption?.mark };
    this.sought.delete(`${at.kind} ${by}`);
  }

  private isRotatedBy({ keyId, by, made }: Extract<Fact, { is: "rotates" }>): void {
    const other = this.rotators.get(keyId);
    if (!made && other !== undefined && other !== by) {
      throw engineError("two_rotators", { keyId, other });
    }
    this.rotators.set(keyId, by);
  }
}
