/** Pages of an interrupted reading, kept for the next one: without what looks like a secret, for this user alone. */
import * as z from "zod";
import type { Account } from "../../../provider";
import { jsonOf, resources } from "../../../provider/contract";
import { visible } from "../../../provider/messages";
import { LOCK_FILE, type PrivateFolder } from "../private-folder";
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
const IGNORE = ".gitignore";
const headerSchema = z.object({ begunMs: z.number(), reading: z.string() });
const plurals = Object.values(resources).map(({ plural }) => plural);
/** No run makes pages before it has said what they are of, nor removes that before them. */
const PAGE = new RegExp(String.raw`^(?:${plurals.join("|")})-\d+\.json$`);
/** Every name that a run gives. Drafts of earlier versions have no number. */
const OWN = new RegExp(
  String.raw`^(?:run|\.gitignore|reading\.json|${PAGE.source.slice(1, -1)})(?:(?:\.[0-9a-f]{16})?\.part)?$`,
);
/** What a run writes under names that others give as well. A lock is empty for a moment. */
const TEXTS: Readonly<Record<string, RegExp>> = {
  [LOCK_FILE]: /^(?:\d+-[0-9a-z]+(?:-[0-9a-z]+)?)?$/,
  [IGNORE]: /^\*\n$/,
};

/** Keeps nothing where there is no folder. */
export class KeptPages {
  constructor(
    private readonly folder: PrivateFolder | undefined,
    private readonly nowMs: () => number,
  ) {}

  /** @throws Error where the folder is not ours, or holds anything that no run wrote */
  assertOurs(): void {
    const names = this.folder?.names() ?? [];
    const other = names.find((name) => !this.isOwn(name));
    if (other !== undefined) this.folder?.refuse(`holds ${visible(other)}, which no import wrote`);
    const isHeaded = headerOf(this.folder?.text(HEADER)) !== undefined;
    if (isHeaded || (!names.includes(HEADER) && !names.some((name) => PAGE.test(name)))) return;
    this.folder?.refuse(`has no ${HEADER} that an import wrote`);
  }

  private isOwn(name: string): boolean {
    if (!OWN.test(name) || this.folder?.mayHold(name) === false) return false;
    // What has gone meanwhile is nobody's.
    const text = TEXTS[name] && this.folder?.text(name);
    return text === undefined || TEXTS[name]?.test(text) === true;
  }

  open(reading: Reading): void {
    if (!this.folder) return;
    const { account, keyId, profile } = reading;
    const own = JSON.stringify([account.baseUrl, account.environment, keyId, profile]);
    const before = headerOf(this.folder.text(HEADER));
    const age = this.nowMs() - (before?.begunMs ?? 0);
    if (before?.reading === own && age >= 0 && age <= AGE_MAX_MS) return;
    this.drop();
    // Whoever commits the program after an interruption does not commit this.
    this.folder.keep(IGNORE, "*\n");
    this.folder.keep(HEADER, JSON.stringify({ begunMs: this.nowMs(), reading: own }));
  }

  get(plural: string, number: number): AccountPage | undefined {
    const text = this.folder?.text(nameOf(plural, number));
    return text === undefined ? undefined : parsedPage(text);
  }

  put(plural: string, number: number, page: AccountPage): void {
    this.folder?.keep(nameOf(plural, number), JSON.stringify(page));
  }

  forget(plural: string, count: number): void {
    for (let number = 1; number <= count; number += 1) {
      this.folder?.remove(nameOf(plural, number));
    }
  }

  drop(): void {
    const names = this.folder?.names() ?? [];
    const own = names.filter((name) => OWN.test(name) && name !== LOCK_FILE && name !== HEADER);
    for (const name of [...own, HEADER]) this.folder?.remove(name);
  }
}

const nameOf = (plural: string, number: number): string => `${plural}-${number}.json`;

const headerOf = (text: string | undefined): z.output<typeof headerSchema> | undefined =>
  headerSchema.safeParse(jsonOf(text)).data;
