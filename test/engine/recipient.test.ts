/** Keys whose secrets are encrypted to somebody: no state holds the plain secret. */
import { expect, test } from "@jest/globals";
import { armor, Decrypter, generateIdentity, identityToRecipient } from "age-encryption";
import { isAccepted } from "../support/ask";
import type { State } from "../../provider/engine";
import { given } from "../support/given";
import { apiKey, failureOf } from "./support";

const key = { name: "ci", permissions: ["servers:read"] };

/** Somebody whom secrets are encrypted to, and who reads them in a state. */
async function reader() {
  const identity = await generateIdentity();
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  const secretOf = async ({ values }: State) =>
    decrypter.decrypt(armor.decode(String(values["encrypted_value"])), "text");
  return { recipient: await identityToRecipient(identity), secretOf };
}

test("the state of an ApiKey with a recipient holds no plain secret", async () => {
  const { emulator, engine } = (await given()).engine();
  const { recipient, secretOf } = await reader();
  const { state } = await engine.create(apiKey, { ...key, recipient });
  expect(state.values["value"]).toBeUndefined();
  const secret = await secretOf(state);
  expect(await isAccepted(emulator, secret)).toBe(true);
  expect(JSON.stringify(state)).not.toContain(secret);
  const rotated = { ...key, recipient, triggers: { n: "1" } };
  const { state: next } = await engine.update(apiKey, state, rotated);
  expect(next.values["value"]).toBeUndefined();
  expect(await secretOf(next)).not.toBe(secret);
  expect(await isAccepted(emulator, await secretOf(next))).toBe(true);
});

test("a new recipient rotates the key, for the former one could read the secret", async () => {
  const { engine } = (await given()).engine();
  const [former, { recipient, secretOf }] = [await reader(), await reader()];
  const { state } = await engine.create(apiKey, { ...key, recipient: former.recipient });
  const { state: next } = await engine.update(apiKey, state, { ...key, recipient });
  expect(next.values["current_key_id"]).not.toBe(state.values["current_key_id"]);
  expect(await secretOf(next)).toMatch(/_test_/);
});

test("a recipient with a typo is refused before a key is created", async () => {
  const { emulator, engine } = (await given()).engine();
  const good = await identityToRecipient(await generateIdentity());
  const recipient = good.slice(0, -1) + (good.endsWith("q") ? "p" : "q");
  const error = await failureOf(engine.create(apiKey, { ...key, recipient }));
  expect(error).toMatchObject({ code: "invalid_input", path: ["recipient"] });
  expect(error.message).not.toContain(recipient);
  expect(emulator.keys()).toHaveLength(1);
});
