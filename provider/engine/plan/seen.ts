/** What was shown and seen before planning. Plan functions use it, and no call, clock or disk. */
import type { Contract, InputIssue, ServiceRecord, Values } from "../../contract";
import type { Message, Subject } from "../../messages";
import { check, type Checked, type Kind } from "../../resources";
import type { Advice, EngineOptions, Findings, Identity, OperationOptions, Scope } from "../types";
import type { State } from "../types";

/** `N`: whether it asks what has the name of a create. */
export interface Shown<N extends boolean = boolean> {
  readonly identity?: Identity;
  /** Whether the host has an object under this identity. Once known stays known. */
  readonly hasState?: boolean | undefined;
  readonly prior?: State;
  readonly declared?: Values;
  /** A create is planned, whose name may be taken: at most one list is read for it. */
  readonly names?: N;
  /** What is to be deleted: of a create, the state of its predecessor, as far as the host shows it. */
  readonly replaces?: State | undefined;
  /** A create takes over this object, by `ID` or `name=…`. */
  readonly adopts?: string;
}

/** What a create of a name is judged by. */
export interface Naming extends Pick<EngineOptions, "sameName" | "resume"> {
  readonly contract: Contract;
  readonly kind: Kind;
  /** The key of its create is derived, so that the service may show what an earlier run made. */
  readonly isScoped: boolean;
  /** The host has shown the object that the declaration has. */
  readonly isShown: boolean;
  /** Milliseconds since 1970 by the service; undefined where it has not said any time. */
  readonly nowMs: number | undefined;
}

/** What the service and this run have of a name. */
export interface Named extends Naming {
  readonly name: string;
  /** Objects of the name that this run does not know. */
  readonly namesakes: readonly ServiceRecord[];
  /** Ids of the others. */
  readonly shown: readonly string[];
  /** The object is to follow one of its name. */
  readonly isSuccessor: boolean;
  readonly isPlannedTwice: boolean;
  /** A note for each object that open intents lead to. */
  readonly open: ReadonlyMap<string, Message>;
  /** Creates without an identity that runs which were cut off left, and this one does not continue. */
  readonly begun: readonly Subject[];
  /** Why nobody can know those, so that the create is going to stop. */
  readonly fault?: Message | undefined;
}

export interface KeyRights {
  readonly key_id: string;
  readonly permissions: readonly string[];
}

/** Only `observe` makes one, so that no host plans what it has not shown; `N` as in what was shown. */
declare const seen: unique symbol;

export interface Seen<N extends boolean = boolean> extends Scope {
  readonly [seen]: N;
  readonly preflight: EngineOptions["preflight"];
  /** What the service said of the key in use; undefined where nobody asked. */
  readonly key: KeyRights | undefined;
  /** Another rotator has the key that the inputs name. */
  readonly rotated: InputIssue | undefined;
  /** The program adopts the object of the state, and another state comes of that. */
  readonly adopted: Message | undefined;
  readonly named: Named | undefined;
}

/** Checks the inputs of a declaration that was shown: its key may have another rotator. */
export function checkDeclared({ contract, kind, rotated }: Seen, declared: Values): Checked {
  const checked = check(contract, kind, declared);
  return rotated ? { ...checked, issues: [...checked.issues, rotated] } : checked;
}

/** What hosts plan with: an engine, or what plans before the account is known. */
export interface Planning {
  readonly contract: Contract;
  /**
   * Takes in what a host shows, and looks for what planning it needs. What the host's state holds has
   * done its work in the journal.
   * @throws EngineError where the state moves and its object is not there, or a key has two rotators
   */
  observe<N extends boolean = false>(
    kind: Kind,
    shown: Shown<N>,
    options?: OperationOptions,
  ): Promise<Seen<NoInfer<N>>>;
  /** What was not said in this run before: each scope once, and once what a name meets. */
  tell(findings: Findings): Advice;
}

export const asSeen = <N extends boolean>(it: Omit<Seen, typeof seen>): Seen<N> => it as Seen<N>;

/**
 * Plans before the account is known, in a run whose key is itself a result of the run. It sees nothing.
 * Every state counts as one of the account: nothing is done with it yet.
 */
export class Planner implements Planning {
  constructor(
    readonly contract: Contract,
    private readonly allowDelete: readonly string[],
  ) {}

  async observe<N extends boolean>(kind: Kind, { prior, replaces }: Shown<N>): Promise<Seen<N>> {
    const { contract, allowDelete } = this;
    const account = (prior ?? replaces)?.private.account ?? { baseUrl: "", environment: "test" };
    return asSeen({
      ...{ contract, kind, account, allowDelete, preflight: "off" },
      ...{ key: undefined, rotated: undefined, adopted: undefined, named: undefined },
    });
  }

  tell({ refusals: [refused, ...others], notes }: Findings): Advice {
    return { refused, notes: [...notes, ...others] };
  }
}
