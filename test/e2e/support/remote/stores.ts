/** Where tests keep states that every machine can reach. */
import { hasPostgres, startPostgres } from "./postgres";
import { hasS3, startS3 } from "./s3";

/** One state's place in a store, with what each engine needs to find it. */
export interface Place {
  /** What the guide's block leaves to the environment of Terraform and OpenTofu. */
  readonly terraform: Readonly<Record<string, string>>;
  readonly pulumi: Readonly<Record<string, string>>;
  /** All that is kept there, as text; nothing of it is left in base64. */
  content(): Promise<string>;
}

/** A server that keeps states until it is closed. */
export interface Store {
  /** A place that nobody else has. @param name letters, digits and hyphens */
  place(name: string): Promise<Place>;
  close(): Promise<void>;
}

/** Tests without theirs are skipped, by the names that test/support/allowed-skips.json lists. */
export const stores = {
  PostgreSQL: { isThere: hasPostgres, start: startPostgres },
  S3: { isThere: hasS3, start: startS3 },
} as const;

export type StoreName = keyof typeof stores;
