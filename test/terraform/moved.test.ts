/** `moved` blocks: from another provider's objects, and from other addresses of this one. */
import { expect, test } from "@jest/globals";
import { resources } from "../../provider/contract";
import { readObject } from "../../provider/terraform/values/dynamic";
import { emulator, NOTHING, provider, said, setUp } from "./support/provider";

setUp();

/** A state as restapi 1.20 writes it: after a create, or after a read by a search of a list. */
const written = (record: object, more: object, how: "created" | "read" = "created") => ({
  id: "srv_1",
  api_data: how === "read" ? record : { data: "map[id:srv_1 name:a]", success: "true" },
  api_response: JSON.stringify(how === "read" ? record : { success: true, data: record }),
  data: '{"name":"a"}',
  path: "/servers",
  ...more,
});
const move = async (kind: string, source: object, source_type_name = "restapi_object") => {
  const source_provider_address = "registry.terraform.io/mastercard/restapi";
  const answer = await provider.move(kind, source, { source_provider_address, source_type_name });
  const { target_state, target_private = NOTHING, diagnostics } = answer;
  return { held: { state: readObject(target_state), private: target_private }, diagnostics };
};
const planted = (kind = "server", record: Readonly<Record<string, unknown>> = { name: "a" }) =>
  emulator.createObjects(kind, [record])[0] ?? {};

test.each<[string, object]>([
  ["/servers", {}],
  ["/servers/", {}],
  ["/v1/servers", {}],
  ["/api/v1/servers/?x=1", {}],
  ["/objects/{id}", { create_path: "/v1/servers" }],
  ["/servers", { id: "web", object_id: "web", id_attribute: "data/name" }],
])("a moved block takes an object of a generic provider at %s (%j)", async (path, more) => {
  const record = planted();
  for (const how of ["created", "read"] as const) {
    const { held } = await move("server", written(record, { path, ...more }, how));
    const unread = await provider.plan("server", { name: "a" }, held);
    expect(said(unread.diagnostics)).toContain("Plan without `-refresh=false`");
    const read = await provider.read("server", held);
    expect(read.state).toMatchObject({ id: "srv_1", name: "a" });
    expect((await provider.plan("server", { name: "a" }, read)).planned).toEqual(read.state);
  }
});

test("a moved block takes a generic object of every kind that can be one, and none of another path or type", async () => {
  const made = {
    server: planted(),
    instance: planted("instance", { name: "a", server_id: "srv_1" }),
    backup: planted("backup", { server_id: "srv_1" }),
    team: planted("team"),
    api_key: emulator.createKey({ name: "a", permissions: ["servers:read"] }),
  };
  for (const [kind, record] of Object.entries(made)) {
    const { id } = { id: "", ...record };
    const path = `/v1${resources[kind as keyof typeof made].path}`;
    const { held } = await move(kind, written(record, { id, path }));
    expect((await provider.read(kind, held)).state).toMatchObject({ id });
  }
  const record = made.server;
  const key = written(made.api_key, { path: "/api-keys" });
  expect((await move("api_key_rotation", key)).diagnostics).toHaveLength(1);
  for (const path of ["/teams", "/servers/x", "/serversx", "servers", "/v1x/servers"]) {
    expect((await move("server", written(record, { path }))).diagnostics).toHaveLength(1);
  }
  expect((await move("server", written(record, {}), "null_resource")).diagnostics).toHaveLength(1);
});

test.each(["created", "read"] as const)(
  "a moved object that is not listed, or not as it was recorded when %s, is an error and never gone",
  async (how) => {
    const record = planted();
    const others = [
      [{ id: "srv_9" }, "does not list it"],
      [{ name: "b" }, "recorded the name b; at http"],
      [{ created_at: "2020-01-01T00:00:00Z" }, "created_at 2020-01-01T00:00:00Z"],
    ] as const;
    for (const [more, why] of others) {
      const recorded: Readonly<Record<string, unknown>> = { ...record, ...more };
      const { held } = await move("server", written(recorded, { id: recorded["id"] }, how));
      const read = await provider.read("server", held);
      for (const answer of [read, await provider.destroy("server", held)]) {
        expect(said(answer.diagnostics)).toContain(why);
        expect(answer).toMatchObject({ state: held.state, private: held.private });
      }
    }
    expect(emulator.objects("server")).toHaveLength(1);
  },
);

test.each([
  ["a create's answer", { create_response: JSON.stringify({ data: { id: "srv_1", name: "b" } }) }],
  ["what was sent", { data: '{"name":"b"}' }],
])("a moved object is compared with %s where no later answer is recorded", async (_, more) => {
  const { held } = await move("server", written(planted(), { ...more, api_response: null }));
  const { diagnostics } = await provider.read("server", held);
  expect(said(diagnostics)).toContain("recorded the name b; at http");
});

test("a key that was rotated since it was recorded is moved in, and another one of its name is not", async () => {
  const config = { name: "k", permissions: ["servers:read"], triggers: { at: "1" } };
  const made = await provider.apply("api_key", config);
  const recorded = emulator.objects("api_key").at(-1) ?? {};
  await provider.apply("api_key", { ...config, triggers: { at: "2" } }, made);
  const path = { path: "/api-keys" };
  const { held } = await move("api_key", written(recorded, path));
  expect((await provider.read("api_key", held)).diagnostics).toEqual([]);
  const other = { ...emulator.createKey({ name: "k" }), created_at: "2020-01-01T00:00:00Z" };
  const { held: wrong } = await move("api_key", written(other, path));
  const { diagnostics } = await provider.read("api_key", wrong);
  expect(said(diagnostics)).toContain("created_at 2020-01-01T00:00:00Z");
});

test("a moved object of which nothing is recorded is refused", async () => {
  const nothing = { api_response: null, data: "{}" };
  const { diagnostics } = await move("server", written(planted(), nothing));
  expect(said(diagnostics)).toContain("nothing that it recorded shows");
});

test("a moved object that is tainted before it was read is never deleted, and never gone", async () => {
  const record = planted();
  for (const id of [record["id"], "srv_9"]) {
    const { held } = await move("server", written({ ...record, id }, { id }));
    const kept = await provider.destroy("server", { ...held, private: NOTHING });
    expect(kept.state).toEqual(held.state);
    const found = id === "srv_9" ? "does not list it" : "nothing that it recorded shows";
    for (const { diagnostics } of [kept, await provider.read("server", kept)]) {
      expect(said(diagnostics)).toContain(found);
    }
  }
  expect(emulator.objects("server")).toHaveLength(1);
});

test("a move from another address of this provider keeps the whole state", async () => {
  const key = { name: "k", permissions: ["servers:read"], idempotency_token: "mine" };
  const made = await provider.apply("api_key", key);
  const stored = { ...made.state, gone_since_then: 1 };
  const source = { source_private: made.private };
  const { target_state, target_private } = await provider.move("api_key", stored, source);
  expect(made.state?.["value"]).toMatch(/_test_/);
  expect(JSON.parse(target_state?.json?.toString() ?? "")).toEqual(made.state);
  expect(target_private).toEqual(made.private);
});
