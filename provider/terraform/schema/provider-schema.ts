/** The whole schema, as one answer. */
import { providerArguments } from "../config";
import { actions } from "./actions";
import { providerFunctions, type ProviderFunction } from "./functions";
import { dataSources, ephemeralResources, listResources } from "./lookups";
import { resourceTypes } from "./model";
import { renderIdentity, renderResource, renderSchema } from "./render";
import { typeJson } from "./types";
import {
  StringKind,
  type FunctionDefinition,
  type IdentitySchemas,
  type Metadata,
  type ProviderSchema,
} from "../wire/messages.gen";

const capabilities = {
  plan_destroy: true,
  get_provider_schema_optional: true,
  move_resource_state: true,
  generate_resource_config: true,
} as const;

const PROVIDER_DOC = "Servers, instances, backups, teams and API keys of a hosted ERP service.";

const mapped = <T, U>(from: ReadonlyMap<string, T>, render: (each: T) => U): Record<string, U> =>
  Object.fromEntries([...from].map(([name, each]) => [name, render(each)]));

export const renderFunction = (definition: ProviderFunction): FunctionDefinition => ({
  parameters: [
    {
      name: definition.parameter.name,
      type: typeJson("string"),
      description: definition.parameter.doc,
    },
  ],
  return: { type: typeJson(definition.returns) },
  summary: definition.summary,
  description: definition.doc,
  description_kind: StringKind.markdown,
});

export const renderProvider = (): ProviderSchema => ({
  provider: renderSchema(providerArguments, PROVIDER_DOC),
  resource_schemas: mapped(resourceTypes(), renderResource),
  data_source_schemas: mapped(dataSources(), ({ attributes, doc }) =>
    renderSchema(attributes, doc),
  ),
  ephemeral_resource_schemas: mapped(ephemeralResources(), ({ attributes, doc }) =>
    renderSchema(attributes, doc),
  ),
  action_schemas: mapped(actions(), ({ attributes, doc }) => ({
    schema: renderSchema(attributes, doc),
  })),
  list_resource_schemas: mapped(listResources(), ({ attributes, doc }) =>
    renderSchema(attributes, doc),
  ),
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
