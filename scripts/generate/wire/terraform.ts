/** What the provider uses of plugin protocol 6; unknown fields are skipped. Form: `messages.ts`. */
export const terraform = `
enum Severity = Diagnostic.Severity
enum StringKind = StringKind
enum NestingMode = Schema.Object.NestingMode

Empty = StopProvider.Request, RenewEphemeralResource.Request, CloseEphemeralResource.Request:
DynamicValue = DynamicValue: msgpack? json?
PathStep = AttributePath.Step: attribute_name element_key_string element_key_int
AttributePath = AttributePath: steps
Diagnostic = Diagnostic: severity summary detail attribute
Diagnosed = ValidateResourceConfig.Response, ValidateDataResourceConfig.Response,
  ValidateEphemeralResourceConfig.Response, RenewEphemeralResource.Response,
  CloseEphemeralResource.Response, ConfigureProvider.Response,
  ValidateListResourceConfig.Response, ValidateActionConfig.Response,
  PlanAction.Response: diagnostics
ProviderDiagnosed = ValidateProviderConfig.Response: diagnostics
ValidateProviderConfigRequest = ValidateProviderConfig.Request: config
ConfigureProviderRequest = ConfigureProvider.Request: terraform_version config
TypedConfigRequest = ValidateResourceConfig.Request, ValidateDataResourceConfig.Request,
  ValidateEphemeralResourceConfig.Request, ReadDataSource.Request,
  OpenEphemeralResource.Request, ValidateListResourceConfig.Request: type_name config
# None where the engine knows no identities; its data is none where the object has none yet.
IdentityData = ResourceIdentityData: identity_data
RawState = RawState: json
UpgradeRequest = UpgradeResourceState.Request: type_name version raw_state
UpgradeResponse = UpgradeResourceState.Response: upgraded_state diagnostics
UpgradeIdentityRequest = UpgradeResourceIdentity.Request: type_name version raw_identity
UpgradeIdentityResponse = UpgradeResourceIdentity.Response: upgraded_identity diagnostics
ReadRequest = ReadResource.Request: type_name current_state private current_identity
ReadResponse = ReadResource.Response: new_state diagnostics private? new_identity
PlanRequest = PlanResourceChange.Request:
  type_name prior_state config prior_private prior_identity
PlanResponse = PlanResourceChange.Response:
  planned_state requires_replace? planned_private? diagnostics planned_identity
ApplyRequest = ApplyResourceChange.Request:
  type_name prior_state planned_state config planned_private planned_identity
ApplyResponse = ApplyResourceChange.Response: new_state private? diagnostics new_identity
ImportRequest = ImportResourceState.Request: type_name id identity
Imported = ImportResourceState.ImportedResource: type_name state! private identity
ImportResponse = ImportResourceState.Response: imported_resources? diagnostics
MoveRequest = MoveResourceState.Request:
  source_provider_address source_type_name source_state target_type_name source_private
  source_identity
MoveResponse = MoveResourceState.Response:
  target_state diagnostics target_private? target_identity
GenerateRequest = GenerateResourceConfig.Request: type_name state
GenerateResponse = GenerateResourceConfig.Response: config diagnostics
# A limit of 0 is none.
ListRequest = ListResource.Request: type_name config include_resource_object limit
ListEvent = ListResource.Event: identity display_name resource_object diagnostic
ActionRequest = ValidateActionConfig.Request, PlanAction.Request, InvokeAction.Request:
  action_type config
InvokeProgress = InvokeAction.Event.Progress: message
InvokeCompleted = InvokeAction.Event.Completed: diagnostics
# One of the two; the last event is the completed one.
InvokeEvent = InvokeAction.Event: progress completed
DataResponse = ReadDataSource.Response: state diagnostics
OpenResponse = OpenEphemeralResource.Response: diagnostics result
CallRequest = CallFunction.Request: name arguments
FunctionError = FunctionError: text function_argument
CallResponse = CallFunction.Response: result error
StopResponse = StopProvider.Response: Error?
HealthResponse = grpc.health.v1.HealthCheckResponse: status

SchemaObject = Schema.Object: attributes nesting
# The type is JSON; it is absent where there is a nested one.
SchemaAttribute = Schema.Attribute: name type? nested_type description? required? optional?
  computed? sensitive? description_kind? write_only?
SchemaNestedBlock = Schema.NestedBlock: type_name block! nesting
SchemaBlock = Schema.Block: attributes block_types? description? description_kind?
Schema = Schema: version block!
FunctionParameter = Function.Parameter: name type description
FunctionReturn = Function.Return: type
FunctionDefinition = Function: parameters return! summary description description_kind
ServerCapabilities = ServerCapabilities:
  plan_destroy get_provider_schema_optional move_resource_state generate_resource_config
DataSourceName = GetMetadata.DataSourceMetadata: type_name
ResourceName = GetMetadata.ResourceMetadata: type_name
FunctionName = GetMetadata.FunctionMetadata: name
EphemeralResourceName = GetMetadata.EphemeralResourceMetadata: type_name
ListResourceName = GetMetadata.ListResourceMetadata: type_name
ActionName = GetMetadata.ActionMetadata: type_name
Metadata = GetMetadata.Response: server_capabilities! data_sources resources functions
  ephemeral_resources list_resources actions
ActionSchema = ActionSchema: schema!
ProviderSchema = GetProviderSchema.Response: provider! resource_schemas data_source_schemas
  server_capabilities! functions ephemeral_resource_schemas list_resource_schemas action_schemas
IdentityAttribute = ResourceIdentitySchema.IdentityAttribute:
  name type required_for_import optional_for_import? description
IdentitySchema = ResourceIdentitySchema: version identity_attributes
IdentitySchemas = GetResourceIdentitySchemas.Response: identity_schemas
FunctionsResponse = GetFunctions.Response: functions
`;
