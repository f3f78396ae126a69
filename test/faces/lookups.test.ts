/** Lookups: one suite, through each face. Its claims about the engine alone are in test/engine. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as pulumi from "@pulumi/pulumi";
import { startEmulator, type Emulator } from "../../emulator";
import { camel, pascal, resources, snake } from "../../provider/contract";
import * as erphost from "../../provider/pulumi";
import { listKey, listToken, oneToken } from "../../provider/pulumi/plugin/values/tokens";
import { readObject } from "../../provider/terraform/values/dynamic";
import * as m from "../../provider/terraform/wire/messages.gen";
import type { RawObject } from "../../provider/terraform/wire/msgpack";
import { decode, invoke, openPlugin, type Plugin } from "../pulumi-plugin/support";
import { found, furnish, refused, type Selected } from "../support/finding";
import { folder } from "../support/given";
import { encoded, placeOf, TestProvider } from "../terraform/support/provider";

type Asked = Pick<(typeof found)[number], "kind" | "form"> & { readonly by: Selected };

/** The ids that are found, or why none are: the argument, where the face names one, and the reason. */
type Answer =
  { readonly ids: readonly unknown[] } | { readonly place?: string; readonly says: string };

let emulator: Emulator;
let provider: TestProvider;
let plugin: Plugin;
const before = { ...process.env };
beforeAll(async () => {
  emulator = await startEmulator({ provisionMs: 0 });
  furnish(emulator);
  provider = new TestProvider({});
  await provider.use(emulator);
  plugin = openPlugin({ baseUrl: emulator.baseUrl, apiKey: emulator.adminKey });
  // The program's engine reads its environment when it is first used.
  process.env["ERPHOST_API_KEY"] = emulator.adminKey;
  process.env["ERPHOST_BASE_URL"] = emulator.baseUrl;
  process.env["ERPHOST_INTENTS_DIR"] = folder();
});
afterAll(async () => {
  process.env = before;
  await Promise.all([provider.close(), plugin.close()]);
  await emulator.close();
});

/** As an engine does: validates, and reads what is valid. */
async function byDataSource({ kind, form, by }: Asked): Promise<Answer> {
  const { plural, fields } = resources[kind];
  const request = { type_name: `erphost_${form === "one" ? kind : plural}`, config: encoded(by) };
  const asking = m.typedConfigRequest;
  const valid = await provider.call("ValidateDataResourceConfig", asking, m.diagnosed, request);
  const read = () => provider.call("ReadDataSource", asking, m.dataResponse, request);
  const answer: m.DataResponse =
    valid.diagnostics.length > 0 ? { ...valid, state: undefined } : await read();
  const [fault, ...more] = answer.diagnostics;
  expect(more).toEqual([]);
  if (fault) return { place: placeOf(fault), says: fault.detail };
  const values = readObject(answer.state) ?? {};
  const kept = Object.entries(by).filter(([name]) => !(name in fields));
  expect(values).toMatchObject(Object.fromEntries(kept));
  expect(JSON.stringify(values)).not.toContain(emulator.adminKey);
  const list = (form === "one" ? [values] : values[plural]) as RawObject[];
  return { ids: list.map(({ id }) => id) };
}

const inCamel = (by: Selected) =>
  Object.fromEntries(Object.entries(by).map(([key, value]) => [camel(key), value]));

async function byFunction({ kind, form, by }: Asked): Promise<Answer> {
  const resource = resources[kind];
  const tok = (form === "one" ? oneToken : listToken)(resource);
  const response = await invoke(plugin.session, { tok, args: inCamel(by) });
  const [fault, ...more] = response.getFailuresList();
  expect(more).toEqual([]);
  if (fault) return { place: snake(fault.getProperty()), says: fault.getReason() };
  const { values } = decode(response.getReturn());
  const list = form === "one" ? [values] : values[listKey(resource)];
  return { ids: (list as { id: string }[]).map(({ id }) => id) };
}

type Lookup = (args: object) => Promise<{ id: string } | { id: string }[]>;

async function byProgram({ kind, form, by }: Asked): Promise<Answer> {
  const name = `get${pascal(form === "one" ? kind : resources[kind].plural)}`;
  // The functions are generated for every resource, under these names.
  const lookup = (erphost as unknown as Readonly<Record<string, Lookup>>)[name];
  return { ids: [(await lookup?.(inCamel(by))) ?? []].flat().map(({ id }) => id) };
}

describe.each([
  ["a data source", byDataSource],
  ["a function", byFunction],
  ["a lookup of a program", byProgram],
])("%s", (_, ask) => {
  test.each(found)("$claim", async ({ ids, ...lookup }) => {
    expect(await ask(lookup)).toEqual({ ids });
  });

  test.each(refused)("$claim", async ({ place, says, early, ...lookup }) => {
    emulator.clearJournal();
    const answer = await ask(lookup).catch((error: unknown) => ({ says: String(error) }));
    expect(answer).toMatchObject({ says: expect.stringMatching(says) });
    if ("place" in answer) expect(answer.place).toBe(place);
    if (early) expect(emulator.journal()).toEqual([]);
  });
});

test.each(["one", "many"] as const)(
  "a data source of keys (%s) holds no value of one, although the service lists it",
  async (form) => {
    emulator.changeObject("api_key", "key_1", { value: emulator.adminKey });
    const asked = { kind: "api_key", form, by: { name: "admin" } } as const;
    expect(await byDataSource(asked)).toEqual({ ids: ["key_1"] });
  },
);

test("a lookup of a program takes outputs, and waits for them", async () => {
  const instanceId = pulumi.output(Promise.resolve("ins_1"));
  const newest = erphost.getBackupOutput({ instanceId, mostRecent: true });
  expect(await new Promise((resolve) => newest.id.apply(resolve))).toBe("bak_3");
  const all = erphost.getBackupsOutput({ instanceId });
  expect(await new Promise((resolve) => all.length.apply(resolve))).toBe(3);
});
