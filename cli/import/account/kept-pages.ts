/** Pages of an interrupted reading, kept for the next one: without secrets, for this user alone. */
import * as z from "zod";
import type { Account } from "../../../provider";
import { LOCK_FILE } from "../alone";
import type { Folder } from "../folder";
import { parsedPage, type AccountPage } from "./page";

/** What a reading is of: pages of another one are worth nothing. */
export interface Reading {
  readonly account: Account;
  readonly keyId: string;
  /** Hash of the contract profile, which says how records are read. */
  readonly profile: string;
}

/** Pages that are older say too little about the account. */
const AGE_MAX_MS = 60 * 60_000;

const HEADER = "reading.json";
const headerSchema = z.object({ begunMs: z.number(), reading: z.unknown() });

/** Keeps nothing where there is no folder. */
export class KeptPages {
  constructor(
    private readonly folder: Folder | undefined,
    private readonly nowMs: () => number,
  ) {}

  /** Begins or continues a reading. */
  open(reading: Reading): void {
    if (!this.folder) return;
    const { account, keyId, profile } = reading;
    const own = JSON.stringify([account.baseUrl, account.environment, keyId, profile]);
    const before = headerOf(this.folder.text(HEADER));
    const age = this.nowMs() - (before?.begunMs ?? 0);
    if (before?.reading === own && age >= 0 && age <= AGE_MAX_MS) return;
    this.drop();
    // Whoever commits the program after an interruption does not commit this.
    this.folder.keep(".gitignore", "*\n");
    this.folder.keep(HEADER, JSON.stringify({ begunMs: this.nowMs(), reading: own }));
  }

  get(plural: string, number: number): AccountPage | undefined {
    const text = this.folder?.text(nameOf(plural, number));
    return text === undefined ? undefined : parsedPage(text);
  }

  put(plural: string, number: number, page: AccountPage): void {
    this.folder?.keep(nameOf(plural, number), JSON.stringify(page));
  }

  /** Forgets the pages of one list. */
  forget(plural: string, count: number): void {
    for (let number = 1; number <= count; number += 1) {
      this.folder?.remove(nameOf(plural, number));
    }
  }

  drop(): void {
    for (const name of this.folder?.names() ?? []) {
      if (name !== LOCK_FILE) this.folder?.remove(name);
    }
  }
}

const nameOf = (plural: string, number: number): string => `${plural}-${number}.json`;

function headerOf(text: string | undefined): z.output<typeof headerSchema> | undefined {
  if (text === undefined) return undefined;
  try {
    return headerSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
