import { x25519 } from "@noble/curves/ed25519.js";
import { hsalsa, secretbox } from "@noble/ciphers/salsa.js";
import { blake2b } from "@noble/hashes/blake2.js";
import { Encrypter, armor, generateX25519Identity, identityToRecipient } from "age-encryption";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { Pipeline } from "./support";

let pipeline: Pipeline;

beforeEach(async () => {
  pipeline = await Pipeline.start();
});
afterEach(() => pipeline.close());

const WORDS = ["secret", "--output", "ci", "--name", "ERPHOST_API_KEY"];
const outputs = (value: unknown): void =>
  pipeline.set("outputs.json", JSON.stringify({ ci: { sensitive: true, value } }));

/** Opens what GitHub was given, as GitHub would. */
function opened(place: string): string {
  const box = Buffer.from(pipeline.github.secrets.get(place)?.sealed ?? "", "base64");
  const { secretKey } = pipeline.github;
  const [sender, sealed] = [box.subarray(0, 32), box.subarray(32)];
  const words = (bytes: Uint8Array) => new Uint32Array(Uint8Array.from(bytes).buffer);
  const key = new Uint32Array(8);
  const sigma = words(Buffer.from("expand 32-byte k"));
  hsalsa(sigma, words(x25519.getSharedSecret(secretKey, sender)), new Uint32Array(4), key);
  const own = x25519.getPublicKey(secretKey);
  const nonce = blake2b(Buffer.concat([sender, own]), { dkLen: 24 });
  return Buffer.from(secretbox(new Uint8Array(key.buffer), nonce).open(sealed)).toString();
}

test("a rotated key becomes a secret of the forge, the old key's end is said, and nothing shows the key", async () => {
  const { value } = pipeline.emulator.createKey({ permissions: ["servers:read"] });
  outputs({ value, previous_key_expires_at: "2026-12-01T00:00:00Z" });
  const { code, out, err } = await pipeline.run(WORDS);
  expect({ code, err }).toMatchObject({ code: 0 });
  expect(out).toEqual([
    "Stored output ci as the secret ERPHOST_API_KEY. The old key works until 2026-12-01T00:00:00Z.",
  ]);
  expect(opened("ERPHOST_API_KEY")).toBe(value);
  expect([...out, ...err, ...pipeline.github.posted].join("\n")).not.toContain(value);
});

test("an encrypted key is stored for one environment, by whoever has the identity", async () => {
  const { value } = pipeline.emulator.createKey({ permissions: ["servers:read"] });
  const identity = await generateX25519Identity();
  const encrypter = new Encrypter();
  encrypter.addRecipient(await identityToRecipient(identity));
  outputs({ encrypted_value: armor.encode(await encrypter.encrypt(value)) });
  const words = [...WORDS, "--environment", "prod"];
  expect(await pipeline.run(words)).toMatchObject({ code: 2 });
  const env = { ERPHOST_IDENTITY: identity };
  expect(await pipeline.run(words, { env })).toMatchObject({ code: 0 });
  expect(opened("prod/ERPHOST_API_KEY")).toBe(value);
  expect(pipeline.read("environment")).not.toContain("AGE-SECRET-KEY");
});

test.each([
  ["a key that the service refuses", "erp_live_0123456789abcdefghijklmnopqrstuv"],
  ["nothing", undefined],
  ["a number", 17],
  ["an object without a key", { name: "ci" }],
])("%s takes the place of no secret", async (_, value) => {
  outputs(value);
  const { code, err } = await pipeline.run(WORDS);
  expect(code).not.toBe(0);
  expect(err.join("\n")).not.toContain("erp_live_0123456789");
  expect(pipeline.github.secrets.size).toBe(0);
});

test("a name that no forge takes is refused before any call", async () => {
  const words = ["secret", "--output", "ci", "--name", "A B"];
  expect(await pipeline.run(words)).toMatchObject({ code: 2 });
  expect(pipeline.github.calls).toEqual([]);
});
