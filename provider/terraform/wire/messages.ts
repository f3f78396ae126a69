/**
 * Messages of the plugin protocol, version 6.8: numbers and types as the documented protocol has
 * them. Only what a provider reads or writes is here; unknown fields are passed over.
 */
import { message, type Message } from "../../grpc";

const empty = message<Readonly<Record<never, never>>>({});
export { empty };

/** One value, encoded. */
export interface DynamicValue {
  readonly msgpack?: Buffer;
  readonly json?: Buffer;
}
const dynamicValue = message<DynamicValue>({ msgpack: [1, "bytes"], json: [2, "bytes"] });

export interface PathStep {
  readonly attribute_name?: string;
  readonly element_key_string?: string;
  readonly element_key_int?: number;
}
export interface AttributePath {
  readonly steps: readonly PathStep[];
}
const step = message<PathStep>({
  attribute_name: [1, "string"],
  element_key_string: [2, "string"],
  element_key_int: [3, "integer"],
});
const attributePath = message<AttributePath>({ steps: [1, () => step, "list"] });

export const SEVERITY_ERROR = 1;
export const SEVERITY_WARNING = 2;
export interface Diagnostic {
  readonly severity: number;
  readonly summary: string;
  readonly detail: string;
  readonly attribute?: AttributePath;
}
const diagnostic = message<Diagnostic>({
  severity: [1, "integer"],
  summary: [2, "string"],
  detail: [3, "string"],
  attribute: [4, () => attributePath],
});

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
  /** The type as JSON; absent where `nested_type` is given. */
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

interface Told {
  readonly diagnostics: readonly Diagnostic[];
}
/** An answer that is diagnostics alone, as most calls have it. */
export const diagnosed = message<Told>({ diagnostics: [1, () => diagnostic, "list"] });
/** The same for `ValidateProviderConfig`, where the number is another. */
export const providerDiagnosed = message<Told>({ diagnostics: [2, () => diagnostic, "list"] });

export interface ConfigRequest {
  readonly config: DynamicValue | undefined;
}
export const validateProviderConfigRequest = message<ConfigRequest>({
  config: [1, () => dynamicValue],
});
export const configureProviderRequest = message<ConfigRequest & { terraform_version: string }>({
  terraform_version: [1, "string"],
  config: [2, () => dynamicValue],
});

export interface TypedConfigRequest extends ConfigRequest {
  readonly type_name: string;
}
/** Validation of resources, data sources and ephemeral resources; reading and opening them. */
export const typedConfigRequest = message<TypedConfigRequest>({
  type_name: [1, "string"],
  config: [2, () => dynamicValue],
});

interface RawState {
  readonly json: Buffer;
}
const rawState = message<RawState>({ json: [1, "bytes"] });

export interface UpgradeRequest {
  readonly type_name: string;
  readonly version: number;
  readonly raw_state: RawState | undefined;
}
export const upgradeRequest = message<UpgradeRequest>({
  type_name: [1, "string"],
  version: [2, "integer"],
  raw_state: [3, () => rawState],
});
export const upgradeResponse = message<Told & { readonly upgraded_state?: DynamicValue }>({
  upgraded_state: [1, () => dynamicValue],
  diagnostics: [2, () => diagnostic, "list"],
});

export interface ReadRequest {
  readonly type_name: string;
  readonly current_state: DynamicValue | undefined;
  readonly private: Buffer;
}
export const readRequest = message<ReadRequest>({
  type_name: [1, "string"],
  current_state: [2, () => dynamicValue],
  private: [3, "bytes"],
});
export interface StateResponse extends Told {
  readonly new_state?: DynamicValue;
  readonly private?: Buffer;
}
export const readResponse = message<StateResponse>({
  new_state: [1, () => dynamicValue],
  diagnostics: [2, () => diagnostic, "list"],
  private: [3, "bytes"],
});

