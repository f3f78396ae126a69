/**
 * What a way into erphost (a face) must be able to do so that every claim can be tried on it. A face
 * that lacks an ability says why, and the report prints that in place of a result.
 */
import { writeFileSync } from "node:fs";
import { isRecord, type Values } from "../../../provider/contract";
import type { PulumiStack } from "../../harness/pulumi-stack";
import type { TerraformWorkspace } from "../../harness/terraform-workspace";

/** One declared object: logical name, kind and inputs under contract names. */
export interface Declared {
  readonly kind: string;
  readonly name: string;
  /** `{ $ref: "name" }` in place of a value is the id of another declared object. */
  readonly args: Values;
  /** Declares several equal objects with the host's own `count`; in states they are `name[0]` on. */
  readonly count?: number;
  /** The order in which the host replaces it; default: the host's own. */
  readonly order?: "create first" | "delete first";
}

/** How an apply differs from one of everything that is declared. */
export interface ApplyMode {
  /** Objects to replace although nothing has changed. */
  readonly replace?: readonly string[];
  /** Only these, with what they refer to. */
  readonly target?: readonly string[];
  /** Without reading the objects first. */
  readonly refresh?: false;
  /** From a plan that was saved before. */
  readonly saved?: true;
}

export interface Outcome {
  readonly code: number | null;
  readonly output: string;
}

export interface Run {
  readonly finished: Promise<Outcome>;
  /** SIGKILL to the host and everything below it. */
  killAll(): void;
  /** SIGKILL to the host alone: processes that it started may survive. */
  killHost(): void;
  /** SIGKILL to the process that runs erphost alone; false if there is none yet. */
  killProvider(): boolean;
  /** Ctrl-C, as a terminal sends it to the host and all that it has started. */
  interrupt?(): void;
}

export interface SiteOptions {
  /** `ERPHOST_BASE_URL` and `ERPHOST_API_KEY`. */
  readonly env: Readonly<Record<string, string>>;
  /** Another stack, whose program, folder and intents this one shares. */
  readonly sibling?: Site;
  /**
   * What idempotency tokens begin with, on hosts that give objects no identity; false: there are
   * no tokens. Default: the stack's name.
   */
  readonly tokens?: string | false;
  /** Default `dev`. */
  readonly stack?: string;
  /** What starts each command of the host in a process namespace of its own. */
  readonly within?: readonly string[] | undefined;
}

/** One stack (workspace, state) of a face. */
export interface Site {
  readonly intentsFolder: string;
  /** Files and folders that must not contain a secret. */
  readonly secretFreePaths: readonly string[];
  /** Has the host and its plugins log as much as they can; returns the file. */
  logAll?(): string;
  /** Sets variables of the runs to come. */
  configure(env: Readonly<Record<string, string>>): void;
  /** Replaces what the program declares. */
  declare(objects: readonly Declared[]): void;
  startUp(mode?: ApplyMode): Run | Promise<Run>;
  /** Whether a plan, made from the state alone, finds nothing to do. */
  preview(): Promise<Outcome & { readonly empty: boolean }>;
  /** `parallel`: how many objects are read at a time; default: the host's own number. */
  refresh(parallel?: number): Promise<Outcome>;
  /** What a person does after a kill, such as `pulumi cancel`. */
  unlock(): Promise<void>;
  /** Ids in the state by logical name, without objects that wait for their delete. */
  ids(): Promise<Readonly<Record<string, string>>>;
  /** The state as text, for `restoreState`. */
  saveState(): Promise<string>;
  restoreState(state: string): Promise<void>;
  /** Another machine: nothing of this one is left but the state, as a remote backend has it. */
  moveOn(): Promise<void>;
  close(): void;
}

/** What the stacks of all faces are: a folder of a host, with its variables and its state in a file. */
export abstract class FolderSite<Folder extends PulumiStack | TerraformWorkspace> {
  protected objects: readonly Declared[] = [];

  protected constructor(protected at: Folder) {}

  get intentsFolder(): string {
    return this.at.env["ERPHOST_INTENTS_DIR"] ?? "";
  }

  configure(env: Readonly<Record<string, string>>): void {
    Object.assign(this.at.env, env);
  }

  async saveState(): Promise<string> {
    return this.at.stateText();
  }

  async restoreState(state: string): Promise<void> {
    writeFileSync(this.at.stateFile, state);
  }

  close(): void {
    this.at.remove();
  }
}

/** What not every face can do. */
export type Ability = "unseen-replace" | "two-stacks" | "interrupt" | "modes" | "count";

export interface Face {
  readonly name: string;
  readonly cannot: Readonly<Partial<Record<Ability, string>>>;
  /** After a failure it starts nothing more: what else is wrong is shown by later runs. */
  readonly stopsAtOnce?: true;
  /** Why it cannot run on this machine at all. */
  missing(): string | undefined;
  open(options: SiteOptions): Promise<Site>;
}

/** Applies and waits for the end. */
export const up = async (site: Site, mode?: ApplyMode): Promise<Outcome> =>
  (await site.startUp(mode)).finished;

/** The logical name in `{ $ref: "name" }`. */
export const referredBy = (value: unknown): string | undefined =>
  isRecord(value) && typeof value["$ref"] === "string" ? value["$ref"] : undefined;
