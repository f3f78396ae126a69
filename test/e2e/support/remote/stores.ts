/** Where tests keep states that every machine can reach. */
import { hasPostgres, startPostgres } from "./postgres";
import { hasS3, startS3 } from "./s3";

/** Tests without theirs are skipped, by the names that test/support/allowed-skips.json lists. */
export const stores = {
  PostgreSQL: { isThere: hasPostgres, start: startPostgres },
  S3: { isThere: hasS3, start: startS3 },
} as const;

export type StoreName = keyof typeof stores;
