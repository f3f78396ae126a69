import { describe, expect, test } from "@jest/globals";
import type { Emulator } from "../../emulator";
import { send, idsOf, eachWithEmulator, newEmulator, control } from "./support";

let emulator: Emulator;
eachWithEmulator((made) => (emulator = made));

describe("objects", () => {
  test("objects of many kinds can be created, changed and removed out of band", async () => {
    for (const kind of ["server", "team", "invoice", "cloud_provider"]) {
      const created = await control(emulator, `POST /objects/${kind}`, { name: "x", amount: 7 });
      expect(created.status).toBe(201);
      const { id } = created.body;
      const path = `/objects/${kind}/${id}`;
      const { body } = await control(emulator, `PATCH ${path}`, { amount: null, note: "n" });
      expect(body).toMatchObject({ id, note: "n" });
      expect(body).not.toHaveProperty("amount");
      expect((await control(emulator, `GET /objects/${kind}`)).body.objects).toEqual([body]);
      for (const status of [200, 404]) {
        expect((await control(emulator, `DELETE ${path}`)).status).toBe(status);
      }
    }
    const counts = (await control(emulator, "GET /objects")).body.objects;
    expect(counts).toMatchObject({ server: 0, api_key: 1 });
    expect((await control(emulator, "POST /objects/planet", {})).status).toBe(404);
  });

  test("an object can be created with an id, a time and a state", async () => {
    const record = { id: "srv_7", name: "x", created_at: "2020-01-01T00:00:00Z", status: "failed" };
    await control(emulator, "POST /objects/servers", [record]);
    expect((await send(emulator, "GET /servers")).body.data).toEqual([record]);
  });

  test.each([
    [{ name: "x", created_at: "yesterday" }, 422],
    [{ name: "x", created_at: "yesterday", odd: true }, 422],
    [{ name: "x", id: "srv_1" }, 409],
  ])("creating an object from %j out of band is a %i", async (record, status) => {
    emulator.createObjects("server", { name: "a" });
    expect((await control(emulator, "POST /objects/server", record)).status).toBe(status);
    expect(emulator.counts()["server"]).toBe(1);
  });

  test("an object whose creation time is changed moves within lists", async () => {
    emulator.createObjects("server", [{ name: "a" }, { name: "b" }]);
    emulator.changeObject("server", "srv_2", { created_at: "2020-01-01T00:00:00Z" });
    expect(idsOf(await send(emulator, "GET /servers?order=asc"))).toEqual(["srv_2", "srv_1"]);
  });

  test("an object can be removed out of band although others refer to it", async () => {
    emulator.createObjects("server", { name: "s" });
    emulator.createObjects("instance", { name: "i", server_id: "srv_1" });
    emulator.removeObject("server", "srv_1");
    expect(emulator.counts()).toMatchObject({ server: 0, instance: 1 });
    // What refers to it can still be changed otherwise.
    const body = { name: "j" };
    expect((await send(emulator, "PATCH /instances/ins_1", { body })).status).toBe(200);
  });
});

