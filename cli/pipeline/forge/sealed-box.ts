/** libsodium's `crypto_box_seal`, by which GitHub takes secrets. */
import { hsalsa, secretbox } from "@noble/ciphers/salsa.js";
import { x25519 } from "@noble/curves/ed25519.js";
import { blake2b } from "@noble/hashes/blake2.js";

const NONCE_BYTES = 24;
/** `expand 32-byte k`, as Salsa20 begins. */
const SIGMA = wordsOf(Buffer.from("expand 32-byte k"));

/**
 * Only the owner of the public key can open it, and nobody can tell who sealed it.
 * @param key the public key in base64
 * @param once the secret half of a key pair that is used for this box alone
 * @returns base64
 */
export function sealed(value: string, key: string, once = x25519.utils.randomSecretKey()): string {
  const recipient = Buffer.from(key, "base64");
  const sender = x25519.getPublicKey(once);
  const shared = new Uint32Array(8);
  const point = x25519.getSharedSecret(once, recipient);
  hsalsa(SIGMA, wordsOf(point), new Uint32Array(4), shared);
  const nonce = blake2b(Buffer.concat([sender, recipient]), { dkLen: NONCE_BYTES });
  const box = secretbox(bytesOf(shared), nonce).seal(Buffer.from(value));
  return Buffer.concat([sender, box]).toString("base64");
}

function wordsOf(bytes: Uint8Array): Uint32Array {
  const view = Buffer.from(bytes);
  return Uint32Array.from({ length: view.length / 4 }, (_, index) => view.readUInt32LE(index * 4));
}

function bytesOf(words: Uint32Array): Uint8Array {
  const bytes = Buffer.alloc(words.length * 4);
  words.forEach((word, index) => bytes.writeUInt32LE(word, index * 4));
  return bytes;
}
