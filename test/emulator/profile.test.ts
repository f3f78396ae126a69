import { describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { startWith } from "../../emulator";
import { optional, output, required, resolveContract, resource } from "../../provider/contract";
import { atEnd } from "../support/folder";
import { send, idsOf, newEmulator } from "./support";

describe("a profile", () => {
  test("a profile moves paths and renames fields", async () => {
    const emulator = await newEmulator({
      profile: {
        resources: {
          server: {
            path: "/machines",
            itemPath: "/machine/{id}/settings",
            fields: { name: "label", status: "state", created_at: "since" },
          },
          api_key: { path: "/credentials", fields: { permissions: "grants", name: "label" } },
        },
        authTestPath: "/whoami",
      },
    });
    const created = await send(emulator, "POST /machines", { body: { label: "a", name: "free" } });
    const machine = { id: "srv_1", label: "a", name: "free", state: "running" };
    expect(created.body.data).toEqual({ ...machine, since: expect.any(String) });
    const { error } = (await send(emulator, "POST /machines", { body: { name: "a" } })).body;
    expect(error.details).toEqual({ field: "label", reason: "is required" });
    const patched = await send(emulator, "PATCH /machine/srv_1/settings", { body: { label: "b" } });
    expect(patched.body.data.label).toBe("b");
    for (const query of ["status=running", "state=running", "sort=since&order=asc", "sort=label"]) {
      expect(idsOf(await send(emulator, `GET /machines?${query}`))).toEqual(["srv_1"]);
    }
    expect((await send(emulator, "GET /servers")).status).toBe(404);
    expect((await send(emulator, "GET /whoami")).status).toBe(200);
    expect((await send(emulator, "POST /credentials/key_1/rotate")).status).toBe(200);
    emulator.createKey({ name: "k", permissions: ["servers:read"] });
    const [key] = (await send(emulator, "GET /credentials")).body.data;
    expect(key).toMatchObject({ label: "k", grants: ["servers:read"] });
  });

  test("a profile enables and disables operations, also with --strict", async () => {
    const resources = {
      server: { operations: { get: true, delete: false } },
      team: { operations: { delete: true } },
    };
    const emulator = await newEmulator({ strict: true, profile: { resources } });
    await send(emulator, "POST /servers", { body: { name: "a" } });
    expect((await send(emulator, "GET /servers/srv_1")).body.data).toMatchObject({ id: "srv_1" });
    expect((await send(emulator, "GET /servers/srv_2")).status).toBe(404);
    expect((await send(emulator, "DELETE /servers/srv_1")).status).toBe(405);
    await send(emulator, "POST /teams", { body: { name: "t" } });
    expect((await send(emulator, "DELETE /teams/team_1")).body.data).toEqual({ id: "team_1" });
  });

  test("a profile can update by PUT, which replaces everything that the client sets", async () => {
    const profile = { resources: { instance: { updateMethod: "PUT" } } };
    const emulator = await newEmulator({ profile });
    emulator.createObjects("server", { name: "a" });
    const body = { name: "i", server_id: "srv_1", version: "17.0", note: "n" };
    const created = await send(emulator, "POST /instances", { body });
    expect((await send(emulator, "PATCH /instances/ins_1", { body: "{}" })).status).toBe(405);
    const { note: _, version: __, ...kept } = created.body.data;
    const put = await send(emulator, "PUT /instances/ins_1", { body: { name: "j" } });
    expect(put.body.data).toEqual({ ...kept, name: "j" });
    const without = await send(emulator, "PUT /instances/ins_1", { body: { version: "18.0" } });
    expect(without.body.error.details).toEqual({ field: "name", reason: "is required" });
  });

  test("a profile renames states", async () => {
    const profile = { resources: { server: { states: { initial: "booting", ready: ["up"] } } } };
    const emulator = await newEmulator({ provisionMs: 1_000, profile });
    const created = await send(emulator, "POST /servers", { body: { name: "a" } });
    expect(created.body.data.status).toBe("booting");
    emulator.advance("1s");
    expect((await send(emulator, "GET /servers")).body.data[0].status).toBe("up");
  });
});

// The one test here that has definitions: that a new one is served without a line of the emulator.
test("a new resource is served from its definition alone", async () => {
  const SERVER = { references: "server", restricts: true } as const;
  const contract = resolveContract();
  const volume = resource({
    ...{ name: "volume", plural: "volumes", path: "/volumes", doc: "A disk.", idPrefix: "vol" },
    operations: { create: "documented", list: "documented", delete: "assumed", update: "assumed" },
    scopes: {
      list: { scope: "servers:read", source: "assumed" },
      create: { scope: "servers:write", source: "assumed" },
    },
    fields: {
      id: output("assumed", z.string(), "Id."),
      created_at: output("assumed", z.string(), "Time."),
      size: required("assumed", z.int().min(1), "Gigabytes."),
      server_id: optional("assumed", z.string(), "Server.", SERVER),
      tier: optional("assumed", z.string(), "Tier.", { filter: "equality" }),
      status: output("assumed", z.string(), "State."),
    },
    states: { source: "assumed", initial: "new", ready: ["attached"], failed: ["lost"], other: [] },
  });
  const { server } = contract.resources;
  const resolved = {
    ...{ definition: volume, path: "/volumes", itemPath: "/volumes/{id}" },
    operations: volume.operations,
    updateMethod: "PATCH" as const,
    wireNames: Object.fromEntries(Object.keys(volume.fields).map((name) => [name, name])),
    states: volume.states,
  };
  const resources = { ...contract.resources, server, volume: resolved };
  const emulator = await startWith({ provisionMs: 10_000 }, { ...contract, resources });
  atEnd(() => emulator.close());
  await send(emulator, "POST /servers", { body: { name: "s" } });
  const body = { size: 10, server_id: "srv_1", tier: "fast" };
  const created = await send(emulator, "POST /volumes", { body });
  expect(created.body.data).toMatchObject({ id: "vol_1", ...body, status: "new" });
  emulator.advance("10s");
  const fast = (await send(emulator, "GET /volumes?tier=fast")).body.data;
  expect(fast).toMatchObject([{ status: "attached" }]);
  expect((await send(emulator, "GET /volumes?tier=slow")).body.data).toEqual([]);
  expect((await send(emulator, "POST /volumes", { body: { size: 0 } })).status).toBe(422);
  expect((await send(emulator, "DELETE /servers/srv_1")).body.error.code).toBe("conflict");
  expect((await send(emulator, "PATCH /volumes/vol_1", { body: { size: 20 } })).status).toBe(200);
  expect((await send(emulator, "DELETE /volumes/vol_1")).status).toBe(200);
  expect((await send(emulator, "DELETE /servers/srv_1")).status).toBe(200);
});
