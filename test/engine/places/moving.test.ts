import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import type { Emulator } from "../../../emulator";
import { plannedDelete, type State } from "../../../provider/engine";
import { plainVoice, sentence } from "../../../provider/messages";
import { folder, given, textOf, type EngineGiven, type Service } from "../../support/given";
import { until } from "../../support/wait";
import { made } from "../crashes";
import { apiKey, codeOf, diffOf, failureOf, rightsOf, server } from "../support";

const movedTo = ({ baseUrl }: Emulator): string => baseUrl.replace("127.0.0.1", "localhost");

/** The run that moves states to the service's other address. */
const moving = (service: Service, more: EngineGiven = {}) =>
  service.engine({
    baseUrl: movedTo(service.emulator),
    places: { formerBaseUrl: service.emulator.baseUrl },
    ...more,
  });

const writes = (emulator: Emulator) => emulator.journal().filter(({ method }) => method !== "GET");

test("a state moves to the new address when it is read, and nothing is written to the service", async () => {
  const { service, emulator, state } = await made();
  const { engine } = moving(service);
  const read = await engine.read(server, state);
  const account = { ...state.private.account, baseUrl: movedTo(emulator) };
  expect(read.state).toEqual({ ...state, private: { ...state.private, account } });
  expect(textOf(read.warnings)).toContain(
    `moves from ${emulator.baseUrl} to ${movedTo(emulator)}; nothing in the service is changed`,
  );
  const again = await engine.read(server, read.state as State);
  expect(again).toEqual({ state: read.state, warnings: [] });
  expect(writes(emulator)).toEqual([]);
});

test("a plan of a state that has not moved says so, and an update without a change moves it", async () => {
  const { service, emulator, state } = await made();
  const { engine } = moving(service);
  const erp = { name: "erp" };
  const planned = await diffOf(engine, server, state, erp);
  expect(planned).toMatchObject({ rewrites: true, changes: [], refused: undefined });
  expect(planned.notes.map(({ code }) => code)).toEqual(["state_moves"]);
  const { state: moved } = await engine.update(server, state, erp);
  expect(moved.private.account.baseUrl).toBe(movedTo(emulator));
  expect(await diffOf(engine, server, moved, erp)).toMatchObject({ rewrites: false, notes: [] });
  expect(writes(emulator)).toEqual([]);
});

test("a run that moves states changes nothing, and a plan refuses what would", async () => {
  const { service, emulator, state } = await made();
  const { engine } = moving(service);
  const { refused } = await diffOf(engine, server, state, { name: "new" });
  expect(refused).toMatchObject({ code: "moves_only", parts: { does: "change" } });
  expect((await rightsOf(engine, server, "create")).refused?.code).toBe("moves_only");
  const seen = await engine.observe(server, { replaces: state });
  expect(plannedDelete(seen, state).refused).toMatchObject({ code: "moves_only" });
  expect(await codeOf(engine.update(server, state, { name: "new" }))).toBe("moves_only");
  expect(await codeOf(engine.create(server, { name: "two" }))).toBe("moves_only");
  expect(await codeOf(engine.delete(server, state))).toBe("moves_only");
  expect(writes(emulator)).toEqual([]);
  expect(service.entries()).toEqual([]);
});

test("after the move a run without the setting continues, and the former address is refused", async () => {
  const { service, emulator, state } = await made();
  const { state: moved } = await moving(service).engine.read(server, state);
  const now = service.engine({ baseUrl: movedTo(emulator) }).engine;
  expect(await now.read(server, moved as State)).toEqual({ state: moved, warnings: [] });
  const before = service.engine().engine;
  expect(await codeOf(before.read(server, moved as State))).toBe("wrong_account");
});

test("a state of yet another address is not moved, and the refusal names the setting", async () => {
  const { service, emulator, state } = await made();
  const { engine } = moving(service, { places: { formerBaseUrl: "https://old.example.com/v1" } });
  expect(await codeOf(engine.read(server, state))).toBe("wrong_account");
  const { refused, rewrites } = await diffOf(engine, server, state, { name: "erp" });
  expect(rewrites).toBe(false);
  expect(refused && sentence(plainVoice, refused)).toContain(
    `(ERPHOST_FORMER_BASE_URL) to ${emulator.baseUrl} for one run`,
  );
});

test("an object that is not at the new address is neither moved nor forgotten", async () => {
  const { service, emulator, state } = await made();
  emulator.removeObject("server", state.id);
  const { engine } = moving(service);
  expect(await codeOf(engine.read(server, state))).toBe("not_moved");
  expect(await codeOf(diffOf(engine, server, state, { name: "erp" }))).toBe("not_moved");
  expect(await codeOf(engine.update(server, state, { name: "erp" }))).toBe("not_moved");
});

test("another object of the same id does not take the state over", async () => {
  const { service, emulator, state } = await made();
  emulator.changeObject("server", state.id, { created_at: "2020-01-01T00:00:00Z" });
  const error = await failureOf(moving(service).engine.read(server, state));
  expect(error.message).toContain("is another object, created 2020-01-01T00:00:00Z");
});

