/** The two kinds of hosts, what a run is given, and what their backends keep. */
import type { Values } from "../../../provider/contract";
import type { EngineParts, State } from "../../../provider/engine";
import type { Kind } from "../../../provider/resources";
import { kind } from "../support";
import type { Machine, Run, World } from "./world";

export const KIND = kind("instance");

export interface Face {
  /** Terraform plans and applies in different processes; Pulumi does both in one. */
  readonly name: "terraform" | "pulumi";
  /** Whether an apply belongs to another command than its plan, as that of a saved plan. */
  readonly isSaved: boolean;
  /** Whether a replacement creates before it deletes. */
  readonly createsFirst: boolean;
  /** Whether the backend has the state after every step, or at the end of a run. */
  readonly storesEach: boolean;
}

export interface Held {
  readonly state: State;
  readonly isTainted?: boolean;
}

export interface HostState {
  readonly current: Readonly<Record<string, Held>>;
  /** Replaced, and not deleted yet. */
  readonly old: readonly { readonly name: string; readonly state: State }[];
}

export interface UpGiven {
  readonly run: Run;
  readonly machine: Machine;
  readonly apiKey: string;
  /** Names with their inputs. */
  readonly program: Readonly<Record<string, Values>>;
  /** Whose identity a declaration has by mistake; by default each has its own name. */
  readonly copied: Readonly<Record<string, string>>;
  /** Replaced although nothing differs. */
  readonly forced: ReadonlySet<string>;
  readonly resume: boolean;
  /** Whether it refreshes first; Terraform always does. */
  readonly refreshes?: boolean;
  /** By default as the face says. */
  readonly isSaved?: boolean;
  /** Settings of this run besides, which take precedence. */
  readonly settings?: Settings;
}

export type Settings = NonNullable<EngineParts["options"]>;

/** `done`, `killed`, or the code of what stopped it. */
export type Outcome = string;

export interface Ways {
  readonly kind: Kind;
  /** Whether plans say what they foresee of names and deletes, and stop at what is refused. */
  readonly foresees: boolean;
  /** Whether the host tells one declaration from another, as by a URN or a token. */
  readonly hasIdentities: boolean;
}

export class Host {
  stored: HostState = { current: {}, old: [] };
  /** Ids that any state held. */
  readonly everStored = new Set<string>();
  private runCount = 0;

  constructor(
    readonly world: World,
    readonly face: Face,
    readonly ways: Ways = { kind: KIND, foresees: false, hasIdentities: true },
  ) {}

  /** The backend has this state. */
  keep(state: HostState): void {
    this.stored = state;
    for (const { state: held } of [...Object.values(state.current), ...state.old]) {
      this.everStored.add(held.id);
    }
  }

  nextRun(): string {
    this.runCount += 1;
    return `${this.runCount}-1`;
  }
}
