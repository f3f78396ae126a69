/**
 * What a way into erphost (a face) must be able to do, so that every claim can be tried on it. A
 * face that can't do something says why, and the report prints that in place of a result.
 */
import type { Values } from "../../../provider/contract";

/** One declared object: logical name, kind and inputs under contract names. */
export interface Declared {
  readonly kind: string;
  readonly name: string;
  /** `{ $ref: "name" }` in place of a value stands for the id of another declared object. */
  readonly args: Values;
  /** Twins, where the host's language has a word for them; the states hold them as `name[0]` on. */
  readonly count?: number;
}

/** How a run is asked for, where it is not simply all that is declared. */
export interface Manner {
  /** Objects to be made anew although nothing has changed. */
  readonly replace?: readonly string[];
  /** These alone, with what they refer to. */
  readonly target?: readonly string[];
  /** Nothing is read first. */
  readonly refresh?: false;
  /** By a plan that was made and kept before. */
  readonly saved?: true;
}

/** How a command of a host ended. */
export interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

/** A command under way. */
export interface Run {
  readonly finished: Promise<Outcome>;
  /** SIGKILL to the host and everything below it. */
  killAll(): void;
  /** SIGKILL to the host alone: what it has started may live on. */
  killHost(): void;
  /** SIGKILL to the process that holds erphost, and to nothing else; false: it is not there yet. */
  killProvider(): boolean;
  /** Ctrl-C, as a terminal gives it to the host and all that it has started. */
  interrupt?(): void;
}

export interface SiteOptions {
  /** `ERPHOST_BASE_URL` and `ERPHOST_API_KEY`. */
  readonly env: Readonly<Record<string, string>>;
  /** Another stack of the same program, folder and intents: what one declares, both do. */
  readonly beside?: Site;
  /**
   * What the tokens begin with by which hosts that give no identity tell equal objects apart;
   * false: there are none. Default: the stack's name.
   */
  readonly tokens?: string | false;
  /** Default `dev`. */
  readonly stack?: string;
}

/** One stack (workspace, state) of a face. */
export interface Site {
  /** Everything that its runs write lies below it; standard output is kept in `output.log`. */
  readonly folder: string;
  /** Where its intents are. */
  readonly intentsFolder: string;
  /** Files and folders that no secret may be in. */
  readonly mayHoldNoSecret: readonly string[];
  /** From now on the host and its plugins log all that they can, in the file that this gives. */
  logAll?(): string;
  /** Variables of the runs to come. */
  configure(env: Readonly<Record<string, string>>): void;
  /** What the program declares from now on. */
  declare(objects: readonly Declared[]): void;
  /** Applies. */
  startUp(manner?: Manner): Run | Promise<Run>;
  /** Whether a plan, made from the state alone, finds nothing to do. */
  preview(): Promise<Outcome & { readonly empty: boolean }>;
  /** `parallel`: reads at a time, where it is not the host's own number. */
  refresh(parallel?: number): Promise<Outcome>;
  destroy(): Promise<Outcome>;
  /** What a person does after a kill, such as `pulumi cancel`. */
  unlock(): Promise<void>;
  /** Ids that the state holds, by logical name; those of objects that wait for their delete left out. */
  ids(): Promise<Readonly<Record<string, string>>>;
  /** The state as it is, for `restore`. */
  saveState(): Promise<string>;
  restoreState(state: string): Promise<void>;
  close(): void;
}

/** What not every face can do. */
export type Ability =
  | "kill-provider"
  | "kill-host"
  | "replace"
  | "roll-back"
  | "two-stacks"
  | "keys"
  | "interrupt"
  | "manners"
  | "count";

export interface Face {
  readonly name: string;
  /** Why an ability is missing. */
  readonly cannot: Readonly<Partial<Record<Ability, string>>>;
  /** How many objects and trials this face's speed allows: 1 is the engine in a process of its own. */
  readonly pace: "quick" | "slow";
  /** Why it can't run at all on this machine. */
  missing(): string | undefined;
  open(options: SiteOptions): Promise<Site>;
}

/** Applies and waits for the end. */
export const up = async (site: Site, manner?: Manner): Promise<Outcome> =>
  (await site.startUp(manner)).finished;