describe("what the service could not answer", () => {
  const RECORDS: [kind: string, record: object, sentence: string][] = [
    ["server", {}, "name is required"],
    ["server", { name: 5 }, "name must be a string"],
    ["server", { name: "a", status: 7 }, "status must be a string"],
    ["instance", { name: "i" }, "server_id is required"],
    ["instance", { name: "i", server_id: "srv_9" }, "refers to server srv_9, which does not exist"],
    ["team", { name: "t", members: "all" }, "members"],
    ["backup", {}, "is required unless"],
  ];

  test.each(RECORDS)("a %s can be %j on purpose alone", async (kind, record, sentence) => {
    const created = (more: object = {}) =>
      control(emulator, `POST /objects/${kind}`, [{ ...record, ...more }]);
    const { status, body } = await created();
    expect([status, body.error?.message]).toEqual([422, expect.stringContaining(sentence)]);
    expect(emulator.counts()[kind]).toBe(0);
    expect((await created({ odd: true })).status).toBe(201);
    const [shown] = emulator.objects(kind);
    expect(shown).toMatchObject(record);
    expect(shown).not.toHaveProperty("odd");
  });

  test("an object is not changed into what the service could not answer by mistake", async () => {
    emulator.createObjects("server", { name: "a" });
    const instance = { name: "i", server_id: "srv_1" };
    emulator.createObjects("instance", instance);
    const path = "PATCH /objects/instance/ins_1";
    for (const patch of [{ name: 5 }, { name: null }, { server_id: "srv_9" }]) {
      expect((await control(emulator, path, patch)).status).toBe(422);
      expect(emulator.objects("instance")).toMatchObject([instance]);
      for (const change of [{ ...patch, odd: true }, instance]) {
        expect((await control(emulator, path, change)).status).toBe(200);
      }
    }
    expect(emulator.objects("instance")[0]).not.toHaveProperty("odd");
  });

  test("an odd object can be changed in another field without being odd again", async () => {
    emulator.createObjects("server", { name: 5, odd: true });
    expect(emulator.changeObject("server", "srv_1", { note: "n" })).toMatchObject({ name: 5 });
  });

  test("the id of an object cannot be changed, not even on purpose", async () => {
    emulator.createObjects("server", { name: "a" });
    for (const odd of [true, false, undefined]) {
      const reply = await control(emulator, "PATCH /objects/server/srv_1", { id: "zzz", odd });
      expect(reply.body.error?.message).toBe("id cannot be changed");
    }
    expect(idsOf(await send(emulator, "GET /servers"))).toEqual(["srv_1"]);
    const same = { id: "srv_1", note: "n" };
    expect(emulator.changeObject("server", "srv_1", same)).toMatchObject(same);
  });

  test.each([
    ["POST /objects/server", '{"name":"a","disk":9007199254740993}', "disk"],
    ["POST /objects/server", '{"name":"a","odd":true,"disk":9007199254740993}', "disk"],
    ["POST /objects/server", '[{"name":"a","sizes":[{"disk":-1e300}]}]', "[0].sizes[0].disk"],
    ["POST /keys", '{"name":"a","note":9007199254740993}', "note"],
    ["PATCH /objects/server/srv_1", '{"disk":9007199254740993}', "disk"],
  ])("%s with %s is refused, because JSON loses digits of it", async (call, raw, field) => {
    emulator.createObjects("server", { name: "a", disk: Number.MAX_SAFE_INTEGER, share: 0.5 });
    const before = JSON.stringify(emulator.snapshot().tables);
    const [method = "", path = ""] = call.split(" ");
    const reply = await fetch(`${emulator.url}/_emulator${path}`, { method, body: raw });
    expect(reply.status).toBe(422);
    expect(await reply.text()).toContain(`${field} is a whole number beyond 2^53`);
    expect(JSON.stringify(emulator.snapshot().tables)).toBe(before);
  });
});

describe("a seed", () => {
  const ORPHAN = { name: "i", server_id: "srv_1" };
  test.each([
    [{ objects: { server: [{ name: "a" }, { name: 5 }] } }, "seed: objects.server[1].name must be"],
    [{ objects: { instance: [ORPHAN] } }, "seed: objects.instance[0].server_id refers to server s"],
    [{ objects: { planet: [{}] } }, "seed: objects.planet[0] kind planet does not exist"],
    [{ keys: [{ value: "secretsecretsecret" }] }, "seed: keys[0].value must be an API key such as"],
    [{ keys: [{ expires_at: "soon" }] }, "seed: keys[0].expires_at is not an ISO"],
    [{ keys: [{ environment: "moon" as never }] }, "seed: keys[0].environment"],
  ])("the seed %j is refused with the place of the fault", async (seed, sentence) => {
    await expect(newEmulator({ seed })).rejects.toThrow(sentence);
  });

  test("a seed can hold an odd object on purpose", async () => {
    const seed = { objects: { server: [{ name: 5, odd: true }] } };
    expect((await newEmulator({ seed })).objects("server")).toMatchObject([{ name: 5 }]);
  });
});
