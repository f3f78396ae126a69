/** Changes that a program ignores: the plan has them as they are, the configuration does not. */
import { expect, test } from "@jest/globals";
import type { Emulator } from "../../emulator";
import type { RawObject } from "../../provider/terraform/wire/msgpack";
import { dynamic, eachWithProvider, type TestProvider } from "./support/provider";

let emulator: Emulator;
let provider: TestProvider;

eachWithProvider((place) => ({ emulator, provider } = place));

const host: RawObject = { server_id: "srv_1" };
const read: RawObject = { permissions: ["servers:read"] };
const again = (n: string): RawObject => ({
  ...{ secret_properties_wo: dynamic({ pin: n }), secret_properties_wo_version: n },
});

test.each<[kind: string, given: RawObject, ignored: RawObject, edit?: RawObject]>([
  ["server", { properties: dynamic({ region: "eu" }) }, { properties: dynamic({ size: "l" }) }],
  ["server", { properties: dynamic({ region: "eu" }) }, { properties: null }],
  ["server", { secret_properties: { pin: "1" } }, { secret_properties: { pin: "2" } }],
  ["server", { deletion_protection: true }, { deletion_protection: null }],
  ["server", again("1"), again("2")],
  ["instance", { ...host, version: "18.0" }, { server_id: "srv_2", version: "17.0" }],
  ["instance", { ...host, version: "18.0" }, { version: null }],
  ["backup", { instance_id: "ins_1", triggers: { n: "1" } }, { triggers: null }, { wait: false }],
  ["team", { members: [{ email: "a@b.co", role: "admin" }] }, { members: [] }],
  ["api_key", { ...read, triggers: { n: "1", m: "1" } }, { triggers: { n: "1" } }],
  ["api_key", { ...read, ip_whitelist: ["::1"] }, { ip_whitelist: [], permissions: ["admin"] }],
  ["api_key_rotation", { key_id: "key_9" }, { triggers: { n: "2" } }, { rotate_after: "90d" }],
])(
  "an update of a %s changes nothing that is ignored (%#)",
  async (kind, given, ignored, edit = { name: "b" }) => {
    emulator.createObjects("server", [{ name: "host" }, { name: "other" }]);
    emulator.createObjects("instance", [{ name: "erp", server_id: "srv_1" }]);
    const { id } = emulator.createKey({ name: "old", permissions: ["servers:read"] });
    const known = { ...given, ...(given["key_id"] && { key_id: id }) };
    const made = await provider.apply(kind, { name: "a", ...known });
    expect(made.diagnostics).toEqual([]);
    const type = kind.replace("_rotation", "");
    const inService = () => emulator.objects(type).map((each) => ({ ...each, name: "" }));
    const before = inService();
    const config = { name: "a", ...known, ...ignored, ...edit };
    const held = { ...made, ignored: Object.keys(ignored) };
    const next = await provider.apply(kind, config, held);
    expect(next).toMatchObject({ state: { ...made.state, ...edit }, diagnostics: [] });
    expect(inService()).toEqual(before);
    const seen = await provider.read(kind, next);
    expect(seen.state).toEqual(next.state);
    expect(await provider.plan(kind, config, { ...held, ...seen })).toMatchObject({
      planned: next.state,
      diagnostics: [],
    });
  },
);
