/**
 * The plugin's diff: what the engine finds, in the names and numbers of Pulumi's protocol. That each
 * field of each kind is compared is shown in test/engine/compare.test.ts.
 */
import { DiffResponse, PropertyDiff } from "@pulumi/pulumi/proto/provider_pb";
import { afterAll, expect, test } from "@jest/globals";
import { check, create, diff, kindOf, openPlugin, outputsOf, urnOf } from "./support";
import type { Properties } from "./support";

const { ADD, ADD_REPLACE, DELETE, DELETE_REPLACE, UPDATE, UPDATE_REPLACE } = PropertyDiff.Kind;
const { DIFF_NONE, DIFF_SOME } = DiffResponse.DiffChanges;
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const plugin = openPlugin();
afterAll(() => plugin.close());

async function diffed(kind: string, olds: Properties, news: Properties) {
  const response = await diff(plugin.session, { urn: urnOf(kindOf(kind)), id: "id_1", olds, news });
  const paths: Record<string, number> = {};
  response.getDetaileddiffMap().forEach((entry, path) => (paths[path] = entry.getKind()));
  return {
    paths,
    changes: response.getChanges(),
    diffs: response.getDiffsList(),
    replaces: response.getReplacesList(),
    deleteBeforeReplace: response.getDeletebeforereplace(),
  };
}

/** What a program gives before each edit; protection would refuse what is replaced. */
const inputs: Readonly<Record<string, Properties>> = {
  server: { name: "a", properties: { key: "x" }, readyStates: ["a", "b"], wait: true },
  instance: { name: "a", serverId: "srv_1", version: "17.0", deletionProtection: false },
  backup: { instanceId: "ins_1", triggers: { key: "1" } },
  team: { name: "a", members: [{ email: "a@b.c", role: "x" }] },
  api_key: { name: "a", permissions: ["read"], secretProperties: { key: "x" } },
};
const member = { email: "a@b.c", role: "x" };
const renamed = { ...member, role: "y" };
const x = { key: "x" };
const deep = { key: "x", "a.b": { deep: ["y"] } };

test.each<[string, kind: string, edit: Properties, paths: Record<string, number>]>([
  ["nothing where nothing is edited", "server", {}, {}],
  ["nothing where a set is in another order", "server", { readyStates: ["b", "a"] }, {}],
  ["another text", "server", { name: "b" }, { name: UPDATE }],
  ["another flag", "server", { wait: false }, { wait: UPDATE }],
  ["what is not known yet", "server", { name: UNKNOWN }, { name: UPDATE }],
  ["an input that is given first", "instance", { edition: "x" }, { edition: ADD }],
  ["an option that is left out", "server", { wait: undefined }, { wait: DELETE }],
  ["nothing where the service keeps what is left out", "instance", { version: undefined }, {}],
  ["a free field", "server", { properties: { key: "y" } }, { "properties.key": UPDATE }],
  ["a free field of any name", "server", { properties: deep }, { 'properties["a.b"]': ADD }],
  ["a quote in it", "server", { properties: { ...x, '"\\b': 1 } }, { 'properties["\\"\\b"]': ADD }],
  ["what no path can name", "server", { properties: { ...x, "a\\": 1 } }, { properties: UPDATE }],
  ["a free field that is removed", "server", { properties: {} }, { "properties.key": DELETE }],
  ["a secret", "api_key", { secretProperties: { key: "y" } }, { "secretProperties.key": UPDATE }],
  ["an added element", "server", { readyStates: ["a", "b", "c"] }, { "readyStates[2]": ADD }],
  ["one that is removed", "server", { readyStates: ["a"] }, { "readyStates[1]": DELETE }],
  ["a member of an element", "team", { members: [renamed] }, { "members[0].role": UPDATE }],
  ["nothing of a member that is left out", "team", { members: [{ email: "a@b.c" }] }, {}],
  ["one by its key", "team", { members: [member, { email: "d@e.f" }] }, { "members[1]": ADD }],
  ["what forces replacement", "instance", { serverId: "srv_2" }, { serverId: UPDATE_REPLACE }],
  ["a trigger too", "backup", { triggers: { key: "2" } }, { "triggers.key": UPDATE_REPLACE }],
  ["a new trigger", "backup", { triggers: { key: "1", b: "2" } }, { "triggers.b": ADD_REPLACE }],
  ["one that is left out", "backup", { triggers: undefined }, { triggers: DELETE_REPLACE }],
])("the plugin's diff shows %s, and nothing else", async (_, kind, edit, paths) => {
  const olds = inputs[kind] ?? {};
  const kinds: readonly number[] = [ADD_REPLACE, DELETE_REPLACE, UPDATE_REPLACE];
  const replaces = Object.values(paths).some((each) => kinds.includes(each));
  const heads = Object.keys(paths).length === 0 ? [] : Object.keys(edit);
  expect(await diffed(kind, outputsOf(olds), { ...olds, ...edit })).toEqual({
    paths,
    changes: heads.length === 0 ? DIFF_NONE : DIFF_SOME,
    diffs: heads,
    replaces: replaces ? heads : [],
    // The new object is created first, because names need not be unique.
    deleteBeforeReplace: false,
  });
});

const args = { name: "erp", serverId: "srv_1", deletionProtection: true };

test.each([
  ["a protected instance moves to another server", true],
  ["its protection is turned off together with the move", false],
])(
  "the plugin's diff fails, and plans no replacement, when the engine refuses the change: %s",
  async (_, deletionProtection) => {
    await expect(
      diffed("instance", outputsOf(args), { ...args, serverId: "srv_2", deletionProtection }),
    ).rejects.toThrow(/^deletionProtection prevents replacing instance id_1/);
  },
);

test.each([
  ["a protected object", true, /replacing server \(n\)\. Set it to false.*--refresh/],
  ["one that the same change no longer protects", false, /turns it off first.*--refresh/],
])(
  "%s is not replaced by replacementTrigger or replaceWith, of which no diff is asked",
  async (_, deletionProtection, why) => {
    const urn = urnOf(kindOf("server"));
    const news = { name: "n", deletionProtection };
    await check(plugin.session, { urn, olds: { ...news, deletionProtection: true }, news });
    await check(plugin.session, { urn, news });
    for (const preview of [true, false]) {
      const created = create(plugin.session, { urn, properties: news, preview });
      await expect(created).rejects.toThrow(why);
    }
  },
);
