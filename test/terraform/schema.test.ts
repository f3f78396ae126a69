import { expect, test } from "@jest/globals";
import { decodeMessage, encodeMessage } from "../../provider/grpc";
import { kinds } from "../../provider/resources";
import { modelOf } from "../../provider/terraform/schema/model";
import { renderProvider } from "../../provider/terraform/schema/provider-schema";
import { providerSchema } from "../../provider/terraform/wire/messages.gen";
import type { Schema, SchemaAttribute } from "../../provider/terraform/wire/messages.gen";

test("the schema of a resource follows from its definition alone", () => {
  const { server } = kinds;
  if (!server) throw new Error("there is no server");
  const { name, ...rest } = server.fields;
  if (!name) throw new Error("a server has no name");
  const model = modelOf({ ...server, name: "domain", fields: { ...rest, zone: name } });
  expect(model.typeName).toBe("erphost_domain");
  const zone = model.attributes.find((attribute) => attribute.name === "zone");
  expect(zone).toMatchObject({ type: "string", mode: "required" });
  expect(() => modelOf({ ...server, fields: { idempotency_token: name } })).toThrow(
    "idempotency_token",
  );
});

const sent = decodeMessage(providerSchema, encodeMessage(providerSchema, renderProvider()));

const namesWith = (
  flag: "sensitive" | "write_only",
  attributes: readonly SchemaAttribute[],
): string[] =>
  attributes.flatMap((attribute) => [
    ...(attribute[flag] ? [attribute.name] : []),
    ...namesWith(flag, attribute.nested_type?.attributes ?? []).map(
      (name) => `${attribute.name}.${name}`,
    ),
  ]);
/** Schemas that have such attributes, with their names. */
const flagged = (flag: "sensitive" | "write_only", schemas: Record<string, Schema>) =>
  Object.fromEntries(
    Object.entries(schemas)
      .map(([type, { block }]) => [type, namesWith(flag, block.attributes).sort()] as const)
      .filter(([, names]) => names.length > 0),
  );

test("the schema marks the provider's api_key as sensitive, and none of its other arguments", () => {
  expect(namesWith("sensitive", sent.provider.block.attributes)).toEqual(["api_key"]);
});

test("the schema marks every secret attribute of a resource as sensitive, and no other", () => {
  expect(flagged("sensitive", sent.resource_schemas)).toEqual({
    erphost_api_key: ["secret_properties", "value"],
    erphost_api_key_rotation: ["value"],
    erphost_backup: ["secret_properties"],
    erphost_instance: ["secret_properties"],
    erphost_server: ["secret_properties"],
    erphost_team: ["secret_properties"],
  });
});

test("the schema marks secret_properties_wo as write-only, and no other attribute", () => {
  const types = ["api_key", "backup", "instance", "server", "team"];
  expect(flagged("write_only", sent.resource_schemas)).toEqual(
    Object.fromEntries(types.map((type) => [`erphost_${type}`, ["secret_properties_wo"]])),
  );
});
