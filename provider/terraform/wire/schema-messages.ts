/**
 * Messages that describe the provider itself: its schema, functions and capabilities. A test compares
 * every field with the official descriptors.
 */
import { message, type Message } from "../../grpc";

export const MARKDOWN = 1;
export const NESTING_SINGLE = 1;
export const NESTING_LIST = 2;
export const NESTING_SET = 3;

export interface SchemaObject {
  readonly attributes: readonly SchemaAttribute[];
  readonly nesting: number;
}
export interface SchemaAttribute {
  readonly name: string;
  /** The type as JSON; absent where `nested_type` is set. */
  readonly type?: Buffer;
  readonly nested_type?: SchemaObject;
  readonly description?: string;
  readonly required?: boolean;
  readonly optional?: boolean;
  readonly computed?: boolean;
  readonly sensitive?: boolean;
  readonly description_kind?: number;
  readonly write_only?: boolean;
}
export interface SchemaNestedBlock {
  readonly type_name: string;
  readonly block: SchemaBlock;
  readonly nesting: number;
}
export interface SchemaBlock {
  readonly attributes: readonly SchemaAttribute[];
  readonly block_types?: readonly SchemaNestedBlock[];
  readonly description?: string;
  readonly description_kind?: number;
}
export interface Schema {
  readonly version: number;
  readonly block: SchemaBlock;
}
const schemaObject: Message<SchemaObject> = message<SchemaObject>({
  attributes: [1, () => schemaAttribute, "list"],
  nesting: [3, "integer"],
});
const schemaAttribute: Message<SchemaAttribute> = message<SchemaAttribute>({
  name: [1, "string"],
  type: [2, "bytes"],
  nested_type: [10, () => schemaObject],
  description: [3, "string"],
  required: [4, "bool"],
  optional: [5, "bool"],
  computed: [6, "bool"],
  sensitive: [7, "bool"],
  description_kind: [8, "integer"],
  write_only: [11, "bool"],
});
const schemaNestedBlock: Message<SchemaNestedBlock> = message<SchemaNestedBlock>({
  type_name: [1, "string"],
  block: [2, () => schemaBlock],
  nesting: [3, "integer"],
});
const schemaBlock: Message<SchemaBlock> = message<SchemaBlock>({
  attributes: [2, () => schemaAttribute, "list"],
  block_types: [3, () => schemaNestedBlock, "list"],
  description: [4, "string"],
  description_kind: [5, "integer"],
});
const schema = message<Schema>({ version: [1, "integer"], block: [2, () => schemaBlock] });

export interface FunctionParameter {
  readonly name: string;
  readonly type: Buffer;
  readonly description: string;
}
export interface FunctionDefinition {
  readonly parameters: readonly FunctionParameter[];
  readonly return: { readonly type: Buffer };
  readonly summary: string;
  readonly description: string;
  readonly description_kind: number;
}
const parameter = message<FunctionParameter>({
  name: [1, "string"],
  type: [2, "bytes"],
  description: [5, "string"],
});
const returned = message<{ readonly type: Buffer }>({ type: [1, "bytes"] });
const functionDefinition = message<FunctionDefinition>({
  parameters: [1, () => parameter, "list"],
  return: [3, () => returned],
  summary: [4, "string"],
  description: [5, "string"],
  description_kind: [6, "integer"],
});

export interface ServerCapabilities {
  readonly plan_destroy: boolean;
  readonly get_provider_schema_optional: boolean;
  readonly move_resource_state: boolean;
}
const capabilities = message<ServerCapabilities>({
  plan_destroy: [1, "bool"],
  get_provider_schema_optional: [2, "bool"],
  move_resource_state: [3, "bool"],
});

const named = message<{ readonly type_name: string }>({ type_name: [1, "string"] });
const functionName = message<{ readonly name: string }>({ name: [1, "string"] });

export interface Metadata {
  readonly server_capabilities: ServerCapabilities;
  readonly data_sources: readonly { readonly type_name: string }[];
  readonly resources: readonly { readonly type_name: string }[];
  readonly functions: readonly { readonly name: string }[];
  readonly ephemeral_resources: readonly { readonly type_name: string }[];
}
export const metadata = message<Metadata>({
  server_capabilities: [1, () => capabilities],
  data_sources: [3, () => named, "list"],
  resources: [4, () => named, "list"],
  functions: [5, () => functionName, "list"],
  ephemeral_resources: [6, () => named, "list"],
});

export interface ProviderSchema {
  readonly provider: Schema;
  readonly resource_schemas: Readonly<Record<string, Schema>>;
  readonly data_source_schemas: Readonly<Record<string, Schema>>;
  readonly server_capabilities: ServerCapabilities;
  readonly functions: Readonly<Record<string, FunctionDefinition>>;
  readonly ephemeral_resource_schemas: Readonly<Record<string, Schema>>;
}
export const providerSchema = message<ProviderSchema>({
  provider: [1, () => schema],
  resource_schemas: [2, () => schema, "map"],
  data_source_schemas: [3, () => schema, "map"],
  server_capabilities: [6, () => capabilities],
  functions: [7, () => functionDefinition, "map"],
  ephemeral_resource_schemas: [8, () => schema, "map"],
});

export const functionsResponse = message<{
  readonly functions: Readonly<Record<string, FunctionDefinition>>;
}>({ functions: [1, () => functionDefinition, "map"] });
