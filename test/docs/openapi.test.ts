import { describe, expect, test } from "@jest/globals";
import { errorCodes, isRecord, pascal, resources, type Resource } from "../../provider/contract";
import { METHODS, OPERATIONS, pathOf } from "../../scripts/generate/contract/resources";
import { document } from "../../scripts/generate/openapi/document";

// As a reader of the file has it: without members that are undefined.
const read: unknown = JSON.parse(JSON.stringify(document()));
const all: readonly Resource[] = Object.values(resources);

const at = (...path: readonly string[]): unknown =>
  path.reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), read);

/** Every value below, with the key that holds it. */
function* walk(value: unknown): Generator<readonly [key: string, value: unknown]> {
  if (Array.isArray(value)) for (const each of value) yield* walk(each);
  if (!isRecord(value)) return;
  for (const [key, inner] of Object.entries(value)) {
    yield [key, inner];
    yield* walk(inner);
  }
}

describe("docs/openapi.json", () => {
  test("the OpenAPI document is of version 3.1, and every reference in it resolves", () => {
    expect(at("openapi")).toBe("3.1.0");
    const references = [...walk(read)].flatMap(([key, value]) =>
      key === "$ref" && typeof value === "string" ? [value] : [],
    );
    expect(references.length).toBeGreaterThan(50);
    const dangling = references.filter(
      (reference) => at(...reference.replace("#/", "").split("/")) === undefined,
    );
    expect(dangling).toEqual([]);
  });

  test("the OpenAPI document names every operation once", () => {
    const names = [...walk(read)].filter(([key]) => key === "operationId").map(([, name]) => name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(
      expect.arrayContaining(["testAuth", "rotateApiKey", "listCloudProviders"]),
    );
  });

  test.each(all)(
    "the OpenAPI document offers for $name what the service offers, and no more",
    (resource) => {
      const offered = OPERATIONS.filter(
        (name) => at("paths", pathOf(resource, name), METHODS[name].toLowerCase()) !== undefined,
      );
      expect(offered).toEqual(OPERATIONS.filter((name) => resource.operations[name] !== undefined));
    },
  );

  test.each(all)("the OpenAPI document has every field of $name and its source", (resource) => {
    const title = pascal(resource.name);
    for (const [name, field] of Object.entries(resource.fields)) {
      expect(at("components", "schemas", title, "properties", name, "x-said-by")).toBe(
        field.source,
      );
      if (resource.operations.create === undefined) continue;
      const taken = at("components", "schemas", `${title}Create`, "properties", name) !== undefined;
      expect(taken).toBe(field.use !== "output");
    }
  });

  test("the OpenAPI document has a schema for every error", () => {
    const schemas = Object.keys(errorCodes).map((code) =>
      at(
        "components",
        "schemas",
        `${pascal(code)}Error`,
        "properties",
        "error",
        "properties",
        "code",
        "const",
      ),
    );
    expect(schemas).toEqual(Object.keys(errorCodes));
  });
});
