/**
 * What a host has shown and the engine has seen, before anything is planned. Plan functions are plain
 * functions of it: they make no call, and read no clock and no disk.
 */
import type { Contract, InputIssue, Values } from "../../contract";
import type { Message } from "../../messages";
import type { Kind } from "../../resources";
import type { EngineOptions, Foreseen, Identity, OperationOptions, Scope, State } from "../types";
import type { Named } from "./names";
import type { KeyRights } from "./rights";

/** What a host shows of one declaration. */
export interface Shown {
  readonly identity?: Identity;
  /** Whether the host has an object under this identity. Once known stays known. */
  readonly hasState?: boolean | undefined;
  /** That object's state. */
  readonly prior?: State;
  /** The program's inputs. */
  readonly declared?: Values;
  /** A create is planned, whose name may be taken: at most one list is read for it. */
  readonly names?: boolean;
  /** What is to be deleted: of a create, the state of its predecessor, as far as the host shows it. */
  readonly replaces?: State | undefined;
  /** A create takes over this object, by `ID` or `name=…`. */
  readonly adopts?: string;
}

/** Only `observe` makes one, so that no host plans what it has not shown. */
declare const seen: unique symbol;

export interface Seen extends Scope {
  readonly [seen]: true;
  readonly preflight: EngineOptions["preflight"];
  /** What the service said of the key in use; undefined where nobody asked. */
  readonly key: KeyRights | undefined;
  /** Another rotator has the key that the inputs name. */
  readonly rotated: InputIssue | undefined;
  /** The program adopts the object of the state, and another state comes of that. */
  readonly adopted: Message | undefined;
  readonly named: Named | undefined;
}

/** What hosts plan with: an engine, or what plans before the account is known. */
export interface Planning {
  readonly contract: Contract;
  /**
   * Takes in what a host shows, and looks for what planning it needs. What the host's state holds has
   * done its work in the journal.
   * @throws EngineError where the state moves and its object is not there, or a key has two rotators
   */
  observe(kind: Kind, shown: Shown, options?: OperationOptions): Promise<Seen>;
  /** What was not said in this run before. */
  tell(foreseen: Foreseen): Foreseen;
}

/** @param it what `observe` has seen */
export const asSeen = (it: Omit<Seen, typeof seen>): Seen => it as Seen;
