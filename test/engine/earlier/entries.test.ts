/**
 * Entries that an earlier release left behind are continued as that release did. The outcomes are what
 * commit 0b58fec itself made of the same entries: its own engine has run this table.
 */
import { expect, test } from "@jest/globals";
import type { Values } from "../../../provider/contract";
import type { OperationOptions, State } from "../../../provider/engine";
import outcomes from "../../fixtures/earlier/outcomes.json";
import type { EngineGiven } from "../../support/given";
import { kind } from "../support";
import { anotherKey, continued, scope, type Later, type Next } from "./left";

const identity = "urn:stack::server::web";
const web = { name: "web" };
const renamed = { name: "renamed" };
const erp = { name: "erp", server_id: "srv_1", secret_properties: { license: "s3cret" } };
const ci = { name: "ci", permissions: ["servers:read"] };

const creates =
  (of: string, inputs: Values, options: OperationOptions = { identity }): Next =>
  ({ engine, reported }) =>
    reported(engine.create(kind(of), inputs, options));
const same = creates("server", web);
const edited = creates("server", renamed);
const unnamed = creates("server", web, {});
const takesBackup = creates("backup", { server_id: "srv_1" });
const keyOf = creates("api_key", ci);
const rotation = creates("api_key_rotation", { key_id: "key_2", triggers: { day: "1" } });

const updates =
  (of: string, inputs: Values): Next =>
  ({ engine, states, reported }) =>
    reported(engine.update(kind(of), states["it"] as State, inputs, { identity }));
const rotates = updates("api_key", { ...ci, triggers: { day: "2" } });
const upgrade = { name: "erp", server_id: "srv_1", version: "18.0", backup_before_upgrade: true };
const upgrades = updates("instance", upgrade);

const readsAll: Next = async ({ engine, states, reported }) => {
  const all = Object.values(states).map((state) => reported(engine.read(kind("server"), state)));
  return (await Promise.all(all)).join(", ");
};
const three: Next = async (run) => {
  return (await Promise.all([unnamed(run), unnamed(run), unnamed(run)])).sort().join(", ");
};
const shown: Next = async (run) => {
  await run.engine.noteInState(kind("server"), "srv_1", identity);
  return same(run);
};

const withOptions = (options: NonNullable<EngineGiven["options"]>, host?: string): Later => ({
  engine: { options: { sameName: "allow", ...options }, ...(host !== undefined && { host }) },
});
const inScope = withOptions({ scope });
const resumes = withOptions({ scope, resume: true });
const key: Later = { engine: { apiKey: anotherKey } };
const dayLater: Later = { after: "25h" };
const removed: Later = { between: (emulator) => emulator.removeObject("server", "srv_1") };
const twin: Later = { between: (emulator) => void emulator.createObjects("server", [web]) };
/** Leaves out or changes members. */
const having =
  (change: object) =>
  (text: string): string =>
    JSON.stringify({ ...(JSON.parse(text) as object), ...change });

type Row = [left: string, then: string, next: Next, later?: Later];

