/**
 * The smallest possible host: it plans and applies a list of objects through the engine, keeps a
 * state file that it writes after every step, and creates before it deletes, as Pulumi does. Run in
 * its folder, which has what is declared in `STACK.program.json`, as `engine-host apply|preview STACK [NAMES TO REPLACE]` or `refresh STACK [PARALLEL]`.
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import type { Values } from "../../../provider/contract";
import {
  checkDeclared,
  diff,
  EngineError,
  PartialFailure,
  plannedNames,
  type Engine,
  type State,
} from "../../../provider/engine";
import { openEngine } from "../../../provider/engine/open";
import { plainVoice, sentence, type Message } from "../../../provider/messages";
import { referredBy, type Declared } from "./face";

interface Held {
  readonly kind: string;
  readonly state: State;
}

/** `STACK.json`: the objects, and those that wait for their delete. */
export interface HostState {
  readonly objects: Record<string, Held>;
  readonly replaced: Held[];
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
    private readonly program: readonly Declared[],
    private readonly replace: ReadonlySet<string>,
  ) {
    this.state = JSON.parse(readFileSync(this.file, "utf8")) as HostState;
  }

  private get file(): string {
    return `${this.stack}.json`;
  }

  async apply(planOnly: boolean): Promise<void> {
    const refers = ({ args }: Declared) => Object.values(args).some(referredBy);
    const { program } = this;
    for (const layer of [program.filter((one) => !refers(one)), program.filter(refers)]) {
      await this.each(layer, (declared) => this.step(declared, planOnly));
      if (this.failures.length > 0) return;
    }
    await this.clean(planOnly);
  }

  private async step(declared: Declared, planOnly: boolean): Promise<void> {
    const { engine } = this;
    const kind = engine.kind(declared.kind);
    const identity = `host/${this.stack}/${declared.kind}:${declared.name}`;
    const prior = this.state.objects[declared.name]?.state;
    const args = this.resolved(declared.args);
    const shown = { identity, declared: args, hasState: prior !== undefined };
    const { inputs, issues } = checkDeclared(await engine.observe(kind, shown), args);
    if (issues[0]) throw new Error(`${declared.name}: ${sentence(plainVoice, issues[0])}`);
    const context = {
      identity,
      onNotice: ({ data }: { data: Message }) => print(data),
    };
    const keep = (state: State) => {
      this.state.objects[declared.name] = { kind: declared.kind, state };
      this.save();
    };
    const isReplaced = this.replace.has(declared.name);
    const planned =
      prior && !isReplaced
        ? diff(await engine.observe(kind, { identity, prior }), prior, inputs)
        : undefined;
    if (planned?.refused) throw new EngineError(planned.refused);
    if (planned?.changes.length === 0) return;
    if (!prior) {
      const named = await engine.observe(kind, { ...shown, names: true }, context);
      const { refused, notes } = engine.tell(plannedNames(named, inputs));
      notes.forEach(print);
      if (refused) throw new EngineError(refused);
    }
    this.changes.push(declared.name);
    if (planOnly) return;
    try {
      if (prior && planned && !planned.replace) {
        const { state, warnings } = await engine.update(kind, prior, inputs, context);
        warnings.forEach(print);
        keep(state);
        return;
      }
      const { state, warnings } = await engine.create(kind, inputs, context);
      warnings.forEach(print);
      if (prior) this.state.replaced.push({ kind: declared.kind, state: prior });
      keep(state);
    } catch (error) {
      if (error instanceof PartialFailure) keep(error.state);
      throw error;
    }
  }

  /** Deletes what is no longer declared, dependents first, and what was replaced. */
  private async clean(planOnly: boolean): Promise<void> {
    const declared = new Set(this.program.map(({ name }) => name));
    const left = Object.entries(this.state.objects).filter(([name]) => !declared.has(name));
    this.changes.push(...left.map(([name]) => name), ...this.state.replaced.map(() => "old"));
    if (planOnly) return;
    await this.each([...this.state.replaced], (held) => this.remove(held));
    const hasServer = ([, { state }]: [string, Held]) => state.values["server_id"] !== undefined;
    for (const layer of [left.filter(hasServer), left.filter((one) => !hasServer(one))]) {
      await this.each(layer, ([name, held]) => this.remove(held, name));
    }
  }

  private async remove(held: Held, name?: string): Promise<void> {
    const kind = this.engine.kind(held.kind);
    const identity = name && `host/${this.stack}/${held.kind}:${name}`;
    const { warnings } = await this.engine.delete(kind, held.state, {
      ...(identity && { identity }),
    });
    warnings.forEach(print);
    if (name === undefined) this.state.replaced.splice(this.state.replaced.indexOf(held), 1);
    else delete this.state.objects[name];
    this.save();
  }

  async refresh(parallel = PARALLEL): Promise<void> {
    const found: Record<string, Held> = {};
    const read = async ([name, { kind, state }]: [string, Held]): Promise<void> => {
      const identity = `host/${this.stack}/${kind}:${name}`;
      const onNotice = ({ data }: { data: Message }) => print(data);
      const now = await this.engine.read(this.engine.kind(kind), state, { identity, onNotice });
      now.warnings.forEach(print);
      if (now.state) found[name] = { kind, state: now.state };
      else print(`gone: ${name} ${state.id}`);
    };
    await this.each(Object.entries(this.state.objects), read, parallel);
    // A host discards a failed refresh as a whole.
    if (this.failures.length > 0) return;
    for (const name of Object.keys(this.state.objects)) delete this.state.objects[name];
    Object.assign(this.state.objects, found);
    this.save();
  }

  /** Some at a time; after a failure no further one is started. */
  private async each<T>(
    list: readonly T[],
    work: (one: T) => Promise<void>,
    parallel = PARALLEL,
  ): Promise<void> {
    const queue = [...list];
    const worker = async (): Promise<void> => {
      for (let one = queue.shift(); one !== undefined; one = queue.shift()) {
        try {
          await work(one);
        } catch (error) {
          this.failures.push(error instanceof Error ? error.message : String(error));
          queue.length = 0;
        }
      }
    };
    await Promise.all(Array.from({ length: parallel }, worker));
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

const print = (message: Message | string): void => {
  const text = typeof message === "string" ? message : sentence(plainVoice, message);
  process.stderr.write(`${text}\n`);
};

async function main([command = "", stack = "", ...names]: readonly string[]): Promise<number> {
  const program = JSON.parse(readFileSync(`${stack}.program.json`, "utf8")) as Declared[];
  const { env, pid, platform } = process;
  const engine = openEngine({
    given: {},
    surroundings: { env, cwd: process.cwd(), pid, platform },
    warn: print,
  });
  const host = new Host(engine, stack, program, new Set(names));
  if (command === "refresh")
    await host.refresh(names[0] === undefined ? undefined : Number(names[0]));
  else await host.apply(command === "preview");
  await engine.close();
  host.failures.forEach(print);
  if (host.failures.length > 0) return 1;
  return command === "preview" && host.changes.length > 0 ? 2 : 0;
}

main(process.argv.slice(2)).then(
  (code) => void (process.exitCode = code),
  (error: unknown) => {
    print(error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.exitCode = 1;
  },
);
