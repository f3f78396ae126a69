/** The two kinds of hosts: which calls of the engine they make, in which order, and when a state is stored. */
import type { Values } from "../../../provider/contract";
import { EngineError, type Engine, type State } from "../../../provider/engine";
import { isErpHostError } from "../../../provider/client";
import { kind } from "../support";
import type { Machine, Run, World } from "./world";

export const KIND = kind("instance");
const SCOPE = "github.com/acme/infra/prod";

/** How a host works. */
export interface Face {
  /** Terraform plans and applies in different processes; Pulumi does both in one. */
  readonly name: "terraform" | "pulumi";
  /** Whether an apply belongs to another command than its plan, as that of a saved plan. */
  readonly isSaved: boolean;
  /** Whether a replacement creates before it deletes. */
  readonly createsFirst: boolean;
  /** Whether the backend has the state after every step, or at the end of a run. */
  readonly storesEach: boolean;
}

export interface Held {
  readonly state: State;
  readonly isTainted?: boolean;
}

/** What a backend keeps. */
export interface HostState {
  readonly current: Readonly<Record<string, Held>>;
  /** Replaced, and not deleted yet. */
  readonly old: readonly { readonly name: string; readonly state: State }[];
}

export interface UpGiven {
  readonly run: Run;
  readonly machine: Machine;
  readonly apiKey: string;
  /** Names with their inputs. */
  readonly program: Readonly<Record<string, Values>>;
  /** Whose identity a declaration has by mistake; by default each has its own name. */
  readonly copied: Readonly<Record<string, string>>;
  /** Replaced although nothing differs. */
  readonly forced: ReadonlySet<string>;
  readonly resume: boolean;
}

type Action = "none" | "create" | "update" | "replace";

/** `done`, `killed`, or the code of what stopped it. */
export type Outcome = string;

export class Host {
  stored: HostState = { current: {}, old: [] };
  /** Ids that any state held. */
  readonly everStored = new Set<string>();
  private runCount = 0;

  constructor(
    readonly world: World,
    readonly face: Face,
  ) {}

  /** The backend has this state. */
  keep(state: HostState): void {
    this.stored = state;
    for (const { state: held } of [...Object.values(state.current), ...state.old]) {
      this.everStored.add(held.id);
    }
  }

  /** Brings everything to the program. */
  async up(given: UpGiven): Promise<Outcome> {
    this.runCount += 1;
    const work = new Up(this, given, `${this.runCount}-1`);
    return Promise.race([work.all(), given.run.killed]);
  }
}

/** One run. */
class Up {
  private state: HostState;
  private hasChanged = false;
  private failed: Outcome | undefined;

  constructor(
    private readonly host: Host,
    private readonly given: UpGiven,
    private readonly id: string,
  ) {
    this.state = host.stored;
  }

  async all(): Promise<Outcome> {
    const { face } = this.host;
    try {
      if (face.name === "terraform") await this.terraform();
      else await this.pulumi();
      return this.failed ?? "done";
    } finally {
      if (this.hasChanged && !this.given.run.isDead) this.host.keep(this.state);
    }
  }

