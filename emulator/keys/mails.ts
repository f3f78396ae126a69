/** The mails that the service would send, sealed: they hold secrets. */
import type { RandomBytes } from "../random";
import type { Database } from "../store/database";
import { seal, unseal } from "../store/vault";

/** What is mailed about a rotation that nobody asked for. Assumption: Rotation by the service. */
export interface Mail {
  /** When it was sent, by the emulator's clock. */
  readonly at: string;
  /** The key's `notification_email`. */
  readonly to: string;
  readonly subject: string;
  readonly old_key: { readonly id: string; readonly expires_at: string };
  /** Nobody else is shown this value. */
  readonly new_key: { readonly id: string; readonly value: string };
}

/** Mails that are kept; the oldest are deleted first. */
const MAILS_MAX = 1_000;
const PURPOSE = "mail";

/** Mails, kept with the state. `fileKey` encrypts them. */
export class Mails {
  constructor(
    private readonly database: Database,
    private readonly fileKey: Uint8Array,
    private readonly bytes: RandomBytes,
  ) {}

  /** Adds a mail, inside the transaction that caused it. */
  post(mail: Mail): void {
    const sealed = seal(JSON.stringify(mail), this.fileKey, PURPOSE, this.bytes);
    this.database.run("INSERT INTO mails (sealed) VALUES (?)", sealed);
    this.database.run("DELETE FROM mails WHERE seq <= (SELECT max(seq) FROM mails) - ?", MAILS_MAX);
  }

  /** All mails, newest last; without those of another `FILE.key`. */
  list(): Mail[] {
    const rows = this.database.all<{ sealed: Uint8Array }>("SELECT * FROM mails ORDER BY seq");
    return rows.flatMap(({ sealed }) => {
      const text = unseal(sealed, this.fileKey, PURPOSE);
      // Written by `post`.
      return text === undefined ? [] : [JSON.parse(text) as Mail];
    });
  }

  clear(): void {
    this.database.run("DELETE FROM mails");
  }
}
