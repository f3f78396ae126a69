/** Processes that die in the middle of a create, for tests of what the next one does, or refuses. */
import { expect, jest } from "@jest/globals";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EmulatorOptions } from "../../emulator";
import { ClientCore } from "../../provider/client";
import type { Values } from "../../provider/contract";
import { Journal, type IntentEntry, type OperationOptions } from "../../provider/engine";
import type { State } from "../../provider/engine";
import { signaturesOf } from "../../provider/engine/journal/ours";
import type { Kind } from "../../provider/resources";
import { atEnd, given, type EngineGiven, type Run, type Service } from "../support/given";
import { failureOf, server } from "./support";

export const identity = "urn:stack::server::web";

/** Creates an object in a run whose process dies before its host has stored the state. */
export async function createAndKill(
  run: Run,
  of: Kind,
  inputs: Values,
  said: OperationOptions = { identity },
): Promise<State> {
  const { state } = await run.engine.create(of, inputs, said);
  await run.kill();
  return state;
}

/** A service whose account has one server, and the state of that. */
export async function made(options: EmulatorOptions = {}) {
  const { service, emulator, engine } = (await given(options)).engine();
  await engine.preflight();
  const { state } = await engine.create(server, { name: "erp" });
  await engine.close();
  emulator.clearJournal();
  return { service, emulator, state };
}

/** Creates the server in a process that exits cleanly once its host has the state, or before that. */
export async function exited(service: Service, more: EngineGiven = {}, storesLater = false) {
  const run = service.engine(more);
  const { state } = await run.engine.create(server, { name: "web" }, { identity });
  await run.engine.close({ storesLater });
  await run.kill();
  return state;
}

/** What a create of the server looks for in the journal. */
export const purpose = { operation: "create", kind: "server", identity, bodyHash: "" } as const;

/** The journal of a process of the service's user. */
export function journalOf(
  service: Service,
  self = service.processes.start(),
  isAlive = (owner: string) => service.processes.isAlive(owner),
): Journal {
  return new Journal(service.place({ self, isAlive }), () => undefined);
}

/** What is created, by which process, and what its host says of it. */
type Killed = [inputs?: { name: string }, more?: EngineGiven, said?: OperationOptions];

/** Creates of processes that die before the host has the answer. */
export const killed = {
  /** The request is answered. */
  afterAnswer: (
    service: Service,
    ...[inputs = { name: "web" }, more, said]: Killed
  ): Promise<State> => createAndKill(service.engine(more), server, inputs, said),

  /** The same, where not even the answer was marked. */
  beforeAnswer: async (service: Service, ...given: Killed): Promise<State> => {
    const state = await killed.afterAnswer(service, ...given);
    await rewrite(service, ({ answer, ...entry }) =>
      answer === undefined || answer === state.id ? entry : { ...entry, answer },
    );
    return state;
  },

  /** The same, where the request was never sent. */
  beforeSending: async (service: Service, ...given: Killed): Promise<State> => {
    const state = await killed.beforeAnswer(service, ...given);
    service.emulator.removeObject("server", state.id);
    await rewrite(service, (it) => ({ ...it, idempotencyKey: `${it.idempotencyKey}-unsent` }));
    return state;
  },
};

/** A new service, with what a process left there. */
export async function leftBy<More extends unknown[]>(
  process: (service: Service, ...more: More) => Promise<State>,
  ...more: More
) {
  const service = await given();
  const state = await process(service, ...more);
  return { service, state, id: state.id };
}

/** Changes what an earlier run has written, as if it had written that. */
export async function rewrite(
  service: Service,
  change: (entry: IntentEntry) => IntentEntry,
): Promise<void> {
  const place = { folder: service.intents, secrets: async () => [service.userKey] };
  for (const file of filesOf(service.intents)) {
    const { signatures: _, ...entry } = JSON.parse(readFileSync(file, "utf8")) as IntentEntry & {
      signatures: unknown;
    };
    const changed = change(entry);
    const signatures = await signaturesOf(place, changed);
    writeFileSync(file, JSON.stringify({ ...changed, signatures }));
  }
}

export const filesOf = (intents: string): string[] =>
  readdirSync(intents)
    .filter((file) => file.endsWith(".json"))
    .map((name) => join(intents, name));

export const count = (service: Service, name = "server") => service.emulator.objects(name).length;

/** Has a call of every client answer otherwise. */
export function altered<C extends "authTest" | "createBytes" | "snapshot" | "update">(
  call: C,
  change: (answer: Awaited<ReturnType<ClientCore[C]>>) => object,
): void {
  const original = ClientCore.prototype[call] as (...asked: unknown[]) => Promise<never>;
  atEnd(() => jest.restoreAllMocks());
  jest.spyOn(ClientCore.prototype, call).mockImplementation(async function (
    this: ClientCore,
    ...asked
  ) {
    const answer = await original.apply(this, asked);
    return { ...(answer as object), ...change(answer) } as never;
  });
}

/** Expects a failure with this code, whose message has all of these words. */
export async function fails(
  work: Promise<unknown>,
  code: string,
  ...words: readonly (string | RegExp)[]
): Promise<Error> {
  const error = await failureOf(work);
  expect(error).toMatchObject({ code });
  for (const each of words) expect(error.message).toMatch(each);
  return error;
}
