/** Other people: they insert and delete while lists are being read, and never touch what is ours. */
import type { Chance } from "./random";
import type { World } from "./world";

export interface Crowd {
  readonly sums: {
    readonly inserts: number;
    readonly deletes: number;
    readonly shifts: number;
    readonly walks: number;
  };
  start(): void;
  /** Ends one walk's time. */
  pause(): void;
  stop(): void;
  /** Inserts, deletes and page shifts per walk. */
  told(): string;
}

const EVERY_MS = 1;
/** Writes after each page at most. */
const BURST = 4;
/** Strangers whom the crowd leaves, so that there is always one to delete. */
const STRANGERS_MIN = 50;

export function crowd(world: World, chance: Chance, ours: ReadonlySet<string>): Crowd {
  const { emulator } = world;
  const isOurs = (id: string): boolean => ours.has(id);
  const strangers = emulator
    .objects("server")
    .map(({ id }) => String(id))
    .filter((id) => !isOurs(id));
  const sums = { inserts: 0, deletes: 0, shifts: 0, walks: 0 };
  let timer: NodeJS.Timeout | undefined;
  let seen = 0;

  const insert = (): void => {
    const [made] = emulator.createObjects("server", [{ name: "another", status: "running" }]);
    if (made) strangers.push(String(made["id"]));
    sums.inserts += 1;
  };
  const remove = (): void => {
    const [gone] = strangers.splice(chance.below(strangers.length), 1);
    if (gone === undefined) return;
    emulator.removeObject("server", gone);
    sums.deletes += 1;
  };
  /** A few at a time, so that pages shift now one way and now the other. */
  const write = (): void => {
    const lists = emulator.journal().filter(({ method }) => method === "GET").length;
    if (lists === seen) return;
    seen = lists;
    const grows = chance.below(2) === 0 || strangers.length < STRANGERS_MIN;
    for (let count = 1 + chance.below(BURST); count > 0; count -= 1) {
      if (grows) insert();
      else remove();
      sums.shifts += 1;
    }
  };
  const pause = (): void => {
    clearInterval(timer);
    if (timer !== undefined) sums.walks += 1;
    timer = undefined;
  };
  return {
    sums,
    start: () => {
      emulator.clearJournal();
      seen = 0;
      timer = setInterval(write, EVERY_MS);
    },
    pause,
    stop: pause,
    told: () => {
      const per = (count: number): string => (count / Math.max(1, sums.walks)).toFixed(1);
      return `${sums.walks} walks; per walk ${per(sums.inserts)} inserts, ${per(sums.deletes)} deletes, ${per(sums.shifts)} page shifts`;
    },
  };
}
