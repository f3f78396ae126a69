import { describe, expect, test } from "@jest/globals";
import { mkdirSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { openEngine, type State } from "../../../provider/engine";
import { InvalidInput } from "../../../provider/contract";
import { folder, given, textOf, type Service } from "../../support/given";
import { made } from "../crashes";
import { codeOf, diffOf, failureOf, server } from "../support";

const account = () => made({ accountId: "acct_1" });

/** A twin of an account, as its lists show it. */
const twinOf = (emulator: Service["emulator"], accountId = "acct_1"): Promise<Service> =>
  given({
    twin: {
      version: 1,
      of: { baseUrl: emulator.baseUrl, environment: "test", accountId },
      readAt: "2026-11-22T12:00:00Z",
      limits: [],
      objects: { server: emulator.objects("server") },
    },
  });

const rehearsing = (twin: Service, emulator: Service["emulator"], isAccountsPlace = false) =>
  twin.engine({ places: { twinOf: emulator.baseUrl, isAccountsPlace } });

test("a state of the account is planned and applied on the twin, and is the twin's from then on", async () => {
  const { emulator, state } = await account();
  const twin = await twinOf(emulator);
  const { engine, warnings } = rehearsing(twin, emulator);
  const { state: read } = await engine.read(server, state);
  expect(read).toMatchObject({ id: state.id, values: state.values });
  const places = { baseUrl: twin.emulator.baseUrl, twinOf: emulator.baseUrl };
  expect(read?.private.account).toEqual({ ...places, environment: "test", id: "acct_1" });
  const planned = await diffOf(engine, server, read as State, { name: "erp" });
  expect(planned).toMatchObject({ changes: [], refused: undefined, rewrites: false });
  const { state: changed } = await engine.update(server, read as State, { name: "new" });
  expect(changed.private.account.twinOf).toBe(emulator.baseUrl);
  expect(twin.emulator.objects("server")).toMatchObject([{ id: state.id, name: "new" }]);
  const { state: created } = await engine.create(server, { name: "more" });
  const own = { account: changed.private.account };
  expect(created).toMatchObject({ id: "srv_twin_1", private: own });
  expect(emulator.journal()).toEqual([]);
  expect(textOf(warnings)).toContain(`nothing changes in the account at ${emulator.baseUrl}`);
});

test("an update without a change marks the state of a host that did not read it first", async () => {
  const { emulator, state } = await account();
  const { engine } = rehearsing(await twinOf(emulator), emulator);
  const planned = await diffOf(engine, server, state, { name: "erp" });
  expect(planned).toMatchObject({ changes: [], rewrites: true, refused: undefined });
  expect(planned.notes.map(({ code }) => code)).toEqual(["state_becomes_twins"]);
  const { state: marked } = await engine.update(server, state, { name: "erp" });
  expect(marked.private.account.twinOf).toBe(emulator.baseUrl);
  expect(emulator.journal()).toEqual([]);
});

test("each run on a twin warns, and one that plans only as well", async () => {
  const { emulator } = await account();
  const { engine, warnings } = rehearsing(await twinOf(emulator), emulator);
  await engine.preflight();
  await engine.preflight();
  expect(warnings.map(({ code }) => code)).toEqual(["twin_run"]);
});

test("a state that a run on a twin wrote is refused by the account and by a plain run on the twin", async () => {
  const { emulator, service, state } = await account();
  const twin = await twinOf(emulator);
  const { state: read } = await rehearsing(twin, emulator).engine.read(server, state);
  for (const each of [service, twin]) {
    each.emulator.clearJournal();
    const { engine } = each.engine();
    const error = await failureOf(engine.read(server, read as State));
    expect(error.message).toContain(`was written by a run on a twin of ${emulator.baseUrl}`);
    expect((await diffOf(engine, server, read as State, {})).refused?.code).toBe("state_of_twin");
    expect(await codeOf(engine.delete(server, read as State))).toBe("state_of_twin");
    expect(each.emulator.journal()).toEqual([]);
  }
});

test("a plain emulator is refused before it is asked for anything", async () => {
  const { emulator, state } = await account();
  const plain = await given();
  const { engine } = rehearsing(plain, emulator);
  expect(await codeOf(engine.read(server, state))).toBe("not_a_twin");
  expect(await codeOf(engine.create(server, { name: "x" }))).toBe("not_a_twin");
  expect(await codeOf(engine.delete(server, state))).toBe("not_a_twin");
  expect(await codeOf(engine.import(server, state.id))).toBe("not_a_twin");
  expect(await codeOf(engine.preflight())).toBe("not_a_twin");
  const paths = plain.emulator.journal().map(({ path }) => path);
  expect([...new Set(paths)]).toEqual(["/auth/test"]);
});

test("the twin of another account is refused, by its address and by its name", async () => {
  const { emulator, state } = await account();
  const other = await account();
  const twin = await twinOf(other.emulator);
  const error = await failureOf(rehearsing(twin, emulator).engine.read(server, state));
  expect(error.message).toContain(`is a twin of ${other.emulator.baseUrl}`);
  const named = rehearsing(await twinOf(emulator, "acct_2"), emulator).engine;
  await named.preflight();
  expect(await codeOf(named.read(server, state))).toBe("wrong_account");
});

test("a state in the place where runs for the account work is refused, since that is not a copy", async () => {
  const { emulator, state } = await account();
  const { engine } = rehearsing(await twinOf(emulator), emulator, true);
  expect(await codeOf(engine.read(server, state))).toBe("own_state_on_twin");
  expect((await diffOf(engine, server, state, {})).refused?.code).toBe("own_state_on_twin");
  expect(await codeOf(engine.delete(server, state))).toBe("own_state_on_twin");
});

describe("settings of other addresses", () => {
  const HERE = "http://127.0.0.1:4010/v1";
  const THERE = "https://erp.example.com/v1";
  const refusal = (given: Readonly<Record<string, string>>, env = {}): string => {
    try {
      openEngine({
        given: { apiKey: "erp_test_0123456789abcdef", intentsDir: folder(), ...given },
        surroundings: { env, cwd: "/nowhere", pid: 1, platform: "linux" },
        warn: () => undefined,
      });
      return "";
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      return error.issues.map(({ code, path }) => `${path.join(".")}: ${code}`).join(", ");
    }
  };

  test.each([
    [{ baseUrl: HERE, twinOf: THERE }, ""],
    [{ baseUrl: "http://[::1]:4010/v1", twinOf: THERE }, ""],
    [{ baseUrl: THERE, formerBaseUrl: "https://old.example.com/v1" }, ""],
    [{ baseUrl: THERE, twinOf: "https://old.example.com/v1" }, "twinOf: twin_elsewhere"],
    [{ baseUrl: "https://10.0.0.1/v1", twinOf: THERE }, "twinOf: twin_elsewhere"],
    [{ baseUrl: "https://127.0.0.1.example.com/v1", twinOf: THERE }, "twinOf: twin_elsewhere"],
    [{ baseUrl: HERE, twinOf: HERE }, "twinOf: own_address"],
    [{ baseUrl: THERE, formerBaseUrl: `${THERE}/` }, "formerBaseUrl: own_address"],
    [{ baseUrl: THERE, formerBaseUrl: "nonsense" }, "formerBaseUrl: not_a_url"],
    [
      { baseUrl: THERE, formerBaseUrl: "https://me:pw@old.example.com/v1" },
      "formerBaseUrl: credentials_in_url",
    ],
    [{ baseUrl: HERE, twinOf: "https://me:pw@erp.example.com/v1" }, "twinOf: credentials_in_url"],
    [{ baseUrl: HERE, twinOf: "https://erp.example.com" }, "twinOf: no_version_in_url"],
    [
      { baseUrl: HERE, twinOf: THERE, formerBaseUrl: "https://old.example.com/v1" },
      "formerBaseUrl: twin_and_move",
    ],
  ])("settings %j are answered with %j", (given, expected) => {
    expect(refusal(given)).toBe(expected);
  });

  test("a twin behind a proxy elsewhere is refused", () => {
    const given = { baseUrl: HERE, twinOf: THERE };
    const env = { ERPHOST_ALLOW_HTTP: "true", HTTP_PROXY: "http://proxy.example.com:3128" };
    expect(refusal(given, env)).toBe("twinOf: twin_elsewhere");
    expect(refusal(given, { HTTP_PROXY: "http://127.0.0.1:3128" })).toBe("");
  });

  test("a run on a twin knows the place where a run for its account has left its intents", async () => {
    const { emulator, state } = await account();
    const twin = await twinOf(emulator);
    const root = folder();
    const surroundings = { env: {}, cwd: "/project", pid: 1, platform: "linux" as const };
    const openFor = (given: Readonly<Record<string, string>>, cwd: string) =>
      openEngine({
        given: { intentsDir: root, profile: JSON.stringify({ settleWindowMs: 0 }), ...given },
        surroundings: { ...surroundings, cwd },
        warn: () => undefined,
      });
    const own = openFor({ apiKey: emulator.adminKey, baseUrl: emulator.baseUrl }, "/project");
    await own.create(server, { name: "two" });
    await own.close();
    const [place = "", ...more] = readdirSync(root);
    expect(more).toEqual([]);
    mkdirSync(join(root, "unrelated"));
    const { adminKey: apiKey, baseUrl } = twin.emulator;
    const rehearsal = { apiKey, baseUrl, twinOf: emulator.baseUrl };
    const here = openFor(rehearsal, "/project");
    const copy = openFor(rehearsal, "/copy");
    expect(await codeOf(here.read(server, state))).toBe("own_state_on_twin");
    expect((await copy.read(server, state)).state?.id).toBe(state.id);
    rmSync(join(root, place), { recursive: true });
    symlinkSync(place, join(root, place)); // To itself: nobody can tell what is there.
    const unsure = openFor(rehearsal, "/project");
    expect(await codeOf(unsure.read(server, state))).toBe("own_state_on_twin");
    await Promise.all([here, copy, unsure].map((engine) => engine.close()));
  });
});
