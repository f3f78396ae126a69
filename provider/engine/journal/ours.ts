/** What only runs of this user, or with this API key, can make: an entry's signatures and seal. */
import { createCipheriv, createDecipheriv, createHmac, createSecretKey } from "node:crypto";
import { hkdfSync, timingSafeEqual } from "node:crypto";
import type { KeyObject } from "node:crypto";
import { basename } from "node:path";
import { canonicalJson } from "../../contract";
import type { IntentEntry } from "./entry";

/** What runs of one user, or of one account, have in common: the user's own key, or an API key. */
type Secret = string | Buffer;

/** Where something is signed: what was copied from another folder, by its name, is not ours. */
export interface Signing {
  readonly folder: string;
  /** Those that there are; asked whenever one is needed, since an API key may be replaced meanwhile. */
  readonly secrets: () => Promise<readonly (Secret | undefined)[]>;
}

/** Derived once for each secret: a run signs every entry twice, with all that it has. */
const keys = { signature: new Map<Secret, KeyObject>(), body: new Map<Secret, KeyObject>() };

function keyFrom(secret: Secret, does: keyof typeof keys): KeyObject {
  const known = keys[does].get(secret);
  if (known) return known;
  const bytes = hkdfSync("sha256", secret, "erphost", `intent ${does}`, 32);
  const key = createSecretKey(Buffer.from(bytes));
  keys[does].set(secret, key);
  return key;
}

/** One signature per secret, over everything that the entry says. */
export async function signaturesOf({ folder, secrets }: Signing, entry: object): Promise<string[]> {
  const text = `${basename(folder)}\n${canonicalJson(entry)}`;
  return (await secrets()).flatMap((secret) =>
    secret === undefined
      ? []
      : createHmac("sha256", keyFrom(secret, "signature")).update(text).digest("base64url"),
  );
}

/** One secret is enough: an API key is replaced, and a user's own key stays on its machine. */
export async function isOurs(
  place: Signing,
  entry: object,
  signatures: readonly string[],
): Promise<boolean> {
  const ours = await signaturesOf(place, entry);
  return signatures.some((theirs) => ours.some((own) => equal(own, theirs)));
}

function equal(a: string, b: string): boolean {
  const [one, two] = [Buffer.from(a), Buffer.from(b)];
  return one.length === two.length && timingSafeEqual(one, two);
}

/** The entry that a body is sealed for: in another one it can't be opened. */
type SealedFor = Pick<IntentEntry, "id" | "account" | "kind">;

const boundTo = ({ id, account, kind }: SealedFor): Buffer =>
  Buffer.from(canonicalJson([id, account.baseUrl, account.environment, kind]));

interface SealOptions {
  readonly apiKey: string;
  /** 12 bytes, random. */
  readonly nonce: Buffer;
  readonly intent: SealedFor;
}

/** AES-256-GCM; nonce, tag and text as one base64 string. */
export function seal(text: string, { apiKey, nonce, intent }: SealOptions): string {
  const cipher = createCipheriv("aes-256-gcm", keyFrom(apiKey, "body"), nonce);
  cipher.setAAD(boundTo(intent));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64");
}

/** Undefined where the key or the intent is another one, or the text was changed. */
export function unseal(sealed: string, apiKey: string, intent: SealedFor): string | undefined {
  try {
    const bytes = Buffer.from(sealed, "base64");
    const key = keyFrom(apiKey, "body");
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12));
    decipher.setAAD(boundTo(intent));
    decipher.setAuthTag(bytes.subarray(12, 28));
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}
