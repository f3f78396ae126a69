/** What `terraform providers schema -json` would print, without an engine; tested to be equal. */
import { renderProvider } from "../../../provider/terraform/schema/provider-schema";
import { NestingMode } from "../../../provider/terraform/wire/messages.gen";
import type { FunctionDefinition, Schema } from "../../../provider/terraform/wire/messages.gen";
import type { SchemaAttribute, SchemaBlock } from "../../../provider/terraform/wire/messages.gen";

/** Where programs find the provider, as Terraform spells it in full. */
export const ADDRESS = "registry.terraform.io/erphost/erphost";

type Json = Readonly<Record<string, unknown>>;

/** The document, with one provider in it. */
export function schemaJson(): Json {
  const all = renderProvider();
  return {
    format_version: "1.0",
    provider_schemas: {
      [ADDRESS]: {
        provider: schema(all.provider),
        resource_schemas: mapped(all.resource_schemas, schema),
        data_source_schemas: mapped(all.data_source_schemas, schema),
        ephemeral_resource_schemas: mapped(all.ephemeral_resource_schemas, schema),
        functions: mapped(all.functions, functionJson),
      },
    },
  };
}

/** Names of resources' attributes that hold objects, or lists or sets of them. */
export const objectAttributes = (): readonly string[] =>
  Object.values(renderProvider().resource_schemas).flatMap(({ block }) =>
    block.attributes.flatMap(({ name, nested_type }) => (nested_type ? [name] : [])),
  );

const mapped = <T>(from: Readonly<Record<string, T>>, render: (each: T) => Json): Json =>
  sorted(Object.entries(from).map(([name, each]) => [name, render(each)]));

/** In the engines' order, so that either source generates the same files. */
const sorted = (entries: readonly (readonly [string, Json])[]): Json =>
  Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));

const schema = ({ version, block }: Schema): Json => ({ version, block: blockJson(block) });

/** Engines leave out what is false or empty. */
const blockJson = (block: SchemaBlock): Json => ({
  attributes: attributesJson(block.attributes),
  ...((block.block_types?.length ?? 0) > 0 && {
    block_types: Object.fromEntries(
      (block.block_types ?? []).map(({ type_name, nesting, block: inner }) => [
        type_name,
        { nesting_mode: nestingMode(nesting), block: blockJson(inner) },
      ]),
    ),
  }),
  description: block.description,
  description_kind: "markdown",
});

const attributesJson = (attributes: readonly SchemaAttribute[]): Json =>
  sorted(attributes.map((attribute) => [attribute.name, attributeJson(attribute)]));

const attributeJson = (attribute: SchemaAttribute): Json => ({
  ...(attribute.nested_type
    ? {
        nested_type: {
          attributes: attributesJson(attribute.nested_type.attributes),
          nesting_mode: nestingMode(attribute.nested_type.nesting),
        },
      }
    : { type: typeOf(attribute.type) }),
  description: attribute.description,
  description_kind: "markdown",
  ...(attribute.required && { required: true }),
  ...(attribute.optional && { optional: true }),
  ...(attribute.computed && { computed: true }),
  ...(attribute.sensitive && { sensitive: true }),
  ...(attribute.write_only && { write_only: true }),
});

const nestingMode = (nesting: number): string =>
  nesting === NestingMode.list ? "list" : nesting === NestingMode.set ? "set" : "single";

const typeOf = (bytes: Buffer | undefined): unknown =>
  bytes === undefined ? undefined : JSON.parse(bytes.toString("utf8"));

const functionJson = (definition: FunctionDefinition): Json => ({
  description: definition.description,
  summary: definition.summary,
  return_type: typeOf(definition.return.type),
  parameters: definition.parameters.map(({ name, description, type }) => ({
    name,
    description,
    type: typeOf(type),
  })),
});