export interface PlanRequest {
  readonly type_name: string;
  readonly prior_state: DynamicValue | undefined;
  readonly config: DynamicValue | undefined;
  readonly prior_private: Buffer;
}
export const planRequest = message<PlanRequest>({
  type_name: [1, "string"],
  prior_state: [2, () => dynamicValue],
  config: [4, () => dynamicValue],
  prior_private: [5, "bytes"],
});
export interface PlanResponse extends Told {
  readonly planned_state?: DynamicValue;
  readonly requires_replace?: readonly AttributePath[];
  readonly planned_private?: Buffer;
}
export const planResponse = message<PlanResponse>({
  planned_state: [1, () => dynamicValue],
  requires_replace: [2, () => attributePath, "list"],
  planned_private: [3, "bytes"],
  diagnostics: [4, () => diagnostic, "list"],
});

export interface ApplyRequest {
  readonly type_name: string;
  readonly prior_state: DynamicValue | undefined;
  readonly planned_state: DynamicValue | undefined;
  readonly config: DynamicValue | undefined;
  readonly planned_private: Buffer;
}
export const applyRequest = message<ApplyRequest>({
  type_name: [1, "string"],
  prior_state: [2, () => dynamicValue],
  planned_state: [3, () => dynamicValue],
  config: [4, () => dynamicValue],
  planned_private: [5, "bytes"],
});
export const applyResponse = message<StateResponse>({
  new_state: [1, () => dynamicValue],
  private: [2, "bytes"],
  diagnostics: [3, () => diagnostic, "list"],
});

export interface ImportRequest {
  readonly type_name: string;
  readonly id: string;
}
export const importRequest = message<ImportRequest>({
  type_name: [1, "string"],
  id: [2, "string"],
});
interface Imported {
  readonly type_name: string;
  readonly state: DynamicValue;
  readonly private: Buffer;
}
const imported = message<Imported>({
  type_name: [1, "string"],
  state: [2, () => dynamicValue],
  private: [3, "bytes"],
});
export const importResponse = message<Told & { readonly imported_resources?: readonly Imported[] }>(
  { imported_resources: [1, () => imported, "list"], diagnostics: [2, () => diagnostic, "list"] },
);

export interface MoveRequest {
  readonly source_provider_address: string;
  readonly source_type_name: string;
  readonly source_state: RawState | undefined;
  readonly target_type_name: string;
  readonly source_private: Buffer;
}
export const moveRequest = message<MoveRequest>({
  source_provider_address: [1, "string"],
  source_type_name: [2, "string"],
  source_state: [4, () => rawState],
  target_type_name: [5, "string"],
  source_private: [6, "bytes"],
});
export interface MoveResponse extends Told {
  readonly target_state?: DynamicValue;
  readonly target_private?: Buffer;
}
export const moveResponse = message<MoveResponse>({
  target_state: [1, () => dynamicValue],
  diagnostics: [2, () => diagnostic, "list"],
  target_private: [3, "bytes"],
});

export const dataResponse = message<Told & { readonly state?: DynamicValue }>({
  state: [1, () => dynamicValue],
  diagnostics: [2, () => diagnostic, "list"],
});

export const openResponse = message<Told & { readonly result?: DynamicValue }>({
  diagnostics: [1, () => diagnostic, "list"],
  result: [3, () => dynamicValue],
});

export const functionsResponse = message<{
  readonly functions: Readonly<Record<string, FunctionDefinition>>;
}>({ functions: [1, () => functionDefinition, "map"] });

export interface CallRequest {
  readonly name: string;
  readonly arguments: readonly DynamicValue[];
}
export const callRequest = message<CallRequest>({
  name: [1, "string"],
  arguments: [2, () => dynamicValue, "list"],
});
interface FunctionError {
  readonly text: string;
  readonly function_argument?: number;
}
const functionError = message<FunctionError>({
  text: [1, "string"],
  function_argument: [2, "integer"],
});
export interface CallResponse {
  readonly result?: DynamicValue;
  readonly error?: FunctionError;
}
export const callResponse = message<CallResponse>({
  result: [1, () => dynamicValue],
  error: [2, () => functionError],
});

export const stopResponse = message<{ readonly Error?: string }>({ Error: [1, "string"] });

/** `grpc.health.v1`: 1 is SERVING. */
export const healthResponse = message<{ readonly status: number }>({ status: [1, "integer"] });
