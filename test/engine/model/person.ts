/** Somebody who runs a program, does what messages say, and knows what is really there. */
import type { Values } from "../../../provider/contract";
import type { Message } from "../../../provider/messages";
import type { Host, Outcome, Settings, UpGiven } from "./host";
import { importOne, preview, up } from "./up";
import { Run, type Cut, type Machine, type World } from "./world";

/** Plans, each followed by what it advises or by its apply, until nothing is left to do. */
const ROUNDS_MAX = 12;

export type Way = () => Promise<void> | void;
/** The ways on that a message offers somebody in this position. */
export type Advise = (person: Person, message: Message, about: string) => readonly Way[];

export class Person {
  readonly breaches: string[] = [];
  /** How often each message was followed. */
  readonly followed = new Map<string, number>();
  machine: Machine;
  apiKey: string;
  forced: readonly string[] = [];
  program: Record<string, Values> = {};
  private settings: Settings = {};
  /** Those of the next run alone. */
  private next: Settings = {};
  private isOneCommand = false;
  private refreshes = false;
  /** What each was declared as last. */
  private readonly declared = new Map<string, Values>();
  /** What was reported since the last apply. */
  private readonly reported = new Set<string>();
  private renames = 0;

  constructor(
    readonly host: Host,
    /** Objects of somebody else, which none of these runs made. */
    private readonly strangers: Set<string>,
    private readonly random: () => number,
    private readonly advise: Advise,
  ) {
    this.machine = this.world.machine();
    this.apiKey = this.world.service.adminKey;
  }

  get world(): World {
    return this.host.world;
  }

  isOurs(id: string): boolean {
    return !this.strangers.has(id);
  }

  isHeld(id: string): boolean {
    const { current, old } = this.host.stored;
    return [...Object.values(current), ...old].some(({ state }) => state.id === id);
  }

  hasObject(name: string): boolean {
    const id = this.host.stored.current[name]?.state.id;
    return id !== undefined && this.world.alive(this.host.ways.kind.name).includes(id);
  }

  isDeclared(name: string): boolean {
    return this.program[name] !== undefined;
  }

  get looksAtNames(): boolean {
    return this.settings.sameName !== "allow";
  }

  get refusesNames(): boolean {
    return this.settings.sameName === "error";
  }

  /** Whether somebody would want this object to be that of the declaration: ours is, a stranger's may be. */
  isMeant(id: string, name: string): boolean {
    if (this.isOurs(id)) return true;
    // Nothing else lets a run continue that refuses a name in use.
    return !this.hasObject(name) && (this.refusesNames || this.choose([true, false]));
  }

  /** Objects that runs made and that no state holds. */
  left(): string[] {
    const alive = this.world.alive(this.host.ways.kind.name);
    return alive.filter((id) => this.isOurs(id) && !this.isHeld(id));
  }

  choose<T>(among: readonly T[]): T {
    const chosen = among[Math.floor(this.random() * among.length)];
    if (chosen === undefined) throw new Error("nothing to choose from");
    return chosen;
  }

  once(settings: Settings): void {
    this.next = { ...this.next, ...settings };
  }

  refresh(): void {
    this.refreshes = true;
  }

  /** The next run plans and applies in one command. */
  planAndApply(): void {
    this.isOneCommand = true;
  }

  always(settings: Settings): void {
    this.settings = { ...this.settings, ...settings };
  }

  async import(name: string, id: string): Promise<void> {
    if (this.isHeld(id)) this.breaches.push(`advised to import ${id}, which the state holds`);
    else if (this.hasObject(name)) this.breaches.push(`advised to import ${id} where ${name} is`);
    else if (this.world.alive(this.host.ways.kind.name).includes(id)) {
      await importOne(this.host, this.given(new Run()), { name, id });
      this.strangers.delete(id);
      this.forced = this.forced.filter((each) => each !== name);
    }
  }

