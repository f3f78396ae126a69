/**
 * The smallest host there can be: it plans and applies a list of objects through the engine, keeps
 * a state file that it writes after every step, and makes before it deletes, as Pulumi does. Run in
 * its folder as `engine-host apply|preview STACK [NAMES TO REPLACE]` or `refresh STACK [PARALLEL]`.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import type { Values } from "../../../provider/contract";
import { PartialFailure, type Engine, type State } from "../../../provider/engine";
import { openEngine, type OpenOptions } from "../../../provider/engine/open";
import { referredBy } from "../support/camel";
import type { Declared } from "./face";

/** `STACK.program.json`. */
export interface HostProgram {
  readonly objects: readonly Declared[];
  readonly settings: OpenOptions["given"];
}

interface Held {
  readonly kind: string;
  readonly state: State;
}

/** `STACK.json`: what is, and what waits for its delete. */
export interface HostState {
  readonly objects: Record<string, Held>;
  readonly condemned: Held[];
}

/** Steps at a time, as Pulumi on a machine of two cores or more. */
const PARALLEL = 10;

class Host {
  readonly failures: string[] = [];
  readonly changes: string[] = [];
  private readonly state: HostState;

  constructor(
    private readonly engine: Engine,
    private readonly stack: string,
    private readonly program: HostProgram,
    private readonly replace: ReadonlySet<string>,
  ) {
    this.state = JSON.parse(readFileSync(this.file, "utf8")) as HostState;
  }

  private get file(): string {
    return `${this.stack}.json`;
  }

  async apply(planOnly: boolean): Promise<void> {
    const isLater = ({ args }: Declared) => Object.values(args).some(referredBy);
    const { objects } = this.program;
    for (const layer of [objects.filter((one) => !isLater(one)), objects.filter(isLater)]) {
      await each(layer, (declared) => this.step(declared, planOnly), this.failures);
      if (this.failures.length > 0) return;
    }
    await this.clean(planOnly);
  }

  private async step(declared: Declared, planOnly: boolean): Promise<void> {
    const { engine } = this;
    const kind = engine.kind(declared.kind);
    const identity = `host/${this.stack}/${declared.kind}:${declared.name}`;
    const prior = this.state.objects[declared.name]?.state;
    const given = this.resolved(declared.args);
    const { inputs, issues } = engine.check(kind, given, identity, prior !== undefined);
    if (issues[0]) throw new Error(`${declared.name}: ${issues[0].message}`);
    const context = { identity, onNotice: ({ message }: { message: string }) => tell(message) };
    const keep = (state: State) => {
      this.state.objects[declared.name] = { kind: declared.kind, state };
      this.save();
    };
    const anew = this.replace.has(declared.name);
    const diff = prior && !anew ? await engine.diff(kind, prior, inputs, identity) : undefined;
    if (diff?.refused) throw new Error(diff.refused.message);
    if (diff?.changes.length === 0) return;
    this.changes.push(declared.name);
    if (planOnly) return;
    try {
      if (prior && diff && !diff.replace) {
        const { state, warnings } = await engine.update(kind, prior, inputs, context);
        warnings.forEach(tell);
        keep(state);
        return;
      }
      const { state, warnings } = await engine.create(kind, inputs, context);
      warnings.forEach(tell);
      if (prior) this.state.condemned.push({ kind: declared.kind, state: prior });
      keep(state);
    } catch (error) {
      if (error instanceof PartialFailure) keep(error.state);
      throw error;
    }
  }

  /** Deletes what is declared no more, dependents first, and what was replaced. */
  private async clean(planOnly: boolean): Promise<void> {
    const declared = new Set(this.program.objects.map(({ name }) => name));
    const left = Object.entries(this.state.objects).filter(([name]) => !declared.has(name));
    this.changes.push(...left.map(([name]) => name), ...this.state.condemned.map(() => "old"));
    if (planOnly) return;
    await each([...this.state.condemned], (held) => this.remove(held), this.failures);
    const hasServer = ([, { state }]: [string, Held]) => state.values["server_id"] !== undefined;
    for (const layer of [left.filter(hasServer), left.filter((one) => !hasServer(one))]) {
      await each(layer, ([name, held]) => this.remove(held, name), this.failures);
    }
  }

  private async remove(held: Held, name?: string): Promise<void> {
    const kind = this.engine.kind(held.kind);
    const identity = name && `host/${this.stack}/${held.kind}:${name}`;
    const { warnings } = await this.engine.delete(kind, held.state, {
      ...(identity && { identity }),
    });
    warnings.forEach(tell);
    if (name === undefined) this.state.condemned.splice(this.state.condemned.indexOf(held), 1);
    else delete this.state.objects[name];
    this.save();
  }

  async refresh(parallel = PARALLEL): Promise<void> {
    const found: Record<string, Held> = {};
    const read = async ([name, { kind, state }]: [string, Held]): Promise<void> => {
      const identity = `host/${this.stack}/${kind}:${name}`;
      const onNotice = ({ message }: { message: string }) => tell(message);
      const now = await this.engine.read(this.engine.kind(kind), state, { identity, onNotice });
      now.warnings.forEach(tell);
      if (now.state) found[name] = { kind, state: now.state };
      else tell(`gone: ${name} ${state.id}`);
    };
    await each(Object.entries(this.state.objects), read, this.failures, parallel);
    // A host gives up a refresh as a whole.
    if (this.failures.length > 0) return;
    for (const name of Object.keys(this.state.objects)) delete this.state.objects[name];
    Object.assign(this.state.objects, found);
    this.save();
  }

  private resolved(args: Values): Values {
    return Object.fromEntries(
      Object.entries(args).map(([key, value]) => {
        const name = referredBy(value);
        return [key, name === undefined ? value : this.state.objects[name]?.state.id];
      }),
    );
  }

  private save(): void {
    writeFileSync(`${this.file}.tmp`, JSON.stringify(this.state), { mode: 0o600 });
    renameSync(`${this.file}.tmp`, this.file);
  }
}

const tell = (message: string): void => void process.stderr.write(`${message}\n`);

/** Some at a time; after a failure no further one is begun. */
async function each<T>(
  list: readonly T[],
  work: (one: T) => Promise<void>,
  failures: string[],
  parallel = PARALLEL,
): Promise<void> {
  const queue = [...list];
  const worker = async (): Promise<void> => {
    for (let one = queue.shift(); one !== undefined; one = queue.shift()) {
      try {
        await work(one);
      } catch (error) {
        failures.push(error instanceof Error ? error.message : String(error));
        queue.length = 0;
      }
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
}

async function main([command = "", stack = "", ...names]: readonly string[]): Promise<number> {
  const program = JSON.parse(readFileSync(`${stack}.program.json`, "utf8")) as HostProgram;
  const { env, pid, platform } = process;
  const engine = openEngine({
    given: program.settings,
    surroundings: { env, cwd: process.cwd(), pid, platform },
    warn: tell,
  });
  const host = new Host(engine, stack, program, new Set(names));
  if (command === "refresh")
    await host.refresh(names[0] === undefined ? undefined : Number(names[0]));
  else await host.apply(command === "preview");
  await engine.close();
  host.failures.forEach(tell);
  if (host.failures.length > 0) return 1;
  return command === "preview" && host.changes.length > 0 ? 2 : 0;
}

main(process.argv.slice(2)).then(
  (code) => void (process.exitCode = code),
  (error: unknown) => {
    tell(error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.exitCode = 1;
  },
);
