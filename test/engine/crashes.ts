/** Processes that die in the middle of a create, for tests of what the next one does. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "../../emulator";
import type { IntentEntry } from "../../provider/engine";
import { folder, kind, open, Population, started, type Opening } from "./support";

const server = kind("server");
export const identity = "urn:stack::server::web";

export interface Place {
  readonly emulator: Emulator;
  readonly intents: string;
  readonly population: Population;
}

export const place = async (): Promise<Place> => ({
  emulator: await started(),
  intents: folder(),
  population: new Population(),
});

/** A create whose request is answered, and whose process dies before anybody hears. */
export async function killedAfterAnswer(
  at: Place,
  inputs = { name: "web" },
  more: Partial<Opening> = {},
) {
  const run = open({ ...at, ...more });
  const { state } = await run.engine.create(server, inputs, { identity });
  await run.kill();
  return state;
}

/** The same, where not even the answer was marked. */
export async function killedBeforeAnswer(
  at: Place,
  inputs = { name: "web" },
  more: Partial<Opening> = {},
) {
  const state = await killedAfterAnswer(at, inputs, more);
  rewrite(at.intents, ({ answer: _, ...entry }) => entry);
  return state;
}

/** The same, where the request was never sent. */
export async function killedBeforeSending(at: Place, inputs = { name: "web" }) {
  const { id } = await killedBeforeAnswer(at, inputs);
  at.emulator.removeObject("server", id);
  rewrite(at.intents, (entry) => ({ ...entry, idempotencyKey: `${entry.idempotencyKey}-unsent` }));
}

export function rewrite(intents: string, change: (entry: IntentEntry) => IntentEntry): void {
  for (const name of readdirSync(intents).filter((file) => file.endsWith(".json"))) {
    const file = join(intents, name);
    const entry = JSON.parse(readFileSync(file, "utf8")) as IntentEntry;
    writeFileSync(file, JSON.stringify(change(entry)));
  }
}

export const count = (at: Place, name = "server"): number => at.emulator.objects(name).length;
