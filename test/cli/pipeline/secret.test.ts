import { Encrypter, armor, generateX25519Identity, identityToRecipient } from "age-encryption";
import { beforeAll, expect, test } from "@jest/globals";
import { scriptServer, success } from "../../client/support/script-server";
import { Pipeline } from "./support";

const pipeline = Pipeline.ofTests();
let identity: string;
beforeAll(async () => void (identity = await generateX25519Identity()));

const WORDS = ["secret", "--output", "ci", "--name", "ERPHOST_API_KEY"];
async function encrypted(key: string): Promise<string> {
  const encrypter = new Encrypter();
  encrypter.addRecipient(await identityToRecipient(identity));
  return armor.encode(await encrypter.encrypt(key));
}
const outputs = (value: unknown): void =>
  pipeline.set("outputs.json", JSON.stringify({ ci: { sensitive: true, value } }));

test("a rotated key becomes a secret of the forge, the old key's end is said, and nothing shows the key", async () => {
  const { value } = pipeline.emulator.createKey({ permissions: ["servers:read"] });
  const encrypted_value = await encrypted(value);
  outputs({ value: null, encrypted_value, previous_key_expires_at: "2026-12-01T00:00:00Z" });
  const { code, out, err } = await pipeline.run(WORDS, { env: { ERPHOST_IDENTITY: identity } });
  expect({ code, err }).toMatchObject({ code: 0 });
  expect(out).toEqual([
    "Stored output ci as the secret ERPHOST_API_KEY. The old key works until 2026-12-01T00:00:00Z.",
  ]);
  expect(pipeline.github.secret("ERPHOST_API_KEY")).toBe(value);
  expect([...out, ...err, ...pipeline.github.posted].join("\n")).not.toContain(value);
});

test("an encrypted key is stored for one environment, by whoever has the identity", async () => {
  const { value } = pipeline.emulator.createKey({ permissions: ["servers:read"] });
  outputs(await encrypted(value));
  const words = [...WORDS, "--environment", "prod"];
  expect(await pipeline.run(words)).toMatchObject({ code: 2 });
  const env = { ERPHOST_IDENTITY: identity };
  expect(await pipeline.run(words, { env })).toMatchObject({ code: 0 });
  expect(pipeline.github.secret("prod/ERPHOST_API_KEY")).toBe(value);
});

test("a key that the state holds in plain text is stored only where the command says so", async () => {
  const { value } = pipeline.emulator.createKey({ permissions: ["servers:read"] });
  for (const output of [value, { value, encrypted_value: null }]) {
    outputs(output);
    const { code, err } = await pipeline.run(WORDS);
    expect(code).toBe(1);
    expect(err.at(-1)).toMatch(/^error: The key in the output ci is not encrypted, so whoever may/);
    expect(err.join("\n")).not.toContain(value);
    expect(pipeline.github.secrets.size).toBe(0);
    expect(await pipeline.run([...WORDS, "--unencrypted"])).toMatchObject({ code: 0 });
    expect(pipeline.github.secret("ERPHOST_API_KEY")).toBe(value);
    pipeline.github.secrets.clear();
  }
});

const REFUSED = "erp_live_0123456789abcdefghijklmnopqrstuv";
test.each<[string, unknown, isUnknown?: boolean]>([
  ["a key that the service refuses", REFUSED],
  ["a key that a success calls not authenticated", REFUSED, true],
  ["nothing", undefined],
  ["a number", 17],
  ["an object without a key", { name: "ci" }],
])("%s takes the place of no secret", async (_, value, isUnknown = false) => {
  outputs(value);
  const answer = success({ authenticated: false, key_id: "key_1", permissions: [] });
  const { baseUrl } = isUnknown ? await scriptServer(answer) : pipeline.emulator;
  const env = { ERPHOST_BASE_URL: baseUrl };
  const { code, err } = await pipeline.run([...WORDS, "--unencrypted"], { env });
  expect(code).not.toBe(0);
  expect(err.join("\n")).not.toContain("erp_live_0123456789");
  expect(pipeline.github.secrets.size).toBe(0);
});

test("a name that no forge takes is refused before any call", async () => {
  const words = ["secret", "--output", "ci", "--name", "A B"];
  expect(await pipeline.run(words)).toMatchObject({ code: 2 });
  expect(pipeline.github.calls).toEqual([]);
});
