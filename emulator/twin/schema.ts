/** The copy of an account that an emulator is filled with: what `--save` writes and `--snapshot` reads. */
import * as z from "zod";
import { environments } from "../../provider/contract";

/** The form of this release's copies. */
const TWIN_VERSION = 1;

const record = z.record(z.string(), z.unknown());

export const twinSchema = z.strictObject({
  version: z.literal(TWIN_VERSION),
  /** Whose copy it is. */
  of: z.strictObject({
    baseUrl: z
      .url({ protocol: /^https?$/, normalize: true })
      // As a setting has it.
      .transform((url) => url.replace(/\/+$/, "")),
    environment: z.enum(environments),
    /** What the service calls the account, where it says anything. */
    accountId: z.string().min(1).optional(),
  }),
  /** When it was read, by the service's own clock where that is known. ISO 8601. */
  readAt: z.iso.datetime(),
  /** Limits of the key that it was read with; an empty list: none. */
  limits: z.array(
    z.strictObject({ requests: z.int().min(1), windowMs: z.number().min(1).max(2_678_400_000) }),
  ),
  /** Contract profile that it was read with. */
  profile: z.unknown().optional(),
  /** By kind, in the order of its list: each as the service showed it, under wire names. */
  objects: z.record(z.string(), z.array(record)),
  /** Free fields that a file does not hold, because they hold what looks like a secret. */
  leftOut: z
    .array(z.strictObject({ kind: z.string(), id: z.string(), field: z.string() }))
    .optional(),
});

export type Twin = z.output<typeof twinSchema>;

/** A key of the copy with the secret that it was given here. */
export interface TwinKey {
  readonly id: string;
  readonly name: string;
  readonly value: string;
}
