/** Programs that somebody brings to an account by doing what messages say, after a run that was cut off. */
import { seededRandom, type Random } from "../../../emulator/random";
import type { Values } from "../../../provider/contract";
import { kind } from "../support";
import { CannotFollow, waysOf } from "./advice";
import { Host, type Settings } from "./host";
import { Person } from "./person";
import { FACES } from "./scenarios";
import { World, type Weather } from "./world";

const HOUR_MS = 3_600_000;
const NAMES = ["web", "db", "api"] as const;
const CHANGES = ["none", "rename", "move", "force", "remove", "protect", "remake", "swap"] as const;
const GAPS = ["none", "none", "rename", "key", "user", "25h"] as const;
/** More points than a run of three objects has: some runs are not cut off. */
const POINTS_MAX = 24;

/** Plays that many programs, each by a seed of its own that follows from the first. */
export async function followAdvice(
  { programs, seed }: { readonly programs: number; readonly seed: number },
  onPlayed: (count: number) => void = () => undefined,
) {
  /** How often each message's advice was followed. */
  const followed: Record<string, number> = {};
  const breaches: string[] = [];
  for (let index = 0; index < programs; index += 1) {
    const story = new Story(seed + index);
    const person = await story.play();
    for (const [code, count] of person.followed) followed[code] = (followed[code] ?? 0) + count;
    breaches.push(...person.breaches.map((breach) => `${breach} (${story.title})`));
    onPlayed(index + 1);
  }
  return { programs, followed, breaches };
}

class Story {
  private readonly random: Random;
  private readonly facts: string[];
  private readonly world: World;
  private readonly person: Person;
  private readonly servers: readonly string[];
  private readonly isScoped: boolean;

  constructor(seed: number) {
    this.random = seededRandom(seed);
    this.facts = [`seed ${seed}`];
    const face = this.pick("face", FACES);
    const of = this.pick("kind", ["server", "instance"]);
    this.isScoped = this.pick("scope", [true, false]);
    const sameName = this.pick("sameName", ["warn", "error"] as const);
    const hasIdentities = face.name === "pulumi" || this.pick("tokens", [true, false]);
    this.world = new World(this.pick<Weather>("weather", ["fair", "fair", "lost answers"]));
    this.servers = this.made("server", ["x", "y"]);
    const strangers = this.pick("strangers", [[], ["web"], ["db", "api"]]);
    this.made(of, strangers);
    this.world.nowMs += 2 * HOUR_MS;
    const host = new Host(this.world, face, { kind: kind(of), foresees: true, hasIdentities });
    const strange = new Set(this.world.alive(of));
    this.person = new Person(host, strange, this.random, waysOf);
    const settings: Settings = { sameName, ...(this.isScoped ? {} : { scope: undefined }) };
    this.person.always(settings);
  }

  get title(): string {
    return this.facts.join(", ");
  }

  async play(): Promise<Person> {
    const { person, world } = this;
    try {
      await this.all();
    } catch (error) {
      if (!(error instanceof CannotFollow)) throw new Error(this.title, { cause: error });
      person.breaches.push(`cannot follow ${error.message}`);
    } finally {
      world.end();
    }
    return person;
  }

  private async all(): Promise<void> {
    const { person, world } = this;
    const declared = this.pick("declares", [["a"], ["a", "b"], ["a", "b", "c"]]);
    const names = this.pick("names", [NAMES, NAMES, ["web", "web", "api"]]);
    declared.forEach((name, index) => (person.program[name] = this.inputs(names[index] ?? "web")));
    const change = this.pick("change", CHANGES);
    if (change === "protect") this.edit("a", { deletion_protection: true });
    if (change !== "none") {
      await person.settle();
      world.nowMs += HOUR_MS / 60;
      await this.change(change);
    }
    const points = Array.from({ length: POINTS_MAX }, (_, at) => at + 1);
    const outcome = await person.up({ at: this.pick("cut", points) });
    this.facts.push(`then ${outcome}`);
    world.nowMs += 1_000;
    this.later();
    await person.settle();
    const left = person.left();
    // Whoever allows equal names hears of none.
    if (left.length > 0 && person.looksAtNames)
      person.breaches.push(`${left.join()} is there besides`);
  }

  private async change(change: (typeof CHANGES)[number]): Promise<void> {
    const { person } = this;
    if (change === "rename") this.edit("a", { name: "renamed" });
    if (change === "move") this.edit("a", { server_id: this.servers[1] });
    if (change === "force") person.forced = ["a"];
    if (change === "remove" || change === "protect") delete person.program["a"];
    if (change === "remake") {
      const { a: declared } = person.program;
      delete person.program["a"];
      await person.settle();
      person.program["a"] = declared ?? {};
    }
    // A declaration has another address in the program: its object is another one.
    if (change === "swap") {
      const { a: declared, ...others } = person.program;
      person.program = { ...others, moved: declared ?? {} };
    }
  }

  private later(): void {
    const { person, world } = this;
    const gap = this.pick("gap", GAPS);
    // What nothing leads to any more is found by its name alone: no edit of that then.
    const isLost = this.pick("lost", [true, false]);
    if (isLost) person.machine = world.machine();
    // The folder of intents is there, and not what they are signed with.
    if (gap === "user") person.machine = { ...person.machine, userKey: world.machine().userKey };
    if (gap === "25h") world.nowMs += 25 * HOUR_MS;
    if (gap === "key") {
      const permissions = ["admin"];
      person.apiKey = world.service.control.createKey({ name: "new", permissions }).value;
    }
    const { ways } = person.host;
    if (gap === "rename" && !isLost && ways.hasIdentities) this.edit("a", { name: "edited" });
  }

  private edit(name: string, values: Values): void {
    const { program, host } = this.person;
    const declared = program[name];
    const known = host.ways.kind.fields;
    const fits = Object.entries(values).filter(([field]) => field in known);
    if (declared) program[name] = { ...declared, ...Object.fromEntries(fits) };
  }

  private inputs(name: string): Values {
    return this.inputsOf(this.person.host.ways.kind.name, name);
  }

  private inputsOf(of: string, name: string): Values {
    return { name, ...(of === "instance" && { server_id: this.servers[0] }) };
  }

  private made(of: string, names: readonly string[]): string[] {
    const made = names.map((name) => this.inputsOf(of, name));
    const { control } = this.world.service;
    return made.length === 0 ? [] : control.createObjects(of, made).map(({ id }) => String(id));
  }

  /** Chooses one, and says so in the title. */
  private pick<T>(about: string, among: readonly T[]): T {
    const chosen = among[Math.floor(this.random() * among.length)];
    if (chosen === undefined) throw new Error(`${about} has nothing to choose from`);
    this.facts.push(`${about} ${JSON.stringify(chosen)}`);
    return chosen;
  }
}
