/** What engines know objects by, from the create to the delete, on the emulator. */
import { describe, expect, test } from "@jest/globals";
import { decodeMessage } from "../../provider/grpc";
import { resourceTypes } from "../../provider/terraform/schema/model";
import { schemaAnswers } from "../../provider/terraform/server/schema-answers";
import { readObject } from "../../provider/terraform/values/dynamic";
import * as m from "../../provider/terraform/wire/messages.gen";
import { emulator, NOTHING, provider, restarted, said, setUp } from "./support/provider";
import type { Held } from "./support/provider";

setUp();

const SERVER = "server";

/** An identity as an engine stores it. */
const plain = (identity: m.IdentityData | undefined) => readObject(identity?.identity_data);
const idOf = ({ state }: Pick<Held, "state">): unknown => state?.["id"];

test("every resource has an identity: its id, or the key that it rotates", () => {
  const { identity_schemas } = decodeMessage(
    m.identitySchemas,
    schemaAnswers.GetResourceIdentitySchemas(),
  );
  const members = Object.entries(identity_schemas).map(
    ([type, { version, identity_attributes }]) => {
      expect(version).toBe(0);
      return [type, identity_attributes.map(({ name }) => name).join()];
    },
  );
  const ids = Object.fromEntries([...resourceTypes().keys()].map((type) => [type, "id"]));
  expect(Object.fromEntries(members)).toEqual({ ...ids, erphost_api_key_rotation: "key_id" });
  expect(identity_schemas["erphost_server"]?.identity_attributes).toMatchObject([
    { required_for_import: true, description: "Id of the object." },
  ]);
});

describe("an object's identity", () => {
  test("comes with its create, is the same before and after an update, and goes with it", async () => {
    expect((await provider.plan(SERVER, { name: "web" })).planned_identity).toBeUndefined();
    const made = await provider.apply(SERVER, { name: "web" });
    expect(plain(made.identity)).toEqual({ id: idOf(made) });
    expect((await provider.plan(SERVER, { name: "api" }, made)).planned_identity).toEqual(
      made.identity,
    );
    const updated = await provider.apply(SERVER, { name: "api" }, made);
    expect(updated.identity).toEqual(made.identity);
    expect((await provider.read(SERVER, updated)).identity).toEqual(made.identity);
    expect((await provider.apply(SERVER, null, updated)).identity).toBeUndefined();
  });

  test("is left open where the object is replaced", async () => {
    const { state } = await provider.apply(SERVER, { name: "host" });
    const instance = { name: "erp", server_id: idOf({ state }) as string };
    const made = await provider.apply("instance", instance);
    const other = await provider.apply(SERVER, { name: "other" });
    const moved = { ...instance, server_id: idOf(other) as string };
    const plan = await provider.plan("instance", moved, made);
    expect(plan).toMatchObject({ requires_replace: [{}] });
    expect(plan.planned_identity).toBeUndefined();
  });

  test("is left out for an engine that sends none of what it has already", async () => {
    const made = await provider.apply(SERVER, { name: "older" });
    const held = { state: made.state, private: made.private };
    expect((await provider.read(SERVER, held)).identity).toBeUndefined();
    expect((await provider.plan(SERVER, { name: "newer" }, held)).planned_identity).toBeUndefined();
    expect((await provider.apply(SERVER, { name: "newer" }, held)).identity).toBeUndefined();
  });

  test("stays where a read or a change is refused", async () => {
    const made = await provider.apply(SERVER, { name: "kept", deletion_protection: true });
    const refused = await provider.apply(SERVER, null, made);
    expect(said(refused.diagnostics)).toContain("prevents deleting");
    expect(refused.identity).toEqual(made.identity);
    // Engines delete what is tainted without its metadata, and without its identity.
    const tainted = await provider.destroy(SERVER, { state: made.state, private: NOTHING });
    expect(tainted).toMatchObject({ state: made.state, identity: made.identity });
    const other = await restarted(emulator);
    emulator.setFaults([{ effect: { type: "status", status: 403 } }]);
    const unread = await other.read(SERVER, made);
    expect(unread.diagnostics).toMatchObject([{ severity: m.Severity.error }]);
    expect(unread.identity).toEqual(made.identity);
    const update = await other.apply(SERVER, { name: "other" }, made);
    expect(update.diagnostics).toMatchObject([{ severity: m.Severity.error }]);
    expect(update.identity).toEqual(made.identity);
  });

  test("of a key is that of its line, after any rotation", async () => {
    const config = { name: "ci", permissions: ["servers:read"], triggers: { release: "1" } };
    const made = await provider.apply("api_key", config);
    const next = { ...config, triggers: { release: "2" } };
    const rotated = await provider.apply("api_key", next, made);
    expect(rotated.state).toMatchObject({ id: idOf(made) });
    expect(rotated.state?.["current_key_id"]).not.toBe(idOf(made));
    expect(plain(rotated.identity)).toEqual({ id: idOf(made) });
    const id = rotated.state?.["current_key_id"] ?? "";
    const imported = await provider.import("api_key", "", { id });
    expect(plain(imported.identity)).toEqual({ id: idOf(made) });
  });

  test("of a rotation is its key, and cannot be imported", async () => {
    const { id: key_id } = emulator.createKey({ name: "dashboard", permissions: ["servers:read"] });
    const made = await provider.apply("api_key_rotation", { key_id, rotate_on_create: false });
    expect(plain(made.identity)).toEqual({ key_id });
    const { diagnostics } = await provider.import("api_key_rotation", "", { key_id });
    expect(said(diagnostics)).toContain("An API key rotation cannot be imported");
  });
});

