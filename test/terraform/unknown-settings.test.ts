/** A provider whose configuration is a result of the run itself, such as a key that is rotated. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../emulator";
import { UNKNOWN } from "../../provider/engine";
import * as m from "../../provider/terraform/wire/messages.gen";
import type { RawObject } from "../../provider/terraform/wire/msgpack";
import { encoded, placeOf, TestProvider, type Held } from "./support/provider";

let emulator: Emulator;
let provider: TestProvider;

beforeAll(async () => {
  emulator = await startEmulator({ provisionMs: 5 });
});
afterAll(() => emulator.close());
beforeEach(async () => {
  emulator.reset();
  provider = new TestProvider({});
  await provider.configure({ api_key: emulator.adminKey, base_url: emulator.baseUrl });
});
afterEach(() => provider.close());

const text = ({ summary, detail }: m.Diagnostic): string => `${summary}: ${detail}`;

describe("a configuration that is not known yet", () => {
  let other: TestProvider;
  beforeEach(async () => {
    other = new TestProvider({});
    const settings: RawObject = { api_key: UNKNOWN, base_url: emulator.baseUrl };
    expect(await other.configure(settings)).toMatchObject({ diagnostics: [] });
  });
  afterEach(() => other.close());

  test("with a configuration that is not known yet, every read answers the state as it is, and one warning per run says so", async () => {
    const made = await provider.apply("erphost_server", { name: "a" });
    emulator.removeObject("server", "srv_1");
    const first = await other.read("erphost_server", made);
    expect(first).toMatchObject({ state: made.state, private: made.private });
    expect(first.diagnostics).toMatchObject([{ severity: m.Severity.warning }]);
    expect(first.diagnostics.map(text).join()).toContain(
      "The provider's api_key (ERPHOST_API_KEY) becomes known only when this run is applied",
    );
    expect(await other.read("erphost_server", made)).toMatchObject({
      state: made.state,
      diagnostics: [],
    });
  });

  test("with a configuration that is not known yet, creates, changes, replacements and deletes are planned as they are with a known one", async () => {
    const config = { name: "a", deletion_protection: true };
    const made = await provider.apply("erphost_server", config);
    const cases: readonly [RawObject | null, Held | undefined][] = [
      [{ ...config, name: "new" }, undefined],
      [config, made],
      [{ ...config, name: "b" }, made],
      [null, made],
    ];
    for (const [wanted, held] of cases) {
      const known = await provider.plan("erphost_server", wanted, held);
      expect(await other.plan("erphost_server", wanted, held)).toEqual(known);
    }
    const invalid = await other.plan("erphost_server", { name: "" }, made);
    expect(invalid.diagnostics.map(placeOf)).toEqual(["name"]);
  });

  test("what can only be read says how to wait for the configuration", async () => {
    const { diagnostics } = await other.call(
      "ReadDataSource",
      m.typedConfigRequest,
      m.dataResponse,
      { type_name: "erphost_servers", config: encoded({}) },
    );
    expect(diagnostics.map(text).join()).toMatch(
      /api_key \(ERPHOST_API_KEY\) depends on resources .* \(depends_on\)/,
    );
  });

  test("a profile that is not valid is refused although the key is not known yet", async () => {
    const { diagnostics } = await other.configure({ api_key: UNKNOWN, profile: "{" });
    expect(diagnostics.map(placeOf)).toEqual(["profile"]);
  });

  test("a configuration that is known afterwards reads again", async () => {
    const made = await provider.apply("erphost_server", { name: "a" });
    await other.configure({ api_key: emulator.adminKey, base_url: emulator.baseUrl });
    emulator.changeObject("server", "srv_1", { name: "renamed" });
    const { state, diagnostics } = await other.read("erphost_server", made);
    expect(state).toMatchObject({ name: "renamed" });
    expect(diagnostics).toEqual([]);
  });
});
