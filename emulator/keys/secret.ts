/** The text of an API key: created, parsed, hashed. Only the hash is ever stored. */
import { hash, timingSafeEqual } from "node:crypto";
import type { KeyParts } from "../../provider/contract";
import type { RandomBytes } from "../random";

/** The shortest key that can be set from outside. */
export const KEY_LENGTH_MIN = 16;
/** 192 random bits. */
const RANDOM_BYTES = 24;
/** Characters of the checksum at the end. */
const CHECKSUM_LENGTH = 6;

/** What is stored of a key. */
export const hashOf = (value: string): Buffer => hash("sha256", value, "buffer");

/** Compares in constant time. */
export const sameHash = (a: Uint8Array, b: Uint8Array): boolean =>
  a.length === b.length && timingSafeEqual(a, b);

const checksum = (text: string): string => hashOf(text).toString("hex").slice(0, CHECKSUM_LENGTH);

/** The prefix of keys, unless the emulator is given a key with another one. */
export const PREFIX_DEFAULT = "erp";

/** `erp_test_<handle>_<random><checksum>`: a handle to look it up by, and the secret. */
export function makeValue(
  handle: string,
  { prefix, environment }: Pick<KeyParts, "prefix" | "environment">,
  bytes: RandomBytes,
): string {
  const random = Buffer.from(bytes(RANDOM_BYTES)).toString("hex");
  const text = `${prefix}_${environment}_${handle}_${random}`;
  return `${text}${checksum(text)}`;
}

/** What a key is looked up by: the handle in its value or, for other values, part of its hash. */
export function handleOf(value: string): string {
  const own = /^(.+)_(?:live|test)_([0-9a-z]+)_[0-9a-f]{54}$/.exec(value);
  // With another prefix the form alone could be that of a key that was made elsewhere.
  const isOwn =
    own?.[1] === PREFIX_DEFAULT ||
    checksum(value.slice(0, -CHECKSUM_LENGTH)) === value.slice(-CHECKSUM_LENGTH);
  return (isOwn ? own?.[2] : undefined) ?? `x${hashOf(value).toString("hex").slice(0, 16)}`;
}
