/** The file that a plan run leaves to the apply after the merge: a plan has secrets, so it is encrypted. */
import { gunzipSync, gzipSync } from "node:zlib";
import * as z from "zod";
import { TOOLS } from "./tools/tool";

const schema = z.object({
  version: z.literal(1),
  tool: z.enum(TOOLS),
  stack: z.string(),
  /** From the top of the repository. */
  dir: z.string(),
  commit: z.string(),
  /** Where the pull request began: one's own rules are those of this commit. */
  base: z.string().optional(),
  /** Hash of one's own rules; undefined where none judged the plan. */
  rules: z.string().optional(),
  /** As the engine prints it: what was reviewed, value by value. */
  json: z.string(),
});
export type SavedPlan = z.output<typeof schema>;

const AGE = Buffer.from("age-encryption.org/v1\n");
/** A passphrase comes from a store of secrets, and a job should not wait for seconds. */
const SCRYPT_LOG_N = 15;
const BYTES_MAX = 512 * 1024 ** 2;

/** @param passphrase undefined: not encrypted, because somebody asked for that */
export async function encodeSaved(saved: SavedPlan, passphrase: string | undefined) {
  const bytes = gzipSync(JSON.stringify(saved));
  if (passphrase === undefined) return bytes;
  const { Encrypter } = await import("age-encryption");
  const encrypter = new Encrypter();
  encrypter.setScryptWorkFactor(SCRYPT_LOG_N);
  encrypter.setPassphrase(passphrase);
  return encrypter.encrypt(bytes);
}

/**
 * A passphrase also shows that a run which knew it wrote the file, so one that is not encrypted counts
 * only where that is allowed.
 * @throws Error with a part of a sentence
 */
export async function decodeSaved(bytes: Uint8Array, passphrase: string | undefined) {
  const isEncrypted = AGE.equals(bytes.subarray(0, AGE.length));
  if (isEncrypted !== (passphrase !== undefined)) {
    throw new Error(
      isEncrypted
        ? "the saved plan is encrypted, and this job allows none that is (--unencrypted)"
        : "the saved plan is not encrypted, and only a job with --unencrypted accepts it",
    );
  }
  const plain = passphrase === undefined ? bytes : await decrypted(bytes, passphrase);
  const { data } = schema.safeParse(parseSaved(plain));
  if (!data) throw new Error("the saved plan is damaged, or of another release of erphost");
  return data;
}

async function decrypted(bytes: Uint8Array, passphrase: string): Promise<Uint8Array> {
  const { Decrypter } = await import("age-encryption");
  const decrypter = new Decrypter();
  decrypter.addPassphrase(passphrase);
  try {
    return await decrypter.decrypt(bytes);
  } catch {
    throw new Error(
      "the saved plan cannot be decrypted, because ERPHOST_PLAN_PASSPHRASE is not the one that the plan job had, or the file was changed",
    );
  }
}

function parseSaved(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(gunzipSync(bytes, { maxOutputLength: BYTES_MAX }).toString());
  } catch {
    return undefined; // Whoever reads it says that it is damaged.
  }
}
