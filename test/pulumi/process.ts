/** Pulumi's dynamic provider process, driven as Pulumi's engine drives it, without an engine. */
import { isDeepStrictEqual } from "node:util";
import { jest } from "@jest/globals";
import type { Emulator, EmulatorOptions } from "../../emulator";
import type { Handler } from "../../provider/pulumi/dynamic/handler";
import { PULUMI_UNKNOWN } from "../../provider/pulumi/values";
import { given } from "../support/given";

export type Properties = Record<string, unknown>;

/** What the class adds to the inputs, where a test does not look at it. */
export const CLOSURE = "exports.handler = …";

const shown: string[] = [];

/** A service, and a folder of this test's own for the intents of its runs. */
export async function serve(options?: EmulatorOptions): Promise<Emulator> {
  const { emulator, intents } = await given(options);
  process.env["ERPHOST_INTENTS_DIR"] = intents;
  return emulator;
}

/** A new process, as each command of Pulumi has one. @param settings of the stack, by their names */
export async function newProcess(
  settings: Readonly<Record<string, string>>,
): Promise<(title: string) => Handler> {
  jest.resetModules();
  const { handler } =
    require("../../provider/pulumi/dynamic/handler") as typeof import("../../provider/pulumi/dynamic/handler");
  await handler("Server").configure({
    config: { get: (key) => settings[key.replace("erphost:", "")] },
  });
  return handler;
}

/** The inputs that a class registers. */
export const input = (identity: string, properties: Properties): Properties => ({
  ...properties,
  __identity: identity,
  __provider: CLOSURE,
});

/** Class and inputs of each resource by its name; `@name` stands for the id of one before it. */
export type Program = Readonly<Record<string, readonly [title: string, inputs: Properties]>>;

interface Held {
  readonly title: string;
  readonly id: string;
  readonly outs: Properties;
}

type Step = "created" | "updated" | "replaced";

/** What a run did with each resource, what those that failed said, and what a person was shown. */
interface Ran {
  readonly did: Readonly<Record<string, Step>>;
  readonly failed: readonly string[];
  readonly said: string;
}

/** A stack through its commands, each in a process of its own. */
export class Stack {
  /** What the state holds, by the names of the program. */
  held = new Map<string, Held>();

  constructor(public settings: Readonly<Record<string, string>>) {}

  get ids(): Record<string, string> {
    return Object.fromEntries([...this.held].map(([name, { id }]) => [name, id]));
  }

  /** `pulumi preview`, which stops at the first fault. */
  async preview(program: Program): Promise<Ran> {
    return this.command(async (handler) => {
      const did: Record<string, Step> = {};
      for (const [name, [title, properties]] of Object.entries(program)) {
        const inputs = await this.checked(handler, name, [title, properties]);
        const prior = this.held.get(name);
        const diff = prior && (await handler(title).diff(prior.id, prior.outs, inputs));
        if (diff?.changes !== false) {
          did[name] = !diff ? "created" : diff.replaces.length > 0 ? "replaced" : "updated";
        }
      }
      return { did, failed: [] };
    });
  }

  /** `pulumi up`, which continues with the other resources. @param replace whatever its difference */
  async up(program: Program, replace?: string): Promise<Ran> {
    return this.command(async (handler) => {
      const did: Record<string, Step> = {};
      const failed: string[] = [];
      const replaced: Held[] = [];
      for (const [name, resource] of Object.entries(program)) {
        try {
          const prior = this.held.get(name);
          const done = await this.apply(handler, [name, resource], name === replace);
          if (done === undefined) continue;
          if (done === "replaced" && prior) replaced.push(prior);
          did[name] = done;
        } catch (error) {
          failed.push(String(error));
        }
      }
      // Pulumi deletes what it replaced once all is created.
      if (failed.length === 0) {
        for (const { title, id, outs } of replaced) await handler(title).delete(id, outs);
      }
      return { did, failed };
    });
  }

  /** `pulumi refresh`: "updated" is what the service has otherwise. */
  async refresh(): Promise<Ran> {
    return this.command(async (handler) => {
      const failed: string[] = [];
      const did: Record<string, Step> = {};
      for (const [name, { title, id, outs }] of this.held) {
        try {
          const { id: found, props = {} } = await handler(title).read(id, outs);
          if (!isDeepStrictEqual(props, without(outs))) did[name] = "updated";
          if (found === undefined) this.held.delete(name);
          else this.held.set(name, { title, id: found, outs: { ...props, __provider: CLOSURE } });
        } catch (error) {
          failed.push(String(error));
        }
      }
      return { did, failed };
    });
  }

  /** `pulumi destroy`. */
  async destroy(): Promise<{ said: string }> {
    return this.command(async (handler) => {
      for (const [name, { title, id, outs }] of [...this.held].reverse()) {
        await handler(title).delete(id, outs);
        this.held.delete(name);
      }
      return {};
    });
  }

  /** @returns what the work does, and all that a person was shown meanwhile */
  private async command<T extends object>(
    work: (handler: (title: string) => Handler) => Promise<T>,
  ): Promise<T & { said: string }> {
    shown.length = 0;
    const stderr = jest.spyOn(process.stderr, "write");
    stderr.mockImplementation((text) => shown.push(String(text)) > 0);
    try {
      const done = await work(await newProcess(this.settings));
      return { ...done, said: shown.join("") };
    } finally {
      stderr.mockRestore();
    }
  }

  private async checked(
    handler: (title: string) => Handler,
    name: string,
    [title, properties]: Program[string],
    isReplacement = false,
  ): Promise<Properties> {
    const known = Object.entries(properties).map(([key, value]) => {
      const of = typeof value === "string" && /^@(.*)/.exec(value)?.[1];
      return [key, of ? (this.held.get(of)?.id ?? PULUMI_UNKNOWN) : value];
    });
    const news = input(name, Object.fromEntries(known) as Properties);
    const olds = isReplacement ? {} : (this.held.get(name)?.outs ?? {});
    const { inputs, failures } = await handler(title).check(olds, news);
    if (failures.length === 0) return { ...inputs, __provider: CLOSURE };
    throw new Error(failures.map(({ property, reason }) => `${property}: ${reason}`).join("\n"));
  }

  private async apply(
    handler: (title: string) => Handler,
    [name, resource]: readonly [string, Program[string]],
    isForced: boolean,
  ): Promise<Step | undefined> {
    const [title] = resource;
    const prior = this.held.get(name);
    // `--replace` leaves the old inputs aside and skips the difference.
    let inputs = await this.checked(handler, name, resource, isForced);
    const diff =
      prior && !isForced ? await handler(title).diff(prior.id, prior.outs, inputs) : undefined;
    if (diff?.changes === false) return undefined;
    if (prior && diff?.replaces.length === 0) {
      const { outs } = await handler(title).update(prior.id, prior.outs, inputs);
      this.held.set(name, { title, id: prior.id, outs: { ...outs, __provider: CLOSURE } });
      return "updated";
    }
    if (diff) inputs = await this.checked(handler, name, resource, true);
    const { id, outs } = await handler(title).create(inputs);
    this.held.set(name, { title, id, outs: { ...outs, __provider: CLOSURE } });
    return prior ? "replaced" : "created";
  }
}

/** What the provider itself answers of the outputs. */
const without = ({ __provider: _, ...outs }: Properties): Properties => outs;
