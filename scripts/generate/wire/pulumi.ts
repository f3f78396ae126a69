/**
 * What the plugin reads and writes of Pulumi's protocols: the provider's, and of the engine's and the
 * resource monitor's what a provider calls. The form of this list is described in `messages.ts`.
 */
export const pulumi = `
# How firmly Pulumi proposes a name; "disable" forbids generated names.
enum AutonamingMode = CheckRequest.AutonamingOptions.Mode
enum DiffChanges = DiffResponse.DiffChanges
enum DiffKind = PropertyDiff.Kind
enum LogSeverity = LogSeverity

Empty = google.protobuf.Empty:
HandshakeResponse = ProviderHandshakeResponse: accept_secrets supports_autonaming_configuration
PluginInfo = PluginInfo: version
SchemaResponse = GetSchemaResponse: schema
AutonamingOptions = CheckRequest.AutonamingOptions: proposed_name mode
CheckRequest = CheckRequest: urn olds news random_seed autonaming
CheckFailure = CheckFailure: property reason
CheckResponse = CheckResponse: inputs failures
DiffRequest = DiffRequest: id urn olds news
PropertyDiff = PropertyDiff: kind
DiffResponse = DiffResponse:
  replaces deleteBeforeReplace changes diffs detailedDiff hasDetailedDiff
# With the id and the URN of the provider itself.
ConfigureRequest = ConfigureRequest: args id urn
ConfigureResponse = ConfigureResponse:
  acceptSecrets supportsPreview supports_autonaming_configuration
InvokeRequest = InvokeRequest: tok args
InvokeResponse = InvokeResponse: return? failures?
# Timeouts are in seconds; 0 is none.
CreateRequest = CreateRequest: urn properties timeout preview
CreateResponse = CreateResponse: id? properties
ReadRequest = ReadRequest: id urn properties inputs timeout
# Without an id, the object no longer exists.
ReadResponse = ReadResponse: id? properties? inputs?
UpdateRequest = UpdateRequest: id urn olds news timeout preview
UpdateResponse = UpdateResponse: properties
DeleteRequest = DeleteRequest: id urn properties timeout
# Reports a resource that exists but is not as it should be.
ResourceInitFailed = ErrorResourceInitFailed: id properties reasons inputs
LogRequest = LogRequest: severity message urn ephemeral
Any = google.protobuf.Any: type_url value
StatusDetails = google.rpc.Status: code message details

# URNs that an input of a component came from.
Dependencies = ConstructRequest.PropertyDependencies: urns
# Where "protect" and its like are absent, the parent's value holds.
ConstructRequest = ConstructRequest: dryRun monitorEndpoint type name parent inputs
  inputDependencies protect providers dependencies additionalSecretOutputs customTimeouts?
  deletedWith deleteBeforeReplace ignoreChanges replaceOnChanges retainOnDelete resource_hooks?
  replace_with aliases replacement_trigger?
ConstructResponse = ConstructResponse: urn state
PropertyDependencies = RegisterResourceRequest.PropertyDependencies: urns
RegisterRequest = RegisterResourceRequest: type name parent custom object? protect dependencies?
  provider? propertyDependencies? deleteBeforeReplace? version? ignoreChanges? acceptSecrets additionalSecretOutputs?
  customTimeouts? deleteBeforeReplaceDefined? supportsPartialValues providers? replaceOnChanges?
  retainOnDelete aliases? deletedWith? aliasSpecs? hooks? replace_with? replacement_trigger?
# In a preview the id is empty.
RegisterResponse = RegisterResourceResponse: urn id object
OutputsRequest = RegisterResourceOutputsRequest: urn outputs
`;
