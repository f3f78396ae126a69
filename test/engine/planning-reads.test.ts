/** Planning only reads: it gives the same answers in any order, and changes nothing. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import type { Values } from "../../provider/contract";
import {
  checkDeclared,
  diff,
  plannedDelete,
  plannedNames,
  plannedRights,
  plannedUpdate,
  type Engine,
  type Seen,
  type State,
} from "../../provider/engine";
import type { Kind } from "../../provider/resources";
import { seededRandom } from "../../emulator/random";
import { given, type Service } from "../support/given";
import { killed, leftBy } from "./crashes";
import { kind } from "./support";

const STATES = 10_000;
const SEED = 20_260_105;

/** Numbers from 0 up to a limit, the same for the same seed. */
function numbers(seed: number): (limit: number) => number {
  const random = seededRandom(seed);
  return (limit) => Math.floor(random() * limit);
}

interface Case {
  readonly kind: Kind;
  readonly identity: string | undefined;
  readonly prior: State;
  readonly inputs: Values;
}

const KINDS = ["server", "instance", "backup", "team", "api_key", "api_key_rotation"].map(kind);
/** Of some, interrupted runs have left entries. */
const NAMES = ["web", "two", "three", "four"];

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
  const random = numbers(SEED);
  return Array.from({ length: STATES }, (_, at) => {
    const of = KINDS[random(KINDS.length)] as Kind;
    const values = valuesOf(of, random);
    const account = {
      baseUrl: random(20) > 0 ? emulator.baseUrl : "https://other.example/v1",
      environment: "test" as const,
    };
    const mark = random(5) === 0 ? { resumed: `mark-${at}` } : {};
    return {
      kind: of,
      identity: [undefined, String(values["name"]), `urn:${random(STATES)}`][random(3)],
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

/** What a host shows of a declaration before it plans it; undefined where that is refused. */
const observed = (engine: Engine, { kind: of, identity, prior, inputs }: Case) =>
  engine
    .observe(of, { identity, hasState: true, prior, declared: inputs, names: true })
    .catch((error: unknown) => void expect(String(error)).toContain("rotat"));

/** All that a plan says of one declaration, as text. */
function planned(seen: Seen<true>, { kind: of, prior, inputs }: Case): string {
  const difference = diff(seen, prior, inputs);
  const rights = (["create", "delete", { prior, inputs, difference }] as const).map((action) =>
    plannedRights(seen, action),
  );
  return JSON.stringify([
    ...[checkDeclared(seen, inputs), difference, rights, plannedNames(seen, inputs)],
    ...[plannedUpdate(of, prior, inputs, difference), plannedDelete(seen, prior)],
  ]);
}

const diskOf = ({ intents }: Service): string[] =>
  readdirSync(intents)
    .sort()
    .map((name) => `${name} ${readFileSync(join(intents, name), "utf8")}`);

/** The engine's memory, which no program sees, as text whose order does not matter. */
function ledgerOf(engine: Engine): string {
  const { ledger } = (engine as unknown as { run: { ledger: object } }).run;
  const plain = (_: string, value: unknown): unknown =>
    value instanceof Map || value instanceof Set
      ? [...value].map((each) => JSON.stringify(each, plain)).sort()
      : value;
  return JSON.stringify(ledger, plain);
}

function shuffled<T>(some: readonly T[]): T[] {
  const random = seededRandom(SEED + 1);
  const places = new Map(some.map((one) => [one, random()]));
  return [...some].sort((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
}

/** Entries of runs that were cut off, of which some states hold the objects. */
async function withEntries(): Promise<Service> {
  const { service } = await leftBy(killed.afterAnswer);
  for (const name of ["two", "three"]) {
    await killed.afterAnswer(service, { name }, {}, { identity: name });
  }
  await killed.beforeAnswer(service, { name: "four" }, {}, { identity: "four" });
  return service;
}

test("ten thousand states planned twice, and in any order, from one view give the same answers, and leave ledger and disk as they are", async () => {
  const service = await withEntries();
  const { engine } = service.engine({ options: { sameName: "warn", readMaxAgeMs: 600_000 } });
  const views: [Case, Seen<true>][] = [];
  for (const one of casesFor(service, engine.contract.hash)) {
    const seen = await observed(engine, one);
    if (seen) views.push([one, seen]);
  }
  expect(views.length).toBeGreaterThan(STATES * 0.9);
  const said = views.map(([{ inputs }, seen]) => plannedNames(seen, inputs).notes.length);
  expect(said.filter((count) => count > 0).length).toBeGreaterThan(STATES * 0.1);
  expect(views.filter(([, { named }]) => named?.open.size).length).toBeGreaterThan(10);
  expect(views.some(([{ identity }]) => identity === undefined)).toBe(true);
  service.emulator.clearJournal();
  const before = [ledgerOf(engine), diskOf(service)];
  const answers = new Map(views.map(([one, seen]) => [one, planned(seen, one)]));
  const again = [...views, ...shuffled(views)].filter(
    ([one, seen]) => planned(seen, one) !== answers.get(one),
  );
  expect(again).toEqual([]);
  expect([ledgerOf(engine), diskOf(service)]).toEqual(before);
  expect(service.emulator.journal()).toEqual([]);
}, 60_000);

test("the same facts, shown in any order and twice, leave the same ledger", async () => {
  const service = await given();
  // One state for each declaration and one declaration for each object and key, as hosts have them.
  const cases = casesFor(service, "a hash")
    .slice(0, 1_000)
    .map((one, at) => ({
      ...{ ...one, identity: `urn:${at}`, inputs: { ...one.inputs, key_id: `key_${at}` } },
      prior: { ...one.prior, id: `${one.kind.name}_${at}`, values: { name: "web" } },
    }));
  const noted = async (some: readonly Case[]): Promise<unknown> => {
    const { engine } = service.engine();
    for (const one of some) await observed(engine, one);
    return ledgerOf(engine);
  };
  const first = await noted(cases);
  expect(await noted(shuffled(cases))).toEqual(first);
  expect(await noted([...cases, ...shuffled(cases)])).toEqual(first);
}, 60_000);

test("a face that plans a name, and has not shown that it does, does not compile", async () => {
  const { engine } = (await given()).engine();
  const declared = { name: "web" };
  // @ts-expect-error It would say nothing of any name.
  const findings = plannedNames(await engine.observe(kind("server"), { declared }), declared);
  expect(findings).toEqual({ refusals: [], notes: [] });
});
