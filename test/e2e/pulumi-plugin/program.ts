/** A program in YAML, of which JSON is a part. */
import { kinds } from "../../../provider/resources";

type Properties = Readonly<Record<string, unknown>>;

interface Resource {
  readonly type: string;
  readonly properties?: Properties;
  readonly options?: Properties;
}

export interface Edits {
  readonly release?: string;
  readonly members?: readonly unknown[];
  readonly serverName?: string;
  readonly tier?: number;
  readonly home?: "full" | "bare";
  /** Whether the instance is deleted before it is replaced. */
  readonly deletesFirst?: boolean;
  readonly epoch?: string;
  readonly networks?: readonly string[];
  /** Of the other account. */
  readonly theirKey?: string;
  readonly more?: Readonly<Record<string, Resource>>;
}

export const MEMBERS = [
  { email: "ada@example.com", role: "admin" },
  { email: "grace@example.com", role: "member" },
];

interface Given {
  /** A secret that must not appear anywhere. */
  readonly canary: string;
  /** Id of a key created elsewhere. */
  readonly rotatedKey: string;
  /** Settings of a second provider, but for its key. */
  readonly account: Properties;
}

/** Every kind, and a server in another account; edits are new values of some parts. */
export function program({ canary, rotatedKey, account }: Given, edits: Edits = {}): string {
  const release = edits.release ?? "17.0";
  const resources: Record<string, Resource> = {
    bare: { type: "erphost:Server" },
    full: {
      type: "erphost:Server",
      properties: {
        name: edits.serverName ?? "full",
        properties: { region: "eu-central", tier: edits.tier ?? 1 },
        secretProperties: { root_password: { "fn::secret": canary } },
      },
    },
    instance: {
      type: "erphost:Instance",
      properties: {
        name: "instance",
        serverId: `\${${edits.home ?? "full"}.id}`,
        version: release,
        edition: "community",
        backupBeforeUpgrade: true,
      },
      options: { deleteBeforeReplace: edits.deletesFirst },
    },
    backup: {
      type: "erphost:Backup",
      properties: { instanceId: "${instance.id}", triggers: { release } },
    },
    team: { type: "erphost:Team", properties: { name: "team", members: edits.members ?? MEMBERS } },
    key: {
      type: "erphost:ApiKey",
      properties: {
        name: "pipeline",
        permissions: ["servers:read", "instances:*"],
        ipWhitelist: edits.networks ?? ["203.0.113.0/24"],
        rotateAfter: "90d",
        triggers: { epoch: edits.epoch ?? "1" },
      },
    },
    rotation: {
      type: "erphost:ApiKeyRotation",
      properties: { keyId: rotatedKey, triggers: { epoch: edits.epoch ?? "1" } },
    },
    second: {
      type: "pulumi:providers:erphost",
      properties: { ...account, apiKey: { "fn::secret": edits.theirKey } },
    },
    theirs: {
      type: "erphost:Server",
      properties: { name: "theirs", properties: { tier: edits.tier ?? 1 } },
      options: { provider: "${second}" },
    },
    ...edits.more,
  };
  const newest = { instanceId: "${backup.instanceId}", mostRecent: true };
  const parts = {
    resources,
    variables: {
      auth: { "fn::invoke": { function: "erphost:getAuth", arguments: {} } },
      found: { "fn::invoke": { function: "erphost:getBackup", arguments: newest } },
    },
    outputs: {
      bareName: "${bare.name}",
      keyValue: "${key.value}",
      currentKeyId: "${key.currentKeyId}",
      rotatedValue: "${rotation.value}",
      permissions: "${auth.permissions}",
      madeBackup: "${backup.id}",
      foundBackup: "${found.id}",
    },
  };
  const lines = Object.entries(parts).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
  return `name: every-kind\nruntime: yaml\n${lines.join("")}`;
}

/** The kinds that the program declares; a new kind has to be added to it. */
export const kindsInProgram = (text: string): string[] =>
  Object.values(kinds)
    .map(({ title }) => title)
    .filter((title) => text.includes(`"erphost:${title}"`));
