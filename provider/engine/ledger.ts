/**
 * All that this run knows of ids, names, rotators and declarations, as facts. What hosts
 * show leaves the same memory in any order and twice, as long as each object has one declaration; of
 * what this run does, the last word counts. A fact that breaks an invariant is refused where it is noted.
 *
 * The invariants: no id answers two creates; none that a create of this run was answered is deleted
 * by it before the host shows that its state holds it; none that the program adopts, or may adopt, is
 * deleted as what a state before the adoption held; a key has one rotator.
 */
import type { Values } from "../contract";
import { message, type Message, type Subject } from "../messages";
import { EngineError, engineError } from "./errors";
import type { Identity, State } from "./types";

export interface Ref {
  readonly kind: string;
  readonly id: string;
}

export type Fact = Readonly<
  /** The host plans a declaration; `hasState` where it has an object under it: once known stays known. */
  | { is: "declared"; identity: Identity; hasState?: boolean | undefined }
  /** A declaration is to create an object of this name. */
  | { is: "named"; kind: string; name: string; by: string }
  /** A state holds the object; `live` false: it is to be deleted, and not the declaration's own. */
  | { is: "inState"; at: Ref; identity?: Identity; live: boolean }
  /** An id of an object in a state, or about to be in one, by which that is not known: a key's own. */
  | { is: "alias"; at: Ref }
  /** The state that a declaration is planned from, and the mark in it of what was taken over. */
  | { is: "plannedFrom"; at: Ref; identity: Identity; mark: string | undefined }
  /** Proved to be gone: whatever has its name may take its place in the state. */
  | { is: "gone"; at: Ref }
  /** A create was answered this id. */
  | { is: "made"; at: Ref; by: string }
  /** A declaration adopts the object, or is going to; `mark` is what the state will be known by. */
  | { is: "adopted"; at: Ref; by: string; mark?: string | undefined }
  /** A declaration is to adopt what is not found yet, perhaps since its state renamed the object. */
  | { is: "sought"; kind: string; by: string; reference: string }
  /** Taken over from an earlier run, by an entry or on a person's word. */
  | { is: "taken"; at: Ref; mark: string }
  /** With what its state had, where it was this run that deleted it. */
  | { is: "deleted"; at: Ref; identity?: Identity; values?: Values | false }
  /** One key of the declaration led to what was deleted: the others did not. */
  | { is: "explained"; identity: Identity }
  /** `made`: the rotator itself created the key, whatever was claimed before. */
  | { is: "rotates"; keyId: string; by: string; made?: true }
  /** The list of a kind can't be read: this run does not ask for its names again. */
  | { is: "unlisted"; kind: string }
  /** This run has begun to change something in the service. */
  | { is: "changed" }
>;

interface Known {
  readonly isInState?: true;
  /** Which declaration's create was answered it. */
  readonly maker?: string;
  readonly adoption?: { readonly by: string; readonly mark?: string | undefined };
  readonly takenAs?: string;
}

/** What is known of one declaration of the host's program. */
export interface Declared {
  readonly hasState?: true;
  /** The object in the host's state. */
  readonly live?: Ref;
  /** The same as it was last planned from, with the mark in that state. */
  readonly from?: { readonly at: Ref; readonly mark: string | undefined };
  /** What its state had of the object that this run has deleted. */
  readonly deleted?: Values | undefined;
}

const keyOf = ({ kind, id }: Ref): string => `${kind} ${id}`;

/** Adds to what is known under a key; nothing can be known without one. */
function learn<K, T extends object>(known: Map<K, T>, key: K, more: T): void {
  if (key !== undefined) known.set(key, Object.assign(known.get(key) ?? {}, more));
}

/** Stands for all kinds. */
const ALL = "";

export class Ledger {
  private readonly objects = new Map<string, Known>();
  private readonly declared = new Map<Identity, Declared>();
  /** Nothing where the host gives no identity. */
  readonly declarations: ReadonlyMap<Identity, Declared> = this.declared;
  /** Which declarations plan to create an object of a kind and name. */
  private readonly names = new Map<string, Set<string>>();
  private readonly sought = new Map<string, string>();
  private readonly rotators = new Map<string, string>();
  private readonly unlistedKinds = new Set<string>();
  readonly unlisted: ReadonlySet<string> = this.unlistedKinds;
  /** Everything that a state ever held, what is gone or deleted now included; by kind, and in all. */
  private readonly shownOf = new Map<string, Set<string>>();
  private hasPlanned = false;
  private hasChangedService = false;

