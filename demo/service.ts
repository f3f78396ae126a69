/** What the demo asks of the service itself, past the engine, and checks in its journal. */
import { ask } from "../test/support/ask";
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

  keys(): readonly string[] {
    return this.all("api_key")
      .filter(({ name }) => name === "pipeline")
      .map(({ id }) => id);
  }

  /** Milliseconds until a rotated key ends, on the service's clock. */
  remainingMs(key: string): number {
    const end = this.all("api_key").find(({ id }) => id === key)?.["expires_at"];
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
    const answer = await ask(this.emulator, "GET /servers?per_page=1", { key: value });
    const body: unknown = await answer.json();
    const error = isRecord(body) && isRecord(body["error"]) ? body["error"] : {};
    return { status: answer.status, code: typeof error["code"] === "string" ? error["code"] : "" };
  }
}

/** A journal's entry, as far as it is read here. */
type Call = Pick<JournalEntry, "method" | "path">;

const nameOf = ({ method, path }: Call): string => `${method} ${path}`;

/** Nothing but reads was sent. */
export function expectReadsOnly(journal: readonly Call[], what: string): void {
  const writes = journal.filter(({ method }) => method !== "GET").map(nameOf);
  expect(writes.length === 0, `${what} sent ${writes.join(", ")}`);
}

/** A backup was asked for before the instance was changed. */
export function expectBackupFirst(journal: readonly Call[], instance: string): void {
  const sent = journal.map(nameOf);
  const upgrade = sent.indexOf(`PATCH /instances/${instance}`);
  expect(upgrade >= 0, `${instance} was not changed`);
  const isFirst = sent.slice(0, upgrade).includes("POST /backups");
  expect(isFirst, `no backup was made before the upgrade of ${instance}`);
}
