/** The service's own time, asked for where nothing has said it yet. */
import type { CallOptions, Clock, Core } from "../../client";
import type { IntentEntry } from "../journal/entry";
import { ServiceTime } from "../values/time";

export class AskedTime extends ServiceTime {
  private asking: Promise<void> | undefined;

  constructor(
    private readonly core: Pick<Core, "authTest">,
    clock: Clock,
  ) {
    super(clock);
  }

  /** Milliseconds since a moment, by the service's clock if it can; negative: nothing is known. */
  async ageOf(
    moment: Pick<IntentEntry, "time" | "serviceTime">,
    calls: CallOptions,
  ): Promise<number> {
    const byMachine = this.clock.wallMs() - moment.time;
    if (moment.serviceTime === undefined) return byMachine;
    const now = await this.ask(calls);
    return now === undefined ? byMachine : now - moment.serviceTime;
  }

  /** Asks at most once at a time, whoever needs it; without an answer the time stays as it was. */
  async ask(calls: CallOptions): Promise<number | undefined> {
    this.asking ??= this.core
      .authTest(calls)
      .then(({ meta }) => this.learn(meta?.timestamp))
      .catch(() => undefined) // Then the machine's own clock has to do.
      .finally(() => (this.asking = undefined));
    await this.asking;
    return this.now();
  }
}
