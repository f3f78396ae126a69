import { Encrypter, armor, generateX25519Identity, identityToRecipient } from "age-encryption";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { Pipeline } from "./support";

let pipeline: Pipeline;

beforeAll(async () => {
  pipeline = await Pipeline.start();
});
beforeEach(() => pipeline.reset());
afterAll(() => pipeline.close());

const WORDS = ["secret", "--output", "ci", "--name", "ERPHOST_API_KEY"];
const outputs = (value: unknown): void =>
  pipeline.set("outputs.json", JSON.stringify({ ci: { sensitive: true, value } }));

test("a rotated key becomes a secret of the forge, the old key's end is said, and nothing shows the key", async () => {
  const { value } = pipeline.emulator.createKey({ permissions: ["servers:read"] });
  outputs({ value, previous_key_expires_at: "2026-12-01T00:00:00Z" });
  const { code, out, err } = await pipeline.run(WORDS);
  expect({ code, err }).toMatchObject({ code: 0 });
  expect(out).toEqual([
    "Stored output ci as the secret ERPHOST_API_KEY. The old key works until 2026-12-01T00:00:00Z.",
  ]);
  expect(pipeline.github.secret("ERPHOST_API_KEY")).toBe(value);
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
  expect(pipeline.github.secret("prod/ERPHOST_API_KEY")).toBe(value);
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
