/** What the demo asks of the service itself, past the engine, and checks in its journal. */
import type { Emulator, JournalEntry } from "../emulator";
import { isRecord } from "../provider/contract";
import { expect } from "./steps";

export type ServiceRecord = Record<string, unknown> & { readonly id: string };

export interface ApiKey {
  readonly id: string;
  readonly value: string;
}

/** The emulator, as whoever runs the service sees it. */
export class Service {
  /** Calls that the demo has made itself. */
  probes = 0;

  constructor(readonly emulator: Emulator) {}

  all(kind: string): readonly ServiceRecord[] {
    return this.emulator.objects(kind).map((record) => ({ ...record, id: String(record["id"]) }));
  }

  /** Names, or ids of what has none. */
  names(kind: string): readonly string[] {
    return this.all(kind).map(({ id, name }) => (typeof name === "string" ? name : id));
  }

  one(kind: string, name: string): ServiceRecord {
    const record = this.all(kind).find((each) => each["name"] === name);
    expect(record !== undefined, `the service has no ${kind} named ${name}`);
    return record;
  }

  /** The pipeline's keys. */
  keys(): readonly string[] {
    return this.all("api_key")
      .filter(({ name }) => name === "pipeline")
      .map(({ id }) => id);
  }

  /** Milliseconds until a rotated key ends, on the service's clock. */
  remainingMs(key: string): number {
    const record = this.all("api_key").find(({ id }) => id === key);
    const end = record?.["expires_at"];
    expect(typeof end === "string", `nothing says when the old key ${key} ends`);
    return Date.parse(end) - Date.parse(this.emulator.clock().now);
  }

  /** Calls the service with a key; it must be let in. */
  async expectWorks(what: string, { id, value }: ApiKey): Promise<void> {
    const { status, code } = await this.listServersWith(value);
    expect(status === 200, `${what} ${id} does not work: the service answers ${status} ${code}`);
  }

  /** Calls the service with a key; it must be refused because it has ended. */
  async expectEnded(what: string, { id, value }: ApiKey): Promise<void> {
    const { status, code } = await this.listServersWith(value);
    expect(status === 401, `${what} ${id} still works: the service answers ${status} ${code}`);
  }

  private async listServersWith(value: string): Promise<{ status: number; code: string }> {
    this.probes += 1;
    const answer = await fetch(`${this.emulator.baseUrl}/servers?per_page=1`, {
      headers: { Authorization: `Bearer ${value}`, "Content-Type": "application/json" },
    });
    const body: unknown = await answer.json();
    const error = isRecord(body) && isRecord(body["error"]) ? body["error"] : {};
    return { status: answer.status, code: typeof error["code"] === "string" ? error["code"] : "" };
  }
}

/** The part of a journal's entry that is read here. */
export type Call = Pick<
  JournalEntry,
  "method" | "path" | "query" | "status" | "started_at" | "ended_at"
>;

const isDone = ({ status }: Call): boolean => status !== null && status >= 200 && status < 300;

const name = ({ method, path }: Call): string => `${method} ${path}`;

/** Nothing but reads was sent. */
export function expectReadsOnly(journal: readonly Call[], what: string): void {
  const writes = journal.filter(({ method }) => method !== "GET").map(name);
  expect(writes.length === 0, `${what} sent ${writes.join(", ")}`);
}

/** One PATCH of the instance was answered, and before it was sent a backup was made and looked at. */
export function expectBackupFirst(journal: readonly Call[], instance: string): void {
  const upgrades = patchesOf(journal, instance);
  const [upgrade] = upgrades;
  expect(
    upgrade !== undefined && upgrades.length === 1,
    `${instance} was changed ${upgrades.length} times instead of once`,
  );
  const backup = journal.find((call) => name(call) === "POST /backups" && isDone(call));
  expect(backup !== undefined, `no backup was made for the upgrade of ${instance}`);
  expect(
    wasBefore(backup, upgrade),
    `the backup was made after the upgrade of ${instance}, not before`,
  );
  const isLookedAt = journal.some(
    (call) =>
      name(call).startsWith("GET /backups") && wasBefore(backup, call) && wasBefore(call, upgrade),
  );
  expect(isLookedAt, `the upgrade of ${instance} did not wait for its backup to be finished`);
}

/** One PATCH of the instance was answered. */
export function expectUpgraded(journal: readonly Call[], instance: string): void {
  const { length } = patchesOf(journal, instance);
  expect(length === 1, `${instance} was changed ${length} times instead of once`);
}

const patchesOf = (journal: readonly Call[], instance: string): readonly Call[] =>
  journal.filter((call) => name(call) === `PATCH /instances/${instance}` && isDone(call));

/** The first was answered before the second was sent. */
const wasBefore = (first: Call, second: Call): boolean =>
  first.ended_at !== null && first.ended_at <= second.started_at;

/** How often a list was read from its first page on. */
export const walksOf = (journal: readonly Call[], list: string): number =>
  journal.filter(
    (call) =>
      name(call) === `GET ${list}` &&
      isDone(call) &&
      ["1", null].includes(new URLSearchParams(call.query).get("page")),
  ).length;

/** How a run asks at its beginning whether its key works. */
const KEY_TEST = "/auth/test";

/** Every one of these lists was read, and nothing else was sent. */
export function expectListsOnly(journal: readonly Call[], lists: readonly string[]): void {
  expectReadsOnly(journal, "the refresh");
  const others = journal.filter(({ path }) => !lists.includes(path) && path !== KEY_TEST).map(name);
  expect(others.length === 0, `the refresh sent ${others.join(", ")}`);
  const unread = lists.filter((list) => walksOf(journal, list) === 0);
  expect(unread.length === 0, `the refresh did not read ${unread.join(", ")}`);
}