  /** @throws EngineError `answered_twice`, `adopted_twice`, `two_rotators` */
  note(fact: Fact): void {
    // Each fact has one meaning, which its own lines give.
    switch (fact.is) {
      case "declared":
        this.hasPlanned = true;
        if (fact.hasState) learn(this.declared, fact.identity, { hasState: true });
        return;
      case "named": {
        const name = `${fact.kind} ${fact.name}`;
        return void this.names.set(name, (this.names.get(name) ?? new Set()).add(fact.by));
      }
      case "inState":
        learn(this.objects, keyOf(fact.at), { isInState: true });
        for (const kind of [fact.at.kind, ALL]) {
          this.shownOf.set(kind, (this.shownOf.get(kind) ?? new Set()).add(keyOf(fact.at)));
        }
        if (fact.live) learn(this.declared, fact.identity, { live: fact.at });
        return;
      case "alias":
        return learn(this.objects, keyOf(fact.at), { isInState: true });
      case "plannedFrom":
        return learn(this.declared, fact.identity, { from: { at: fact.at, mark: fact.mark } });
      case "gone":
        for (const [identity, { live, hasState: _, ...rest }] of this.declared) {
          if (live && keyOf(live) === keyOf(fact.at)) this.declared.set(identity, rest);
        }
        return;
      case "made": {
        const { at, by } = fact;
        const { maker, isInState } = this.objects.get(keyOf(at)) ?? {};
        const other = maker ?? (isInState ? "a state" : undefined);
        if (other !== undefined) throw engineError("answered_twice", { subject: at, by, other });
        return learn(this.objects, keyOf(at), { maker: by });
      }
      case "adopted": {
        const { at, by, mark } = fact;
        const { maker, adoption } = this.objects.get(keyOf(at)) ?? {};
        const other = maker ?? adoption?.by;
        if (other !== undefined && other !== by) {
          throw engineError("adopted_twice", { subject: at, by, other });
        }
        learn(this.objects, keyOf(at), { adoption: { by, mark: mark ?? adoption?.mark } });
        return void this.sought.delete(`${at.kind} ${by}`);
      }
      case "sought":
        return void this.sought.set(`${fact.kind} ${fact.by}`, fact.reference);
      case "taken":
        return learn(this.objects, keyOf(fact.at), { takenAs: fact.mark });
      case "deleted":
        if (fact.values) learn(this.declared, fact.identity, { deleted: fact.values });
        return void this.objects.delete(keyOf(fact.at));
      case "explained":
        return learn(this.declared, fact.identity, { deleted: undefined });
      case "rotates": {
        const { keyId, by } = fact;
        const other = this.rotators.get(keyId);
        if (!fact.made && other !== undefined && other !== by) {
          throw engineError("two_rotators", { keyId, other });
        }
        return void this.rotators.set(keyId, by);
      }
      case "unlisted":
        return void this.unlistedKinds.add(fact.kind);
      case "changed":
        this.hasChangedService = true;
    }
  }

  /** Whether the host's state holds this object, by what this process was shown. */
  inState(at: Ref): boolean {
    return this.objects.get(keyOf(at))?.isInState === true;
  }

  idsInState(): readonly string[] {
    return [...this.objects].flatMap(([key, { isInState }]) => (isInState ? [key] : []));
  }

  /** Everything that states of the host were known by when they were shown; of all kinds by default. */
  shown(kind = ALL): ReadonlySet<string> {
    return this.shownOf.get(kind) ?? new Set();
  }

  maker(at: Ref): string | undefined {
    return this.objects.get(keyOf(at))?.maker;
  }

  /** Whether this run's create of a declaration was answered. */
  hasMade(by: Identity): boolean {
    return [...this.objects.values()].some(({ maker = "" }) => maker === by);
  }

  isKnown(at: Ref): boolean {
    return this.inState(at) || this.maker(at) !== undefined;
  }

  othersNamed({ kind, name, by }: Omit<Extract<Fact, { is: "named" }>, "is">): readonly string[] {
    return [...(this.names.get(`${kind} ${name}`) ?? [])].filter((other) => other !== by);
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
   * Whether this run imported, adopted or took over the very object that is deleted, since nothing showed
   * that the state held it: in this process, or in one that ended before this delete.
   */
  isTakenOver(kind: string, { id, private: { resumed } }: State): boolean {
    const at = keyOf({ kind, id });
    const from = [...this.declared.values()].find(
      (declared) => declared.from && keyOf(declared.from.at) === at,
    )?.from;
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
}
