/** Keys whose secrets are encrypted to somebody: no state holds the plain secret. */
import { expect, test } from "@jest/globals";
import { armor, Decrypter, generateIdentity, identityToRecipient } from "age-encryption";
import type { State } from "../../provider/engine";
import { given } from "../support/given";
import { failureOf, kind, works } from "./support";

const apiKey = kind("api_key");
const key = { name: "ci", permissions: ["servers:read"] };

test("the state of an ApiKey with a recipient holds no plain secret", async () => {
  const { emulator, engine } = (await given()).engine();
  const identity = await generateIdentity();
  const recipient = await identityToRecipient(identity);
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  const secretOf = async ({ values }: State) =>
    decrypter.decrypt(armor.decode(String(values["encrypted_value"])), "text");
  const { state } = await engine.create(apiKey, { ...key, recipient });
  expect(state.values["value"]).toBeUndefined();
  const secret = await secretOf(state);
  expect(await works(emulator, secret)).toBe(true);
  expect(JSON.stringify(state)).not.toContain(secret);
  const { state: next } = await engine.update(apiKey, state, {
    ...key,
    recipient,
    triggers: { n: "1" },
  });
  expect(next.values["value"]).toBeUndefined();
  expect(await secretOf(next)).not.toBe(secret);
  expect(await works(emulator, await secretOf(next))).toBe(true);

  const { state: plain } = await engine.create(apiKey, { ...key, name: "plain" });
  const later = { ...key, name: "plain", recipient };
  const { state: sealed } = await engine.update(apiKey, plain, later);
  expect(sealed.values["value"]).toBeUndefined();
  expect(await secretOf(sealed)).not.toBe(plain.values["value"]);
});

test("a new recipient rotates the key, for the former one could read the secret", async () => {
  const { engine } = (await given()).engine();
  const former = await identityToRecipient(await generateIdentity());
  const identity = await generateIdentity();
  const recipient = await identityToRecipient(identity);
  const { state } = await engine.create(apiKey, { ...key, recipient: former });
  const { state: next } = await engine.update(apiKey, state, { ...key, recipient });
  expect(next.values["current_key_id"]).not.toBe(state.values["current_key_id"]);
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  const sealed = armor.decode(String(next.values["encrypted_value"]));
  expect(await decrypter.decrypt(sealed, "text")).toMatch(/_test_/);
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