test("a rotated key moves with its line", async () => {
  const { service, engine: before } = (await given()).engine();
  const { state } = await before.create(apiKey, { name: "ci", permissions: ["read"] });
  const inputs = { name: "ci", permissions: ["read"], triggers: { now: "1" } };
  const { state: rotated } = await before.update(apiKey, state, inputs);
  await before.close();
  service.emulator.clearJournal();
  const { state: moved } = await moving(service).engine.read(apiKey, rotated);
  expect(moved?.values).toEqual(rotated.values);
  expect(moved?.private.account.baseUrl).toBe(movedTo(service.emulator));
  expect(writes(service.emulator)).toEqual([]);
});

test("what an interrupted run left at the former address stops the move", async () => {
  const { service, emulator, state } = await made();
  const run = service.engine();
  emulator.setFaults([{ match: { method: "POST" }, effect: "reset-after" }]);
  const lost = codeOf(run.engine.create(server, { name: "lost" }, { identity: "lost" }));
  await until(() => service.entries().length > 0);
  await run.kill();
  await lost;
  emulator.setFaults([]);
  const { engine } = moving(service, { intents: folder(), formerIntents: service.intents });
  const error = await failureOf(engine.read(server, state));
  expect(error.message).toContain(`An interrupted run left a request to ${emulator.baseUrl}`);
  const [file = ""] = readdirSync(service.intents).filter((name) => name.endsWith(".json"));
  writeFileSync(join(service.intents, file), "");
  const { engine: last } = moving(service, { intents: folder(), formerIntents: service.intents });
  expect(await codeOf(last.read(server, state))).toBe("unfinished_before_move");
});

test("what a run handed over at the former address does not stop the move", async () => {
  const { service, state } = await made();
  const { engine } = service.engine();
  await engine.create(server, { name: "other" }, { identity: "other" });
  await engine.close({ storesLater: true });
  expect(service.entries()).toHaveLength(1);
  const run = moving(service, { intents: folder(), formerIntents: service.intents });
  expect((await run.engine.read(server, state)).state?.id).toBe(state.id);
});

test("a state says what the service calls its account", async () => {
  const { state } = await made({ accountId: "acct_1" });
  expect(state.private.account.id).toBe("acct_1");
});

test("whether an account has an object is known by its own id, or else by its lists", async () => {
  const { service, emulator, state } = await made({ accountId: "acct_1" });
  const { engine } = service.engine();
  await engine.preflight();
  emulator.clearJournal();
  const { id: _, ...account } = state.private.account;
  const has = (own: object, values: object = {}) =>
    engine.hasObject(server, {
      ...{ ...state, values: { ...state.values, ...values } },
      private: { ...state.private, account: { ...account, ...own } },
    });
  expect(await has({ id: "acct_1" })).toBe(true);
  expect(await has({ id: "acct_2" })).toBe(false);
  expect(emulator.journal()).toEqual([]);
  expect(await has({}, { created_at: "2020-01-01T00:00:00Z" })).toBe(false);
  expect(await has({}, { status: "expired" })).toBe(true); // The service's own word.
  expect(await has({})).toBe(true);
  const silent = service.engine().engine; // It does not know which account it is in.
  const replaced = { ...state, values: { ...state.values, created_at: "2020-01-01T00:00:00Z" } };
  expect(await silent.hasObject(server, replaced)).toBe(false);
});

test("a state of another account at the same address is refused", async () => {
  const { service, state } = await made({ accountId: "acct_1" });
  const other = { ...state.private.account, id: "acct_2" };
  const foreign = { ...state, private: { ...state.private, account: other } };
  const { engine } = service.engine();
  await engine.preflight();
  const error = await failureOf(engine.read(server, foreign));
  expect(error.message).toContain("account acct_2");
  expect(error.message).toContain("account acct_1");
  expect(error.message).not.toContain("formerBaseUrl");
});

test("a state does not move to another account, whatever ids that has", async () => {
  const { service, state } = await made({ accountId: "acct_1" });
  const other = { ...state.private.account, id: "acct_2" };
  const foreign = { ...state, private: { ...state.private, account: other } };
  const { engine } = moving(service);
  expect(await codeOf(engine.read(server, foreign))).toBe("wrong_account");
  expect(await codeOf(engine.update(server, foreign, { name: "erp" }))).toBe("wrong_account");
});

test("a state without the name of its account is taken, and gets it; one with it keeps it", async () => {
  const { service, state } = await made({ accountId: "acct_1" });
  const { id: _, ...account } = state.private.account;
  const older = { ...state, private: { ...state.private, account } };
  const { engine } = service.engine();
  await engine.preflight();
  expect((await engine.read(server, older)).state).toEqual(state);
  const silent = service.engine().engine;
  expect((await silent.read(server, state)).state).toEqual(state);
});
