/** What one process knows of the creates whose keys are derived. */
import type { IdGuard } from "../ids";
import type { Message } from "../../messages";
import { EngineError } from "../errors";
import type { PlanNote } from "../journal/plan-note";

export class ScopeGuard {
  /** Creates with the same first key, one after the other. */
  private readonly turns = new Map<string, Promise<unknown>>();
  /** What a first key led to in this process. */
  private readonly made = new Map<string, string>();
  /** Marks of what was taken over from an earlier run, by kind and id. */
  private readonly taken = new Map<string, string>();
  private readonly reported = new Set<string>();
  private hasPlanned = false;
  private hasChanged = false;

  constructor(
    private readonly ids: IdGuard,
    /** Undefined where the host plans and applies in one process. */
    private readonly note: PlanNote | undefined,
    /** Warns of a note that can't be read. */
    private readonly report: (reason: Message) => void,
  ) {}

  /** Runs creates of one first key in turn: two at once would each wait for the other's answer. */
  async inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.turns.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    this.turns.set(key, mine);
    return mine;
  }

  noteMade(key: string, id: string): void {
    this.made.set(key, id);
  }
  madeBy(key: string): string | undefined {
    return this.made.get(key);
  }

  /** Taken over from an earlier run, by an intent or on a person's word. */
  noteTaken(kind: string, id: string, mark: string): void {
    this.taken.set(`${kind} ${id}`, mark);
  }
  markOf(kind: string, id: string): string | undefined {
    return this.taken.get(`${kind} ${id}`);
  }

  /** Whether this is the first time that something is to be reported. */
  isFirst(what: string): boolean {
    if (this.reported.has(what)) return false;
    this.reported.add(what);
    return true;
  }

  /** Whether the host's state holds this id, by what this process or the plan of this run saw. */
  async holds(kind: string, id: string): Promise<boolean> {
    if (this.ids.isHeld(kind, id)) return true;
    return (await this.noted())?.has(`${kind} ${id}`) ?? false;
  }

  /** Whether it is known at all what the state holds. */
  async isInformed(): Promise<boolean> {
    return this.note === undefined || (await this.noted()) !== undefined;
  }

  /** What the plan of this run saw: what only plans can do without it. */
  private async noted(): Promise<ReadonlySet<string> | undefined> {
    try {
      return await this.note?.read();
    } catch (error) {
      if (this.hasChanged || !(error instanceof EngineError)) throw error;
      this.report(error.reason);
      return undefined;
    }
  }

  planned(): void {
    this.hasPlanned = true;
  }
  changed(): void {
    this.hasChanged = true;
  }

  /** Leaves what this process saw for the one that applies. */
  async close(): Promise<void> {
    if (this.hasPlanned && !this.hasChanged) await this.note?.write(this.ids.heldIds());
  }
}
