/** One run of a host: which calls it makes, in which order, and when its state is stored. */
import { isErpHostError } from "../../../provider/client";
import { EngineError, plannedDelete, type Engine, type State } from "../../../provider/engine";
import type { Advice } from "../../../provider/engine/types";
import type { Message } from "../../../provider/messages";
import type { Kind } from "../../../provider/resources";
import type { Held, Host, HostState, Outcome, UpGiven } from "./host";
import { checkOf, diffOf, namesOf } from "../support";

const SCOPE = "github.com/acme/infra/prod";
type Action = "none" | "create" | "update" | "replace";

/** Brings everything to the program. */
export const up = (host: Host, given: UpGiven): Promise<Outcome> =>
  Promise.race([new Up(host, given).all(), given.run.killed]);

/** What a plan would do to each, in a command of its own that changes nothing. */
export const preview = (host: Host, given: UpGiven): Promise<Outcome> =>
  new Up(host, given).preview();

/** An import by its own command. */
export const importOne = (host: Host, given: UpGiven, one: { name: string; id: string }) =>
  new Up(host, given).import(one.name, one.id);

class Up {
  private readonly id: string;
  private readonly kind: Kind;
  private state: HostState;
  private hasChanged = false;
  private failed: Outcome | undefined;
  private isPreview = false;
  /** The declaration that hosts show messages with. */
  private about: string | undefined;
  /** What plans handed on to creates. */
  private readonly namesakes = new Map<string, readonly string[]>();

  constructor(
    private readonly host: Host,
    private readonly given: UpGiven,
  ) {
    this.id = host.nextRun();
    this.kind = host.ways.kind;
    this.state = host.stored;
  }

  async all(): Promise<Outcome> {
    try {
      if (this.host.face.name === "terraform") await this.terraform();
      else await this.pulumi();
      return this.failed ?? "done";
    } finally {
      if (this.hasChanged && !this.given.run.isDead) this.host.keep(this.state);
    }
  }

  async preview(): Promise<Outcome> {
    this.isPreview = true;
    const process = this.process();
    const planned = await this.planAll(process.engine);
    this.given.run.planned.push(...planned.filter(([, action]) => action !== "none"));
    await process.engine.close({ storesLater: true });
    process.end();
    return this.failed ?? "done";
  }

  async import(name: string, id: string): Promise<void> {
    const process = this.process();
    const state = await process.engine.import(this.kind, id, { identity: this.identity(name) });
    this.host.keep({ ...this.state, current: { ...this.state.current, [name]: { state } } });
    await process.engine.close();
    process.end();
  }