test("an import by identity takes over the object, as an import by id or name does", async () => {
  const { state } = await provider.apply(SERVER, { name: "web" });
  const id = idOf({ state }) as string;
  for (const found of [
    await provider.import(SERVER, "", { id }),
    await provider.import(SERVER, id),
    await provider.import(SERVER, "name=web"),
  ]) {
    expect(found.state).toMatchObject({ id, name: "web" });
    expect(plain(found.identity)).toEqual({ id });
  }
});

test.each(["srv_999", "name=web", ""])(
  "an import by identity names the id where %j is none",
  async (id) => {
    await provider.apply(SERVER, { name: "web" });
    const { state, diagnostics } = await provider.import(SERVER, "", { id });
    expect(state).toBeNull();
    expect(said(diagnostics)).toContain(`There is no server with the id ${id}`);
  },
);

const upgrade = (version: number, stored: unknown) =>
  provider.call("UpgradeResourceIdentity", m.upgradeIdentityRequest, m.upgradeIdentityResponse, {
    type_name: "erphost_server",
    version,
    raw_identity: { json: Buffer.from(JSON.stringify(stored)) },
  });

test("a stored identity is answered in its version, and one of a later release is refused", async () => {
  const { upgraded_identity, diagnostics } = await upgrade(0, { id: "srv_1" });
  expect(diagnostics).toEqual([]);
  expect(plain(upgraded_identity)).toEqual({ id: "srv_1" });
  expect(said((await upgrade(1, { id: "srv_1" })).diagnostics)).toContain("later release");
  for (const wrong of ["srv_1", {}, { id: 1 }]) {
    const refused = await upgrade(0, wrong);
    expect(said(refused.diagnostics)).toContain("identity in the state of a server has no id");
  }
});

test("a stored identity moves with an object of the same type", async () => {
  const state = { id: "srv_1" };
  const source_identity = { json: Buffer.from(JSON.stringify(state)) };
  const moved = await provider.move(SERVER, state, { source_identity });
  expect(plain(moved.target_identity)).toEqual(state);
  expect((await provider.move(SERVER, state)).target_identity).toBeUndefined();
});
