/** Plays scenarios on the real engine and the emulated service, and holds them to what must never happen. */
import { Host, KIND, type Outcome, type UpGiven } from "./host";
import { scenarios, titleOf, type Scenario } from "./scenarios";
import { up } from "./up";
import { Run, World, type Cut, type Machine } from "./world";

export type Explored = Explorer["explored"];

const TARGET = "a";
const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const COPY = "c";
/** Runs until everything is as declared: the next one, one that resumes, one with its program mended. */
const RUNS_MAX = 4;

/** Which scenarios are played: every n-th of those that are wanted, until that is enough. */
export interface Choice {
  readonly every?: number;
  readonly wanted?: (scenario: Scenario) => boolean;
  readonly enough?: (explored: Explored) => boolean;
}

/** Plays some of them; of runs that were over before their cut only the first. */
export async function explore(
  { every = 1, wanted = () => true, enough = () => false }: Choice,
  onPlayed?: (explored: Explored) => void,
): Promise<Explored> {
  const explorer = new Explorer();
  let over = "";
  let index = 0;
  for (const scenario of scenarios()) {
    if (!wanted(scenario)) continue;
    index += 1;
    const { at, ...rest } = scenario;
    const family = JSON.stringify(rest);
    if (index % every !== 0 || family === over) continue;
    const isHit = await explorer.play(scenario);
    if (!isHit) over = family;
    onPlayed?.(explorer.explored);
    if (enough(explorer.explored)) break;
  }
  return explorer.explored;
}

/** Codes of runs that stop and name what is there. */
const QUESTIONS = new Set(["found_alive", "candidates_left", "same_name", "orphan_suspected"]);
/** The code of a run that stops because two declarations share an identity. */
const SHARED = "identity_shared";

class Explorer {
  private count = 0;
  /** Worlds that differ in their objects, states or disks, or in what led there. */
  private readonly states = new Set<string>();
  private readonly transitions = new Set<string>();
  readonly breaches: string[] = [];

  get explored() {
    const { count, states, transitions, breaches } = this;
    return { scenarios: count, states: states.size, transitions: transitions.size, breaches };
  }

  /** Plays one. @returns whether it was cut off where it should be: past a run's last write nothing is */
  async play(scenario: Scenario): Promise<boolean> {
    const play = new Play(scenario, (from, label, to) => {
      this.states.add(to);
      this.transitions.add(`${from}>${label}>${to}`);
    });
    this.count += 1;
    try {
      return await play.all();
    } catch (error) {
      play.breach(`threw ${error instanceof Error ? error.message : String(error)}`);
      return true;
    } finally {
      for (const breach of play.breaches) this.breaches.push(`${breach} (${titleOf(scenario)})`);
      play.end();
    }
  }
}

class Play {
  readonly breaches: string[] = [];
  private readonly world: World;
  private readonly host: Host;
  private machine: Machine;
  private apiKey: string;
  private name = "web";
  private server: string;
  private forced: readonly string[] = [];
  private isPresent = true;
  private copied: Readonly<Record<string, string>> = {};
  private seen = "";
  /** What a message has named, or the state has held, since runs began. */
  private readonly said: string[] = [];

  constructor(
    private readonly scenario: Scenario,
    onStep: (from: string, label: string, to: string) => void,
  ) {
    this.world = new World(scenario.weather);
    this.host = new Host(this.world, scenario.face);
    this.machine = this.world.machine();
    this.apiKey = this.world.service.adminKey;
    const made = this.world.service.control.createObjects("server", [{ name: "x" }, { name: "y" }]);
    this.server = String(made[0]?.["id"]);
    this.world.onStep = (label) => {
      const { current, old } = this.host.stored;
      const ids = Object.values(current).map(({ state }) => state.id);
      const state = `${ids.join()}/${old.map((one) => one.state.id).join()}`;
      const to = `${scenario.task} ${this.world.fingerprint(KIND.name)}|${state}`;
      onStep(this.seen, label, to);
      this.seen = to;
    };
  }

  end(): void {
    this.world.end();
  }

  breach(text: string): void {
    this.breaches.push(text);
  }

  async all(): Promise<boolean> {
    const { scenario, world } = this;
    await this.prepare();
    const other = scenario.other === "workspace" ? new Host(world, scenario.face) : this.host;
    const meanwhile = async (): Promise<void> => {
      await this.up(other, { machine: world.machine() });
    };
    const cut: Cut = { at: scenario.at, ...(scenario.other !== "nobody" && { meanwhile }) };
    const run = new Run(cut);
    await this.up(this.host, { run, isFirst: true });
    this.check("after the run", other);
    if (run.points < scenario.at) return false;
    if (scenario.other === "nobody") await this.next();
    return true;
  }

  private async prepare(): Promise<void> {
    const { task } = this.scenario;
    if (task === "copy") this.copied = { [COPY]: TARGET };
    if (task === "create" || task === "copy") return;
    await this.mustUp();
    this.world.nowMs += HOUR_MS / 60;
    if (task === "force") this.forced = [TARGET];
    if (task === "edit") this.name = "renamed before";
    if (task === "configure") this.server = this.server.replace("1", "2");
    if (task === "taint") {
      const { current, old } = this.host.stored;
      const held = current[TARGET];
      if (held)
        this.host.stored = { current: { ...current, [TARGET]: { ...held, isTainted: true } }, old };
    }
    if (task !== "remake") return;
    this.isPresent = false;
    await this.mustUp();
    this.isPresent = true;
    this.world.nowMs += SECOND_MS;
  }

