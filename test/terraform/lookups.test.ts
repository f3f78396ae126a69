/** Data sources, functions and the ephemeral resource, as the protocol's calls answer, on the emulator. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../emulator";
import { resources, type ResourceName } from "../../provider/contract";
import { UNKNOWN } from "../../provider/engine";
import { readObject } from "../../provider/terraform/values/dynamic";
import * as m from "../../provider/terraform/wire/messages.gen";
import type { Raw, RawObject } from "../../provider/terraform/wire/msgpack";
import { found, furnish, refused } from "../support/finding";
import { encoded, placeOf, TestProvider } from "./support/provider";

let emulator: Emulator;
let provider: TestProvider;

const read = async (type_name: string, config: Record<string, Raw>) => {
  const answer = await provider.call("ReadDataSource", m.typedConfigRequest, m.dataResponse, {
    type_name,
    config: encoded(config),
  });
  return { ...answer, text: JSON.stringify(answer.state?.msgpack?.toString("latin1") ?? "") };
};

beforeAll(async () => {
  emulator = await startEmulator({ provisionMs: 5 });
  provider = new TestProvider({});
  await provider.use(emulator);
});
afterAll(async () => {
  await provider.close();
  await emulator.close();
});

describe("data sources, functions and the ephemeral resource", () => {
  test("data sources and the ephemeral resource return what the service lists, never a secret", async () => {
    emulator.createObjects("server", [
      { name: "a", status: "running", region: "eu" },
      { name: "b", status: "failed" },
    ]);
    const all = await read("erphost_servers", { status: "running" });
    expect(all.text).toContain("region");
    expect(all.text).not.toContain("failed");
    const { diagnostics } = await read("erphost_server", { name: "none" });
    expect(diagnostics.map(placeOf)).toEqual(["name"]);
    expect((await read("erphost_api_keys", {})).text).not.toContain(emulator.adminKey);
    const auth = { type_name: "erphost_auth", config: encoded({}) };
    const [request, answer] = [m.typedConfigRequest, m.openResponse] as const;
    const opened = await provider.call("OpenEphemeralResource", request, answer, auth);
    expect(opened.result?.msgpack?.toString("latin1")).toContain("authenticated");
  });

  test("functions split keys and periods, and refuse other strings without repeating them", async () => {
    const run = (name: string, argument: Raw) =>
      provider.call("CallFunction", m.callRequest, m.callResponse, {
        name,
        arguments: [encoded(argument)],
      });
    const period = await run("parse_period", "90d");
    expect(period.result?.msgpack?.toString("latin1")).toContain("seconds");
    const refused = await run("parse_api_key", "hunter2");
    // The engines put a full stop after it.
    expect(refused.error?.text).toMatch(/^key is not a valid API key.*[^.]$/);
    expect(refused.error?.text).not.toContain("hunter2");
  });
});

describe("a data source", () => {
  let furnished: Emulator;
  beforeAll(async () => {
    furnished = await startEmulator({ provisionMs: 0 });
    furnish(furnished);
    await provider.close();
    provider = new TestProvider({});
    await provider.use(furnished);
  });
  afterAll(() => furnished.close());

  const typeOf = (kind: ResourceName, form: "one" | "many") =>
    `erphost_${form === "one" ? kind : resources[kind].plural}`;
  const validate = (type_name: string, by: RawObject) =>
    provider.call("ValidateDataResourceConfig", m.typedConfigRequest, m.diagnosed, {
      type_name,
      config: encoded(by),
    });

  test.each(found)("$claim", async ({ kind, form, by, ids }) => {
    const { diagnostics, state } = await read(typeOf(kind, form), by);
    expect(diagnostics).toEqual([]);
    const answer = readObject(state) ?? {};
    const list = (form === "one" ? [answer] : answer[resources[kind].plural]) as RawObject[];
    expect(list.map(({ id }) => id)).toEqual(ids);
    const kept = Object.entries(by).filter(([name]) => !(name in resources[kind].fields));
    expect(answer).toMatchObject(Object.fromEntries(kept));
  });

  test.each(refused)("$claim", async ({ kind, form, by, place, says, early }) => {
    const type = typeOf(kind, form);
    const { diagnostics } = early ? await validate(type, by) : await read(type, by);
    expect(diagnostics.map(placeOf)).toEqual([place]);
    expect(diagnostics[0]?.detail).toMatch(says);
  });

  test("a value that is known only later passes in a plan, and counts as given", async () => {
    const one = await validate("erphost_backup", { instance_id: UNKNOWN });
    const many = await validate("erphost_backups", { created_after: UNKNOWN });
    expect([one.diagnostics, many.diagnostics]).toEqual([[], []]);
  });
});
