/** What the host's state holds, by what this process was shown and by the plan of this run. */
import { EngineError } from "../errors";
import type { Journal } from "../journal/journal";
import type { PlanNote } from "../journal/plan-note";
import type { Ledger, Ref } from "../ledger";

export class HostStates {
  constructor(
    private readonly ledger: Ledger,
    private readonly journal: Journal,
    /** What the process that plans leaves for the one that applies; undefined where they are one. */
    private readonly planNote: PlanNote | undefined,
  ) {}

  async has(at: Ref): Promise<boolean> {
    if (this.ledger.inState(at)) return true;
    return (await this.planned())?.has(`${at.kind} ${at.id}`) ?? false;
  }

  /** Whether it is known at all what the state holds. */
  async isInformed(): Promise<boolean> {
    return this.planNote === undefined || (await this.planned()) !== undefined;
  }

  /** What the plan of this run saw. Only what changes something needs it: for a plan it is a warning. */
  private async planned(): Promise<ReadonlySet<string> | undefined> {
    try {
      return await this.planNote?.read();
    } catch (error) {
      if (this.ledger.hasChanged || !(error instanceof EngineError)) throw error;
      this.journal.report(error.reason);
      return undefined;
    }
  }
}
