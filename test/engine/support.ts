import type { Emulator } from "../../emulator";
import type { Values } from "../../provider/contract";
import type { Clock } from "../../provider/client/clock";
import { systemInjectables } from "../../provider/client/settings/system";
import {
  checkDeclared,
  diff,
  plannedNames,
  plannedRights,
  type Diff,
  type Engine,
  type Advice,
  type Identity,
  type OperationOptions,
  type Planned,
  type State,
} from "../../provider/engine";
import { kinds, type Checked, type Kind } from "../../provider/resources";
import fixture from "../fixtures/profile.json";

/** Another service than the assumed one; its lists show everything at once. */
export const profile = { ...fixture, settleWindowMs: 0 };

export function kind(name: string): Kind {
  const found = kinds[name];
  if (!found) throw new Error(`no kind ${name}`);
  return found;
}

export const named = {
  server: kind("server"),
  instance: kind("instance"),
  backup: kind("backup"),
  team: kind("team"),
  apiKey: kind("api_key"),
  rotation: kind("api_key_rotation"),
};
export const { server, instance, backup, apiKey, rotation } = named;

const { clock: systemClock } = systemInjectables();

/** What a program may give of its own. */
export const free = {
  properties: { Region: "EU-Central", labels: { b: "2", a: "1" } },
  secret_properties: { password: "hunter2" },
};

/** The system's clock, with a wall that is wrong by so much. */
export const clockOff = (offsetMs: number): Clock => ({
  ...systemClock,
  wallMs: () => systemClock.wallMs() + offsetMs,
});

/** A clock on which waits are short; the limits of what should never last so long stay. */
export const hurried: Clock = {
  ...systemClock,
  after: (ms, work) => systemClock.after(ms < 30_000 ? ms / 100 : ms, work),
};

/** The code of what a promise fails with; undefined where it does not. */
export const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => (error as { code?: unknown }).code ?? error,
  );

export const failureOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => {
      throw new Error("it did not fail");
    },
    (error: unknown) => error as Error,
  );

/** Creates, `POST`s and the like, as the journal saw them. */
export const callsOf = (emulator: Emulator, method: string, path: RegExp): number =>
  emulator.journal().filter((entry) => entry.method === method && path.test(entry.path)).length;

/** Inputs with a new server in place of `$server`. */
export function withServer(emulator: Emulator, inputs: Values, label = "name"): Values {
  if (inputs["server_id"] !== "$server") return inputs;
  const [server] = emulator.createObjects("server", [{ [label]: "box" }]);
  return { ...inputs, server_id: String(server?.["id"]) };
}

/** Inputs of an instance on each of two new servers. */
export function onTwoServers({ emulator }: { emulator: Emulator }) {
  const hosts = emulator.createObjects("server", [{ name: "a" }, { name: "b" }]);
  const [one = "", two = ""] = hosts.map(({ id }) => String(id));
  const on = (server_id: string) => ({ name: "erp", server_id });
  return [on(one), on(two)] as const;
}

/** What a host plans of a state, having shown it. */
export const diffOf = async (
  engine: Engine,
  of: Kind,
  ...[prior, inputs, identity]: readonly [prior: State, inputs: Values, identity?: Identity]
): Promise<Diff> => diff(await engine.observe(of, { prior, identity }), prior, inputs);

export const changes = async (engine: Engine, of: Kind, state: State, inputs: Values) =>
  (await diffOf(engine, of, state, inputs)).changes;

/** What is wrong with inputs that a host shows. */
export const checkOf = async (
  engine: Engine,
  of: Kind,
  declared: Values,
  ...[identity, hasState]: readonly [identity?: Identity, hasState?: boolean]
): Promise<Checked> =>
  checkDeclared(await engine.observe(of, { declared, identity, hasState }), declared);

/** What a plan says of the name of a create. */
export async function namesOf(
  engine: Engine,
  of: Kind,
  declared: Values,
  { replaces, ...options }: OperationOptions = {},
): Promise<Advice> {
  const shown = { declared, names: true as const, identity: options.identity };
  // Of what makes room, the name alone counts here.
  const before = replaces && { replaces: replaces as State };
  const seen = await engine.observe(of, { ...shown, ...before }, options);
  return engine.tell(plannedNames(seen, declared));
}

/** What a plan says of the rights of the key in use. */
export const rightsOf = async (engine: Engine, of: Kind, planned: Planned): Promise<Advice> =>
  engine.tell(plannedRights(await engine.observe(of, {}), planned));

/** Reads an object that must be there. */
export async function readOn(engine: Engine, of: Kind, state: State): Promise<State> {
  const read = await engine.read(of, state);
  if (!read.state) throw new Error("it is gone");
  return read.state;
}
