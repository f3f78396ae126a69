/** Processes that die in the middle of a create, for tests of what the next one does. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { IntentEntry } from "../../provider/engine";
import type { EngineGiven, Service } from "../support/given";
import { kind } from "./support";

const server = kind("server");
export const identity = "urn:stack::server::web";

/** A create whose request is answered, and whose process dies before the host has the answer. */
export async function killedAfterAnswer(
  service: Service,
  inputs = { name: "web" },
  more: EngineGiven = {},
) {
  const run = service.engine(more);
  const { state } = await run.engine.create(server, inputs, { identity });
  await run.kill();
  return state;
}

/** The same, where not even the answer was marked. */
export async function killedBeforeAnswer(
  service: Service,
  inputs = { name: "web" },
  more: EngineGiven = {},
) {
  const state = await killedAfterAnswer(service, inputs, more);
  rewrite(service.intents, ({ answer: _, ...entry }) => entry);
  return state;
}

/** The same, where the request was never sent. */
export async function killedBeforeSending(service: Service, inputs = { name: "web" }) {
  const { id } = await killedBeforeAnswer(service, inputs);
  service.emulator.removeObject("server", id);
  rewrite(service.intents, (entry) => ({
    ...entry,
    idempotencyKey: `${entry.idempotencyKey}-unsent`,
  }));
}

export function rewrite(intents: string, change: (entry: IntentEntry) => IntentEntry): void {
  for (const name of readdirSync(intents).filter((file) => file.endsWith(".json"))) {
    const file = join(intents, name);
    const entry = JSON.parse(readFileSync(file, "utf8")) as IntentEntry;
    writeFileSync(file, JSON.stringify(change(entry)));
  }
}

/** How many objects of a kind the service has. */
export const count = (service: Service, name = "server"): number =>
  service.emulator.objects(name).length;
