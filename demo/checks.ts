/** What the demo checks in the service's journal. */
import type { JournalEntry } from "../emulator";
import { expect } from "./steps";

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