  deleteByHand(id: string): void {
    if (this.isHeld(id)) this.breaches.push(`advised to delete ${id}, which the state holds`);
    else if (this.left().includes(id)) {
      this.world.service.control.removeObject(this.host.ways.kind.name, id);
    }
  }

  rename(name: string): void {
    const declared = this.program[name];
    this.renames += 1;
    if (declared) this.program[name] = { ...declared, name: `other-${this.renames}` };
  }

  unprotect(name: string): Promise<void> | void {
    const declared = this.program[name];
    if (declared) this.program[name] = { ...declared, deletion_protection: false };
    else return this.applyProtectionAlone(name);
  }

  /** As it was, but for its protection; then the program again. */
  async applyProtectionAlone(name: string): Promise<void> {
    const inputs = this.declared.get(name);
    if (!inputs) throw new Error(`${name} was never declared`);
    const { program, forced } = this;
    this.forced = [];
    this.program = { ...program, [name]: { ...inputs, deletion_protection: false } };
    await this.up();
    Object.assign(this, { program, forced });
  }

  async up(cut?: Cut): Promise<Outcome> {
    const run = new Run(cut);
    for (const [name, inputs] of Object.entries(this.program)) this.declared.set(name, inputs);
    const before = this.host.stored.current;
    const outcome = await up(this.host, this.given(run));
    this.next = {};
    this.isOneCommand = false;
    this.refreshes = false;
    const isOver = (name: string): boolean =>
      this.host.stored.current[name]?.state.id !== before[name]?.state.id;
    this.forced = this.forced.filter((name) => !isOver(name));
    this.reported.clear();
    this.judge(outcome);
    if (outcome !== "killed") await this.follow(run);
    return outcome;
  }

  /** Plans, does what is advised, and applies, until nothing is left to do. */
  async settle(): Promise<void> {
    let last = "";
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const run = new Run();
      last = await preview(this.host, this.given(run));
      if (await this.follow(run)) continue;
      if (last !== "done") break;
      if (run.planned.length === 0) return;
      last = await this.up();
    }
    this.breaches.push(`is not settled: ${last}`);
  }

  /** What must hold after each run: nothing declared is lost, and nothing is held twice. */
  private judge(outcome: Outcome): void {
    const { world, host } = this;
    this.breaches.push(...world.breaches.splice(0));
    const ids = Object.values(host.stored.current).map(({ state }) => state.id);
    if (new Set(ids).size < ids.length) this.breaches.push("an object is held twice");
    const alive = world.alive(host.ways.kind.name);
    const taken = [...this.strangers].filter((id) => !alive.includes(id));
    if (taken.length > 0) this.breaches.push(`${taken.join()} of somebody else was deleted`);
    if (outcome !== "done") return;
    const lost = ids.filter((id) => !alive.includes(id));
    if (lost.length > 0) this.breaches.push(`${lost.join()} is declared and was deleted`);
  }

  /** Follows one message that was not there before. @returns whether anything was done */
  private async follow(run: Run): Promise<boolean> {
    for (const { about = "", message } of run.messages) {
      const key = JSON.stringify([about, message, this.next]);
      if (this.reported.has(key)) continue;
      this.reported.add(key);
      const ways = this.advise(this, message, about);
      if (ways.length === 0) continue;
      this.followed.set(message.code, (this.followed.get(message.code) ?? 0) + 1);
      await this.choose(ways)();
      return true;
    }
    return false;
  }

  private given(run: Run): UpGiven {
    const { apiKey, isOneCommand, machine, program, next, refreshes } = this;
    const { resume = false } = next;
    const settings = { ...this.settings, ...next };
    const isSaved = this.host.face.isSaved && !isOneCommand;
    return {
      run,
      machine,
      apiKey,
      program,
      copied: {},
      forced: new Set(this.forced),
      resume,
      settings,
      isSaved,
      refreshes,
    };
  }
}
