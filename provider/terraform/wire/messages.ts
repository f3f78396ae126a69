/**
 * Messages of the calls of Terraform's plugin protocol, version 6. Only what a provider reads or
 * writes is here; unknown fields are skipped. A test compares every field with the official
 * descriptors.
 */
import { message } from "../../grpc";

export const empty = message<Readonly<Record<never, never>>>({});

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

export interface Diagnosed {
  readonly diagnostics: readonly Diagnostic[];
}
/** The answer of most calls: diagnostics alone. */
export const diagnosed = message<Diagnosed>({ diagnostics: [1, () => diagnostic, "list"] });
/** The same for `ValidateProviderConfig`, with another number. */
export const providerDiagnosed = message<Diagnosed>({ diagnostics: [2, () => diagnostic, "list"] });

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
export const upgradeResponse = message<Diagnosed & { readonly upgraded_state?: DynamicValue }>({
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
export interface StateResponse extends Diagnosed {
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
export interface PlanResponse extends Diagnosed {
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
export const importResponse = message<
  Diagnosed & { readonly imported_resources?: readonly Imported[] }
>({ imported_resources: [1, () => imported, "list"], diagnostics: [2, () => diagnostic, "list"] });

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
export interface MoveResponse extends Diagnosed {
  readonly target_state?: DynamicValue;
  readonly target_private?: Buffer;
}
export const moveResponse = message<MoveResponse>({
  target_state: [1, () => dynamicValue],
  diagnostics: [2, () => diagnostic, "list"],
  target_private: [3, "bytes"],
});

export const dataResponse = message<Diagnosed & { readonly state?: DynamicValue }>({
  state: [1, () => dynamicValue],
  diagnostics: [2, () => diagnostic, "list"],
});

export const openResponse = message<Diagnosed & { readonly result?: DynamicValue }>({
  diagnostics: [1, () => diagnostic, "list"],
  result: [3, () => dynamicValue],
});

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
