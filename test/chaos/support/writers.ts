/** Other people: they insert and delete while lists are being read, and never touch our objects. */
import type { Chance } from "./random";
import type { Scene } from "./scene";

const EVERY_MS = 1;
/** Writes after each page at most. */
const BURST_MAX = 4;
/** How many objects of other people always stay, so that there is one to delete. */
const OTHERS_MIN = 50;

export class Writers {
  inserts = 0;
  deletes = 0;
  walks = 0;
  private readonly others: string[];
  private timer: NodeJS.Timeout | undefined;
  private listsSeen = 0;

  constructor(
    private readonly scene: Scene,
    private readonly chance: Chance,
    ours: readonly string[],
  ) {
    const own = new Set(ours);
    this.others = scene.ids().filter((id) => !own.has(id));
  }

  /** Each write shifts the pages that follow it. */
  get shifts(): number {
    return this.inserts + this.deletes;
  }

  /** Writes as long as a walk through a list takes. */
  async during<T>(walk: () => Promise<T>): Promise<T> {
    this.scene.emulator.clearJournal();
    this.listsSeen = 0;
    this.timer = setInterval(() => this.write(), EVERY_MS);
    try {
      return await walk();
    } finally {
      clearInterval(this.timer);
      this.walks += 1;
    }
  }

  /** Inserts, deletes and page shifts per walk. */
  summary(): string {
    const per = (count: number): string => (count / Math.max(1, this.walks)).toFixed(1);
    return `${this.walks} walks; per walk ${per(this.inserts)} inserts, ${per(this.deletes)} deletes, ${per(this.shifts)} page shifts`;
  }

  /** A few inserts or a few deletes, so that pages shift now one way and now the other. */
  private write(): void {
    const lists = this.scene.emulator.journal().filter(({ method }) => method === "GET").length;
    if (lists === this.listsSeen) return;
    this.listsSeen = lists;
    const grows = this.chance.below(2) === 0 || this.others.length < OTHERS_MIN;
    for (let count = 1 + this.chance.below(BURST_MAX); count > 0; count -= 1) {
      if (grows) this.insert();
      else this.remove();
    }
  }

  private insert(): void {
    const record = { name: "another", status: "running" };
    const [created] = this.scene.emulator.createObjects("server", [record]);
    if (created) this.others.push(String(created["id"]));
    this.inserts += 1;
  }

  private remove(): void {
    const [id] = this.others.splice(this.chance.below(this.others.length), 1);
    if (id === undefined) return;
    this.scene.emulator.removeObject("server", id);
    this.deletes += 1;
  }
}
