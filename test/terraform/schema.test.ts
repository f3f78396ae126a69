/** The schema that engines see follows from the definitions. */
import { describe, expect, it } from "@jest/globals";
import { kinds } from "../../provider/resources";
import { modelOf, resourceTypes } from "../../provider/terraform/model";
import { renderProvider } from "../../provider/terraform/provider-schema";

describe("the schema", () => {
  it("has a resource for every kind, and two data sources for every list", () => {
    const { resource_schemas, data_source_schemas } = renderProvider();
    expect(Object.keys(resource_schemas).sort()).toEqual(
      Object.keys(kinds)
        .map((name) => `erphost_${name}`)
        .sort(),
    );
    expect(Object.keys(data_source_schemas)).toEqual(
      expect.arrayContaining([
        "erphost_server",
        "erphost_servers",
        "erphost_cloud_providers",
        "erphost_auth",
      ]),
    );
  });

  it("follows from a definition alone", () => {
    const { server } = kinds;
    if (!server) throw new Error("there is no server");
    const { name, ...rest } = server.fields;
    if (!name) throw new Error("a server has no name");
    const model = modelOf({ ...server, name: "domain", fields: { ...rest, zone: name } });
    expect(model.typeName).toBe("erphost_domain");
    expect(model.attributes.find((attribute) => attribute.name === "zone")).toMatchObject({
      type: "string",
      mode: "required",
    });
    expect(() => modelOf({ ...server, fields: { idempotency_token: name } })).toThrow(
      "idempotency_token",
    );
  });

  it("calls secret what the definitions call secret", () => {
    const [key] = [resourceTypes().get("erphost_api_key")];
    const sensitive = key?.attributes.filter((attribute) => attribute.sensitive);
    expect(sensitive?.map(({ name }) => name)).toEqual(["secret_properties", "value"]);
    expect(key?.attributes.filter(({ writeOnly }) => writeOnly).map(({ name }) => name)).toEqual([
      "secret_properties_wo",
    ]);
  });
});
