/** `erphost/cdktf`: constructs for CDKTF, and for its successor cdktn. */
import "../provider/start/node";
import "./peers";
export { ApiKey, type ApiKeyProps, type Permission } from "./constructs/api-key";
// Aspects run before validation. The library invokes a stack's, `checks/watch.ts` an app's.
export { MaxKeyAge, NoAdminKeys, NoWideKeys } from "./aspects/keys";
export type { PolicyOptions } from "./aspects/policy";
export { ProtectFromDeletion } from "./aspects/protect-from-deletion";
export {
  RequireBackup,
  type BackedUpBy,
  type RequireBackupOptions,
} from "./aspects/require-backup";
export { SetProperties, type KindWithProperties } from "./aspects/set-properties";
export {
  Backup,
  type BackupOptions,
  type BackupProps,
  type InstanceBackupProps,
  type ServerBackupProps,
} from "./constructs/backup";
export { Declared } from "./constructs/declared";
export { DeclaredKey } from "./constructs/declared-key";
export type { Attributes, Found, FoundAll, LookupOptions, Selection } from "./constructs/existing";
export { Instance, type InstanceProps } from "./constructs/instance";
export type { IApiKey, IBackup, IInstance, IServer, ITeam } from "./constructs/interfaces.gen";
export type {
  FoundApiKey,
  FoundBackup,
  FoundInstance,
  FoundServer,
  FoundTeam,
} from "./constructs/lookups.gen";
export { deployKeyFor, type DeployKeyProps } from "./keys/deploy-key";
export { scopesFor } from "./keys/scopes";
export type { Deployed, DeployKeyOptions, Scope } from "./keys/uses";
export { moveConstruct } from "./move";
export { BackedUpInstance, type BackedUpInstanceProps } from "./patterns/backed-up-instance";
export {
  BackupSchedule,
  type BackupScheduleProps,
  type ScheduleOptions,
} from "./patterns/backup-schedule";
export { ErpInstallation, type ErpInstallationProps } from "./patterns/erp-installation";
export {
  InstanceFleet,
  type FleetInstanceOptions,
  type FleetInstanceProps,
  type InstanceFleetProps,
  type WaveSize,
} from "./patterns/instance-fleet";
export { SealedApiKey, type SealedApiKeyProps } from "./patterns/sealed-api-key";
export {
  ServerFleet,
  type FleetMember,
  type FleetMemberProps,
  type ServerFleetProps,
} from "./patterns/server-fleet";
export { RotatedApiKey, type RotatedApiKeyProps } from "./constructs/rotated-api-key";
export { Server, type ServerProps } from "./constructs/server";
export { Team, type TeamMember, type TeamProps } from "./constructs/team";
export {
  awsSecret,
  githubActionsSecret,
  kubernetesSecret,
  vaultKv,
  type AwsSecretConfig,
  type GithubActionsSecretConfig,
  type KubernetesSecretConfig,
  type VaultKvConfig,
} from "./stores/known-stores";
export type { KeySecret, SecretStore, StoreClass } from "./stores/secret-store";
export { ErphostProvider, type ErphostProviderConfig } from "./provider";
/** Everything that the provider has, generated from its schema: `l1.server.Server`. */
export * as l1 from "./l1";
export { ErphostStack, type ErphostStackProps } from "./stages/stack";
export { ErphostStage, type ErphostStageProps } from "./stages/stage";
export type { AccountSettings } from "./stages/settings";
