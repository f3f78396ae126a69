/** Short words for the life of an object, for tests. */
import type { Emulator, EmulatorOptions } from "../../emulator";
import type { Values } from "../../provider/contract";
import type { Engine, State } from "../../provider/engine";
import type { Kind } from "../../provider/resources";
import fixture from "../fixtures/profile.json";
import { open, started, type Opening } from "./support";

/** Another service than the assumed one; its lists do not lag. */
export const profile = { ...fixture, settleWindowMs: 0 };

/** Inputs with `$server` filled in. */
export function filled(emulator: Emulator, inputs: Values, label = "name"): Values {
  if (inputs["server_id"] !== "$server") return inputs;
  const [box] = emulator.createObjects("server", [{ [label]: "box" }]);
  return { ...inputs, server_id: String(box?.["id"]) };
}

export const changes = async (engine: Engine, of: Kind, state: State, inputs: Values) =>
  (await engine.diff(of, state, inputs)).changes;

export async function readOn(engine: Engine, of: Kind, state: State): Promise<State> {
  const read = await engine.read(of, state);
  if (!read.state) throw new Error("it is gone");
  return read.state;
}

/** A service and an engine on it. */
export const one = async (options: EmulatorOptions = {}, more: Partial<Opening> = {}) => {
  const emulator = await started(options);
  return { emulator, engine: open({ emulator, ...more }).engine };
};