  /** Hosts continue with what does not depend on a failure. */
  private async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof EngineError) && !isErpHostError(error)) throw error;
      this.given.run.said.push(error.message);
      this.failed ??= String(error.code);
    }
  }

  private process(command = this.id): { engine: Engine; end(): void } {
    const { run, machine, apiKey, resume } = this.given;
    const { world, face } = this.host;
    const host = face.name === "terraform" ? { host: command } : {};
    const options = { scope: SCOPE, resume };
    return world.process({ run, machine, apiKey, options, ...host });
  }

  private async terraform(): Promise<void> {
    const { program } = this.given;
    const plan = this.process();
    const { current, old } = this.state;
    for (const [name, { state }] of [...Object.entries(current), ...old.map(pairOf)]) {
      await plan.engine.noteHeld(KIND, state.id, this.identity(name));
    }
    const refreshed: Record<string, Held> = {};
    for (const [name, held] of Object.entries(current)) {
      const read = await plan.engine.read(KIND, held.state, { identity: this.identity(name) });
      this.note(read.warnings);
      if (read.state) refreshed[name] = { ...held, state: read.state };
    }
    this.state = { ...this.state, current: refreshed };
    const actions: (readonly [string, Action])[] = [];
    for (const name of names(program, this.state)) {
      actions.push([name, await this.plan(plan.engine, name)]);
    }
    await plan.engine.close({ storesLater: true });
    plan.end();
    const apply = this.process(this.host.face.isSaved ? `${this.id}2` : this.id);
    for (const one of [...this.state.old]) {
      await this.attempt(() => this.removeOld(apply.engine, one));
    }
    for (const [name, action] of actions) {
      await this.attempt(() => this.apply(apply.engine, name, action));
    }
    await apply.engine.close({ storesLater: true });
    apply.end();
  }

  private async pulumi(): Promise<void> {
    const { program } = this.given;
    const process = this.process();
    const { engine } = process;
    for (const name of names(program, this.state)) {
      await this.attempt(async () => this.apply(engine, name, await this.plan(engine, name)));
    }
    if (this.failed === undefined) {
      for (const one of [...this.state.old]) {
        await this.attempt(() => this.removeOld(engine, one));
      }
    }
    await engine.close();
    process.end();
  }

  private async plan(engine: Engine, name: string): Promise<Action> {
    const { program, forced } = this.given;
    const inputs = program[name];
    const held = this.state.current[name];
    if (!inputs) return "replace";
    const isForced = forced.has(name);
    const isTainted = held?.isTainted === true;
    // Terraform asks nothing of a tainted object, Pulumi nothing of one that `--replace` names.
    const isHidden = isTainted || (isForced && this.host.face.name === "pulumi");
    const identity = this.identity(name);
    engine.check(KIND, inputs, identity, held !== undefined && !isHidden ? true : undefined);
    if (!held) return "create";
    if (isHidden) return "replace";
    const { changes, replace } = await engine.diff(KIND, held.state, inputs, identity);
    if (replace || isForced) {
      if (this.host.face.name === "pulumi") engine.check(KIND, inputs, identity);
      return "replace";
    }
    return changes.length > 0 ? "update" : "none";
  }

  private async apply(engine: Engine, name: string, action: Action): Promise<void> {
    const inputs = this.given.program[name];
    const held = this.state.current[name];
    const options = { identity: this.identity(name) };
    if (action === "none") return;
    if (inputs && held && action === "update") {
      const { state, warnings } = await engine.update(KIND, held.state, inputs, options);
      this.note(warnings);
      return this.store({ ...this.state, current: { ...this.state.current, [name]: { state } } });
    }
    if (!inputs || !this.host.face.createsFirst) await this.removeCurrent(engine, name);
    if (!inputs) return;
    const { state, warnings } = await engine.create(KIND, inputs, options);
    this.note(warnings);
    this.given.run.answered.add(state.id);
    const before = this.state.current[name];
    const old = [...this.state.old, ...(before ? [{ name, state: before.state }] : [])];
    await this.store({ current: { ...this.state.current, [name]: { state } }, old });
    if (this.host.face.name !== "terraform") return;
    for (const one of old.filter((each) => each.name === name)) await this.removeOld(engine, one);
  }

  private async removeCurrent(engine: Engine, name: string): Promise<void> {
    const { [name]: held, ...current } = this.state.current;
    if (!held) return;
    await engine.noteHeld(KIND, held.state.id, this.identity(name));
    await this.remove(engine, name, held.state);
    await this.store({ ...this.state, current });
  }

  private async removeOld(engine: Engine, one: HostState["old"][number]): Promise<void> {
    const { name, state } = one;
    const now = this.state.current[name]?.state.id;
    // As both faces of Pulumi do.
    const isPulumi = this.host.face.name === "pulumi";
    if (isPulumi && now !== undefined && now !== state.id && this.given.run.answered.has(now)) {
      await engine.noteStored(KIND, now);
    }
    if (!isPulumi) await engine.noteHeld(KIND, state.id, this.identity(name));
    await this.remove(engine, name, state);
    await this.store({ ...this.state, old: this.state.old.filter((each) => each !== one) });
  }

  private async remove(engine: Engine, name: string, state: State): Promise<void> {
    const { world } = this.host;
    const existed = world.alive(KIND.name).includes(state.id);
    const wanted = this.given.program[name] && this.state.current[name]?.state;
    const { warnings } = await engine.delete(KIND, state, { identity: this.identity(name) });
    this.note(warnings);
    const isGone = existed && !world.alive(KIND.name).includes(state.id);
    const isCurrent = wanted !== undefined && wanted.id === state.id && wanted !== state;
    if (isGone && (this.given.run.answered.has(state.id) || isCurrent)) {
      world.breaches.push(`deleted: ${state.id}, which a create was answered for ${name}`);
    }
  }

  private identity(name: string): string {
    return this.given.copied[name] ?? name;
  }

  private note(warnings: readonly unknown[]): void {
    this.given.run.said.push(...warnings.map((warning) => JSON.stringify(warning)));
  }

  private async store(state: HostState): Promise<void> {
    this.state = state;
    this.hasChanged = true;
    await this.given.run.point();
    if (this.host.face.storesEach) {
      this.host.keep(state);
      this.host.world.onStep("store");
    }
    await this.given.run.point();
  }
}

const pairOf = ({ name, state }: HostState["old"][number]): [string, Held] => [name, { state }];

/** What is declared or held. */
const names = (program: UpGiven["program"], { current }: HostState): string[] => [
  ...new Set([...Object.keys(program), ...Object.keys(current)]),
];
