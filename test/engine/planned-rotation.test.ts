/** What a plan says of a rotation before it happens. */
import { expect, test } from "@jest/globals";
import type { Engine, State } from "../../provider/engine";
import { given, textOf } from "../support/given";
import { kind, readOn } from "./support";

const apiKey = kind("api_key");
const rotation = kind("api_key_rotation");
const key = { name: "ci", permissions: ["servers:read"], triggers: { n: "1" } };

const said = async (engine: Engine, of: typeof apiKey, prior: State, inputs: object) => {
  const { changes } = await engine.diff(of, prior, { ...inputs });
  return textOf(changes.flatMap(({ reason }) => reason ?? []));
};

test("a plan that rotates a key says which one, why, and until when it works after that", async () => {
  const { engine } = (await given()).engine();
  const { state: first } = await engine.create(apiKey, key);
  const inputs = { ...key, triggers: { n: "2" } };
  const { state } = await engine.update(apiKey, first, inputs);
  const inUse = String(state.values["current_key_id"]);
  expect(inUse).not.toBe(state.id);
  expect(await said(engine, apiKey, state, { ...key, triggers: { n: "3" } })).toBe(
    `API key ${inUse} (ci) will be rotated, because of a change of triggers.n. After that, ${inUse} works for the grace period of the service; previous_key_expires_at then shows when it ends.`,
  );
  const both = { ...key, triggers: { n: "2", m: "1" }, recipient: "age1x", grace_period: "7d" };
  expect(await said(engine, apiKey, state, both)).toBe(
    `API key ${inUse} (ci) will be rotated, because of a change of triggers.m and recipient. After that, ${inUse} works for another 7d (grace_period).`,
  );
  expect(await said(engine, apiKey, state, { ...inputs, name: "renamed" })).toBe("");
});

test("a plan that rotates a key by age and by trigger gives its age as the reason, once", async () => {
  const { emulator, engine } = (await given()).engine();
  const inputs = { ...key, rotate_after: "90d", grace_period: "7d" };
  const { state } = await engine.create(apiKey, inputs);
  emulator.advance("90d");
  const due = await readOn(engine, apiKey, state);
  expect(await said(engine, apiKey, due, { ...inputs, triggers: { n: "2" } })).toMatch(
    /^API key \S+ \(ci\) will be rotated: it was last rotated at \S+, and rotate_after is 90d\. After that, \S+ works for another 7d \(grace_period\)\.$/,
  );
});

test("a plan of a declared rotation names the key that it rotates", async () => {
  const { emulator, engine } = (await given()).engine();
  const { id } = emulator.createKey({ name: "pipeline" });
  const inputs = { key_id: id, triggers: { n: "1" } };
  const { state } = await engine.create(rotation, inputs);
  const inUse = String(state.values["current_key_id"]);
  expect(await said(engine, rotation, state, { ...inputs, triggers: { n: "2" } })).toMatch(
    `API key ${inUse} will be rotated, because of a change of triggers.n.`,
  );
  const { id: other } = emulator.createKey({ name: "other" });
  const replaced = { key_id: other, triggers: { n: "2" } };
  expect(await said(engine, rotation, state, replaced)).toBe("");
});