  /** Hosts continue with what does not depend on a failure. */
  private async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof EngineError) && !isErpHostError(error)) throw error;
      this.tell(error instanceof EngineError ? error.reason : error.data);
      this.failed ??= String(error.code);
    }
  }

  private process(command = this.id): { engine: Engine; end(): void } {
    const { run, machine, apiKey, resume } = this.given;
    const { world, face } = this.host;
    const host = face.name === "terraform" ? { host: command } : {};
    const options = { scope: SCOPE, resume, ...this.given.settings };
    return world.process({ run, machine, apiKey, options, ...host });
  }

  /** Plans everything, after a refresh where the host makes one. */
  private async planAll(engine: Engine): Promise<(readonly [string, Action])[]> {
    if (this.host.face.name === "terraform" || this.given.refreshes) await this.refresh(engine);
    const actions: (readonly [string, Action])[] = [];
    for (const name of names(this.given.program, this.state)) {
      await this.attempt(async () => void actions.push([name, await this.plan(engine, name)]));
    }
    return actions;
  }

  private async refresh(engine: Engine): Promise<void> {
    const { current, old } = this.state;
    for (const [name, { state }] of [...Object.entries(current), ...old.map(pairOf)]) {
      await engine.noteInState(this.kind, state.id, this.identity(name));
    }
    const refreshed: Record<string, Held> = {};
    for (const [name, held] of Object.entries(current)) {
      const read = await engine.read(this.kind, held.state, { identity: this.identity(name) });
      this.tell(...read.warnings);
      if (read.state) refreshed[name] = { ...held, state: read.state };
    }
    this.state = { ...this.state, current: refreshed };
  }

  private async terraform(): Promise<void> {
    const plan = this.process();
    const actions = await this.planAll(plan.engine);
    await plan.engine.close({ storesLater: true });
    plan.end();
    if (this.failed !== undefined) return;
    const { isSaved = this.host.face.isSaved } = this.given;
    const apply = this.process(isSaved ? `${this.id}2` : this.id);
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
    if (this.given.refreshes) await this.refresh(engine);
    for (const name of names(program, this.state)) {
      await this.attempt(async () => this.apply(engine, name, await this.plan(engine, name)));
    }
    if (this.failed === undefined) {
      for (const one of [...this.state.old]) {
        await this.attempt(() => this.removeOld(engine, one));
      }
    }
    await engine.close({ storesLater: true, takesBack: false });
    process.end();
  }

  private async plan(engine: Engine, name: string): Promise<Action> {
    this.about = name;
    const { program, forced } = this.given;
    const inputs = program[name];
    const held = this.state.current[name];
    if (!inputs) {
      if (!held) return "replace";
      const seen = await engine.observe(this.kind, { replaces: held.state });
      this.foresee(plannedDelete(seen, held.state));
      return "replace";
    }
    const isForced = forced.has(name);
    // Terraform asks nothing of a tainted object, Pulumi nothing of one that `--replace` names.
    const isHidden = held?.isTainted === true || (isForced && this.host.face.name === "pulumi");
    const identity = this.identity(name);
    const hasState = held !== undefined && !isHidden ? true : undefined;
    await checkOf(engine, this.kind, inputs, identity, hasState);
    if (!held) return this.planned(engine, name, "create");
    if (isHidden) return this.planned(engine, name, "replace");
    const difference = await diffOf(engine, this.kind, held.state, inputs, identity);
    this.foresee(difference);
    const { changes, replace } = difference;
    if (replace || isForced) {
      if (this.host.face.name === "pulumi") {
        await checkOf(engine, this.kind, inputs, identity);
      }
      return this.planned(engine, name, "replace");
    }
    return changes.length > 0 ? "update" : "none";
  }

  private async planned(engine: Engine, name: string, does: Action): Promise<Action> {
    const { face, ways } = this.host;
    // Pulumi asks in a preview alone, and shows nothing of what is replaced.
    const isTerraform = face.name === "terraform";
    if (!ways.foresees || !(isTerraform || this.isPreview)) return does;
    const isShown = isTerraform && does === "replace";
    const replaces = isShown ? this.state.current[name]?.state : undefined;
    const options = { identity: this.identity(name), ...(replaces && { replaces }) };
    const foreseen = await namesOf(engine, ways.kind, this.given.program[name] ?? {}, options);
    this.namesakes.set(name, foreseen.namesakes ?? []);
    this.foresee(foreseen);
    return does;
  }

  /** Says what was foreseen. @throws EngineError where a plan ends with it */
  private foresee({ refused, notes }: Advice): void {
    if (!this.host.ways.foresees) return;
    this.tell(...notes);
    if (refused) throw new EngineError(refused);
  }

  private async apply(engine: Engine, name: string, action: Action): Promise<void> {
    this.about = name;
    const inputs = this.given.program[name];
    const held = this.state.current[name];
    const options = { identity: this.identity(name) };
    if (action === "none") return;
    if (inputs && held && action === "update") {
      const { state, warnings } = await engine.update(this.kind, held.state, inputs, options);
      this.tell(...warnings);
      return this.store({ ...this.state, current: { ...this.state.current, [name]: { state } } });
    }
    if (!inputs || !this.host.face.createsFirst) await this.removeCurrent(engine, name);
    if (!inputs) return;
    // Terraform hands on what the plan noted of the replaced object, and nothing of a tainted one.
    const isHandedOn = this.host.face.name === "terraform" && held && held.isTainted !== true;
    const namesakes = this.namesakes.get(name) ?? [];
    const given = { ...options, namesakes, ...(isHandedOn && { replaces: held.state }) };
    const { state, warnings } = await engine.create(this.kind, inputs, given);
    this.tell(...warnings);
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
    await engine.noteInState(this.kind, held.state.id, this.identity(name));
    await this.remove(engine, name, held.state);
    await this.store({ ...this.state, current });
  }

  private async removeOld(engine: Engine, one: HostState["old"][number]): Promise<void> {
    const { name, state } = one;
    const now = this.state.current[name]?.state.id;
    // As both faces of Pulumi do.
    const isPulumi = this.host.face.name === "pulumi";
    if (isPulumi && now !== undefined && now !== state.id && this.given.run.answered.has(now)) {
      await engine.noteStored(this.kind, now);
    }
    if (!isPulumi) await engine.noteInState(this.kind, state.id, this.identity(name));
    await this.remove(engine, name, state);
    await this.store({ ...this.state, old: this.state.old.filter((each) => each !== one) });
  }

  private async remove(engine: Engine, name: string, state: State): Promise<void> {
    const { world } = this.host;
    const existed = world.alive(this.kind.name).includes(state.id);
    const wanted = this.given.program[name] && this.state.current[name]?.state;
    const { warnings } = await engine.delete(this.kind, state, { identity: this.identity(name) });
    this.tell(...warnings);
    const isGone = existed && !world.alive(this.kind.name).includes(state.id);
    const isCurrent = wanted !== undefined && wanted.id === state.id && wanted !== state;
    if (isGone && (this.given.run.answered.has(state.id) || isCurrent)) {
      world.breaches.push(`deleted: ${state.id}, which a create was answered for ${name}`);
    }
  }

  private identity(name: string): string | undefined {
    return this.host.ways.hasIdentities ? (this.given.copied[name] ?? name) : undefined;
  }

  private tell(...messages: readonly Message[]): void {
    const { about } = this;
    this.given.run.messages.push(...messages.map((message) => ({ about, message })));
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

const names = (program: UpGiven["program"], { current }: HostState): string[] => [
  ...new Set([...Object.keys(program), ...Object.keys(current)]),
];