test.each<Row>([
  ["create answered", "the same", same],
  ["create answered", "the same after three days", same, { after: "3d" }],
  ["create answered", "edited", edited],
  ["create answered", "another identity", creates("server", web, { identity: "another" })],
  ["create answered", "no identity", unnamed],
  ["create answered", "the same once its object is gone", same, removed],
  ["create answered", "the same once its object is in the state", shown],
  ["create answered", "the same under another key", same, key],
  ["create answered", "the same while its process lives", same, { isAlive: true }],
  ["create answered", "the same, unsigned", same, { rewrite: having({ signatures: undefined }) }],
  ["create answered", "the same, changed", same, { rewrite: having({ answer: "srv_2" }) }],
  ["create answered", "the same, a draft", same, { rename: (file) => `${file}.tmp` }],
  ["create sent", "the same", same],
  ["create sent", "edited", edited],
  ["create sent", "the same a day later", same, dayLater],
  ["create sent", "the same under another key", same, key],
  ["create sent", "the same a day later with a twin", same, { ...twin, ...dayLater }],
  ["create unsent", "the same", same],
  ["create unsent", "the same a day later", same, dayLater],
  ["create without an identity answered", "the same", unnamed],
  ["create without an identity answered", "edited", creates("server", renamed, {})],
  ["create without an identity answered", "the same under another key", unnamed, key],
  ["create without an identity answered", "the same, alive", unnamed, { isAlive: true }],
  ["create without an identity sent", "the same", unnamed],
  ["twins answered", "three of them", three],
  ["instance answered", "the same", creates("instance", erp)],
  ["instance answered", "on another server", creates("instance", { ...erp, server_id: "srv_2" })],
  ["instance with a secret and no identity answered", "the same", creates("instance", erp, {})],
  ["instance with a secret and no identity answered", "key", creates("instance", erp, {}), key],
  ["key answered", "the same", keyOf],
  ["key answered", "the same a day later", keyOf, dayLater],
  ["key answered", "the same under another key", keyOf, key],
  ["key sent", "the same", keyOf],
  ["key sent", "the same a day later", keyOf, dayLater],
  ["backup answered", "the same", takesBackup],
  ["backup sent", "the same", takesBackup],
  ["backup sent", "the same under another key", takesBackup, key],
  ["create handed over", "the same", same],
  ["create handed over", "the same a quarter of an hour later", same, { after: "15m" }],
  ["create handed over", "the same a day later", same, dayLater],
  ["create handed over", "edited", edited],
  ["create handed over", "edited once its object is gone", edited, removed],
  ["create handed over", "the same once its object is in the state", shown],
  ["create handed over without an identity", "the same", unnamed],
  ["create stored", "the same", same],
  ["scoped create answered", "the same", same, inScope],
  ["scoped create answered", "the same without the scope", same],
  ["scoped create sent", "the same", same, inScope],
  ["scoped create sent", "edited", edited, inScope],
  ["scoped create unsent", "the same", same, inScope],
  ["scoped create without an identity answered", "the same", unnamed, inScope],
  ["scoped create handed over", "the same", same, inScope],
  ["scoped create handed over", "the same later", same, { ...inScope, after: "15m" }],
  ["scoped create stored", "the same", same, inScope],
  ["scoped create stored", "the same, resumed", same, resumes],
  ["scoped create stored", "edited, resumed", edited, resumes],
  ["scoped create stored", "the same, resumed a day later", same, { ...resumes, ...dayLater }],
  ["scoped create stored", "the same once its object is in the state", shown, inScope],
  ["scoped create of the second key answered", "the same", same, inScope],
  ["backup before an upgrade answered", "the same", upgrades],
  ["backup before an upgrade sent", "the same", upgrades],
  ["upgrade sent", "the same", upgrades],
  ["scoped backup before an upgrade answered", "the same", upgrades, inScope],
  ["rotation answered", "the same", rotates],
  ["rotation answered", "the same a day later", rotates, dayLater],
  ["rotation sent", "the same", rotates],
  ["rotation sent", "the same a day later", rotates, dayLater],
  ["rotation sent", "the same under another key", rotates, key],
  ["rotation unsent", "the same", rotates],
  ["rotation handed over", "the same", rotates],
  ["rotation handed over", "the same a quarter of an hour later", rotates, { after: "15m" }],
  ["rotation of a key that is there sent", "the same", rotation],
  ["rotation of a key that is there answered", "the same", rotation],
  ["deletes answered", "reads", readsAll],
  ["delete sent", "reads", readsAll],
  ["delete unsent", "reads", readsAll],
  ["create signed with the API key alone", "the same", same],
  ["create signed with the API key alone", "the same under another key", same, key],
  ["create of another user with another API key", "the same", same],
  ["create of another user with another API key", "another", creates("server", web, {})],
  ["create of another address", "the same", same],
  ["plan's note", "replaced by its apply", same, withOptions({ scope }, "7-7")],
  ["plan's note", "the same by another run", same, withOptions({ scope, resume: true }, "8-8")],
  [
    "plan's note",
    "unsigned",
    same,
    { ...withOptions({ scope }, "7-7"), rewrite: having({ signatures: [] }) },
  ],
  ["plan's note with the entry", "replaced by its apply", same, withOptions({}, "7-7")],
  ["plan's note with the entry", "the same by another run", same, withOptions({}, "8-8")],
])(
  "what an earlier release left is continued as it did itself: %s; %s",
  async (...[left, then, next, later]: Row) => {
    const expected = (outcomes as Record<string, string[]>)[`${left}; ${then}`];
    expect(await continued(left, next, later)).toEqual(expected);
  },
);
