/** The whole schema, as one answer. */
import { providerArguments } from "../config";
import { actions } from "./actions";
import { providerFunctions, type ProviderFunction } from "./functions";
import { dataSources, ephemeralResources, listResources, type DataSource } from "./lookups";
import { resourceTypes } from "./model";
import { renderIdentity, renderResource, renderSchema } from "./render";
import { typeJson } from "./types";
import { StringKind } from "../wire/messages.gen";
import type { FunctionDefinition, IdentitySchemas, Metadata } from "../wire/messages.gen";
import type { ProviderSchema } from "../wire/messages.gen";

const capabilities = {
  plan_destroy: true,
  get_provider_schema_optional: true,
  move_resource_state: true,
  generate_resource_config: true,
} as const;

const PROVIDER_DOC = "Servers, instances, backups, teams and API keys of a hosted ERP service.";

const mapped = <T, U>(from: ReadonlyMap<string, T>, render: (each: T) => U): Record<string, U> =>
  Object.fromEntries([...from].map(([name, each]) => [name, render(each)]));

export const renderFunction = (given: ProviderFunction): FunctionDefinition => ({
  parameters: [
    { name: given.parameter.name, type: typeJson("string"), description: given.parameter.doc },
  ],
  return: { type: typeJson(given.returns) },
  summary: given.summary,
  description: given.doc,
  description_kind: StringKind.markdown,
});

const schemaOf = ({ attributes, doc }: Pick<DataSource, "attributes" | "doc">) =>
  renderSchema(attributes, doc);

export const renderProvider = (): ProviderSchema => ({
  provider: renderSchema(providerArguments, PROVIDER_DOC),
  resource_schemas: mapped(resourceTypes(), renderResource),
  data_source_schemas: mapped(dataSources(), schemaOf),
  ephemeral_resource_schemas: mapped(ephemeralResources(), schemaOf),
  action_schemas: mapped(actions(), (each) => ({ schema: schemaOf(each) })),
  list_resource_schemas: mapped(listResources(), schemaOf),
  functions: mapped(providerFunctions, renderFunction),
  server_capabilities: capabilities,
});

/** What an engine knows the objects of each resource type by. */
export const renderIdentities = (): IdentitySchemas => ({
  identity_schemas: mapped(resourceTypes(), renderIdentity),
});

const typeNames = (from: ReadonlyMap<string, unknown>): { type_name: string }[] =>
  [...from.keys()].map((type_name) => ({ type_name }));

export const renderMetadata = (): Metadata => ({
  server_capabilities: capabilities,
  resources: typeNames(resourceTypes()),
  data_sources: typeNames(dataSources()),
  ephemeral_resources: typeNames(ephemeralResources()),
  actions: typeNames(actions()),
  list_resources: typeNames(listResources()),
  functions: [...providerFunctions.keys()].map((name) => ({ name })),
});
