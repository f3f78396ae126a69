/** What only plans reads: it gives the same answers in any order, and changes nothing. */
import { expect, test } from "@jest/globals";
import type { Values } from "../../provider/contract";
import type { Engine, State } from "../../provider/engine";
import type { Kind } from "../../provider/resources";
import { given, type Service } from "../support/given";
import { killedAfterAnswer, killedBeforeAnswer } from "./crashes";
import { kind } from "./support";

const STATES = 10_000;
const SEED = 20_260_105;

/** Numbers from 0 up to a limit, the same for the same seed. */
function seeded(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

interface Case {
  readonly kind: Kind;
  readonly identity: string | undefined;
  readonly prior: State;
  readonly inputs: Values;
}

const KINDS = ["server", "instance", "backup", "team"].map(kind);
const NAMES = ["web", "erp", "shop", "ci"];

/** A random value of a field, as programs give and services answer them. */
function valueOf(name: string, random: (limit: number) => number): unknown {
  const some = random(4);
  if (name === "properties" || name === "secret_properties") return { size: String(some) };
  if (name === "permissions") return [["servers:read", "teams:read"][some % 2]];
  if (name === "triggers") return { day: String(some) };
  if (name === "deletion_protection" || name === "backup_before_upgrade") return some > 1;
  if (name === "version") return `1${some}.0`;
  if (name.endsWith("_id")) return `srv_${some}`;
  return name === "name" ? NAMES[some] : undefined;
}

const valuesOf = (of: Kind, random: (limit: number) => number): Record<string, unknown> =>
  Object.fromEntries<unknown>(
    of.inputs
      .filter(() => random(3) > 0)
      .map(([name]) => [name, valueOf(name, random)] as const)
      .filter(([, value]) => value !== undefined),
  );

/** States and declarations of one account, of another one, and of keys that somebody else rotates. */
function casesFor({ emulator }: Service, profile: string): Case[] {
  const random = seeded(SEED);
  return Array.from({ length: STATES }, (_, at) => {
    const of = KINDS[random(KINDS.length)] as Kind;
    const values = valuesOf(of, random);
    const isOurs = random(20) > 0;
    const account = {
      baseUrl: isOurs ? emulator.baseUrl : "https://other.example/v1",
      environment: "test" as const,
    };
    const mark = random(5) === 0 ? { resumed: `mark-${at}` } : {};
    return {
      kind: of,
      identity: random(4) === 0 ? undefined : `urn:${random(STATES)}`,
      prior: {
        // Some are those of the entries that runs before have left.
        id: `${of.name === "server" ? "srv" : of.name}_${1 + random(STATES)}`,
        values: { ...values, ...(random(3) === 0 && { current_key_id: `key_${random(STATES)}` }) },
        private: { account, profile, managed: Object.keys(values), echo: {}, ...mark },
      },
      inputs: random(2) === 0 ? values : valuesOf(of, random),
    };
  });
}

/** All that a plan asks of an engine for one declaration, as text. */
async function planned(engine: Engine, { kind: of, identity, prior, inputs }: Case) {
  const checked = engine.check(of, inputs, identity, true);
  const failed = (error: unknown) => ({ failed: String(error) });
  const difference = await engine.diff(of, prior, inputs, identity).catch(failed);
  return JSON.stringify([
    checked,
    difference,
    "changes" in difference && engine.plannedUpdate(of, prior, inputs, difference),
    engine.plannedDelete(of, prior),
  ]);
}

async function plannedAll(engine: Engine, cases: readonly Case[]): Promise<Map<Case, string>> {
  const answers = new Map<Case, string>();
  for (const one of cases) answers.set(one, await planned(engine, one));
  return answers;
}

const shuffled = (cases: readonly Case[]): Case[] => {
  const random = seeded(SEED + 1);
  return cases
    .map((one) => ({ one, at: random(STATES * 100) }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one);
};

/** Entries of runs that were cut off, of which some states hold the objects. */
async function withEntries(): Promise<Service> {
  const service = await given();
  await killedAfterAnswer(service);
  for (const name of ["two", "three"]) {
    await killedAfterAnswer(service, { name }, {}, { identity: name });
  }
  await killedBeforeAnswer(service, { name: "four" }, {}, { identity: "four" });
  return service;
}

const differing = (one: Map<Case, string>, other: Map<Case, string>): unknown[] =>
  [...one].filter(([each, answer]) => other.get(each) !== answer).map(([{ prior }]) => prior.id);

test("ten thousand states planned twice, and in any order, give the same answers, and no call is made for them", async () => {
  const service = await withEntries();
  const { engine } = service.engine();
  const cases = casesFor(service, engine.contract.hash);
  service.emulator.clearJournal();
  const first = await plannedAll(engine, cases);
  expect(differing(first, await plannedAll(engine, cases))).toEqual([]);
  // Another process, whose plans nothing has come before.
  const other = service.engine().engine;
  expect(differing(first, await plannedAll(other, shuffled(cases)))).toEqual([]);
  expect(service.emulator.journal()).toEqual([]);
}, 60_000);