  private async mustUp(): Promise<void> {
    const outcome = await this.up(this.host, {});
    if (outcome !== "done") this.breach(`a run before ended with ${outcome}`);
  }

  private async next(): Promise<void> {
    const { scenario, world, host } = this;
    const { gap } = scenario;
    world.nowMs += SECOND_MS;
    if (scenario.isLost) this.machine = world.machine();
    if (gap === "edit") this.name = "edited";
    if (gap === "23h") world.nowMs += 23 * HOUR_MS;
    if (gap === "25h") world.nowMs += 25 * HOUR_MS;
    if (gap === "key") {
      this.apiKey = world.service.control.createKey({ name: "new", permissions: ["admin"] }).value;
    }
    // A person repeats what was cut off, unless the state shows that it was done.
    const before = this.before.get(TARGET);
    const now = host.stored.current[TARGET]?.state.id;
    if (this.forced.length > 0 && now !== before) this.forced = [];
    if (gap === "force") this.forced = host.stored.current[TARGET] ? [TARGET] : [];
    let resume = scenario.resume !== "asked";
    let refreshes = false;
    for (let count = 0; count < RUNS_MAX; count += 1) {
      const isCut = scenario.isTwice && count === 0;
      const run = new Run(isCut ? { at: scenario.at } : undefined);
      const outcome = await this.up(host, { resume, run, refreshes });
      this.check(`after run ${count + 2} (${outcome})`, host);
      if (outcome === "done") return;
      if (outcome === "killed") {
        this.machine = world.machine();
        world.nowMs += SECOND_MS;
      } else if (outcome === SHARED) {
        this.copied = {};
      } else if (outcome === "handed_over" && !refreshes) {
        // What asks a person for that.
        refreshes = true;
        continue;
      } else if (!QUESTIONS.has(outcome)) {
        return this.breach(`run ${count + 2} ended with ${outcome}`);
      } else if (resume) return;
      // A person who was asked, or saw the run killed, says that it was cut off.
      resume = true;
      const id = host.stored.current[TARGET]?.state.id;
      if (this.forced.length > 0 && id !== before) this.forced = [];
    }
  }

  /** Ids that the state held before the run that is cut off. */
  private readonly before = new Map<string, string>();

  /** @param given `isFirst`: it is the run that is to be cut off */
  private async up(host: Host, given: Partial<UpGiven> & { isFirst?: boolean }): Promise<Outcome> {
    const { run = new Run(), machine = this.machine, refreshes = false } = given;
    const { resume = this.scenario.resume === "always" } = given;
    const inputs = (name: string) => ({ name, server_id: this.server });
    const declared = { [TARGET]: inputs(this.name), b: inputs("other") };
    const copy = this.scenario.task === "copy" ? { [COPY]: inputs("copy") } : {};
    const program = this.isPresent ? { ...declared, ...copy } : {};
    const own = { apiKey: this.apiKey, copied: this.copied, forced: new Set(this.forced) };
    for (const [name, { state }] of Object.entries(host.stored.current)) {
      if (given.isFirst) this.before.set(name, state.id);
    }
    const outcome = await up(host, { ...own, run, machine, program, resume, refreshes });
    this.said.push(JSON.stringify(run.messages));
    if (outcome !== "killed" && outcome !== "done" && QUESTIONS.has(outcome) && given.isFirst) {
      // Only somebody who works at the same time makes it ask, or a host that says nothing at all.
      const { face, other, task } = this.scenario;
      const isForced = task === "force" || task === "taint";
      const isBlind = isForced && face.createsFirst && (face.name === "pulumi" || face.isSaved);
      if (other === "nobody" && !isBlind)
        this.breach(`a run that was not cut off ended with ${outcome}`);
    }
    return outcome;
  }

  /** What must hold whenever no run is at work. */
  private check(when: string, other: Host): void {
    const { scenario, world, host } = this;
    for (const breach of world.breaches.splice(0)) this.breach(`${breach} ${when}`);
    const hosts = [...new Set([host, other])];
    const held = hosts.flatMap(({ stored }) => [
      ...Object.values(stored.current).map(({ state }) => state.id),
      ...stored.old.map(({ state }) => state.id),
    ]);
    const current = hosts.flatMap(({ stored }) =>
      Object.values(stored.current).map(({ state }) => state.id),
    );
    if (new Set(current).size < current.length)
      this.breach(`taken twice: an id is held twice ${when}`);
    const alive = world.alive(KIND.name);
    const isDone = when.endsWith("(done)");
    const lost = current.filter((id) => !alive.includes(id));
    if (isDone && lost.length > 0)
      this.breach(`deleted: ${lost.join()}, which the state holds ${when}`);
    // A run that is killed says nothing; the next one does.
    if (when.endsWith("(killed)")) return;
    if (when === "after the run" && scenario.other === "nobody") return;
    // Without a lock the last writer wins: what another one had stored is lost by that alone.
    const wasStored = (id: string) => scenario.other === "runner" && host.everStored.has(id);
    const orphans = alive.filter((id) => !held.includes(id) && !wasStored(id));
    const unnamed = orphans.filter((id) => !this.said.some((text) => text.includes(id)));
    if (unnamed.length > 0)
      this.breach(`unnamed: no state and no message has ${unnamed.join()} ${when}`);
    if (isDone && orphans.length > 0 && scenario.gap !== "25h") {
      this.breach(`doubled: ${orphans.join()} exists besides what the state holds ${when}`);
    }
  }
}
