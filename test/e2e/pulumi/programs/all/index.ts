/** Every kind, minimal and full. What edits change is configuration. */
import * as pulumi from "@pulumi/pulumi";
import * as erphost from "erphost/pulumi";

const config = new pulumi.Config();
const edited = config.getBoolean("edited") ?? false;

const minimal = new erphost.Server("minimal", { name: "Minimal Server" });
const full = new erphost.Server(
  "full",
  {
    name: edited ? "Full Server Renamed" : "Full Server",
    properties: { region: "EU-Central", size: { cpus: edited ? 8 : 4, tags: ["B", "a"] } },
    secretProperties: { rootPassword: config.requireSecret("canary") },
    readyStates: ["running"],
    deletionProtection: false,
  },
  { customTimeouts: { create: "5m" } },
);

const minimalInstance = new erphost.Instance("minimal", { name: "minimal", serverId: minimal.id });
new erphost.Instance("full", {
  name: "Full Instance",
  serverId: config.getBoolean("moved") ? minimal.id : full.id,
  version: edited ? "18.0" : "17.0",
  edition: "Community",
  backupBeforeUpgrade: true,
  wait: true,
});

new erphost.Backup("minimal", { serverId: minimal.id });
const backup = new erphost.Backup("full", {
  instanceId: minimalInstance.id,
  triggers: { release: edited ? "2" : "1" },
  properties: { label: "Nightly" },
});

new erphost.Team("minimal", { name: "minimal" });
new erphost.Team("full", {
  name: "Full Team",
  members: [
    { email: "zoe@example.com", role: edited ? "admin" : "member" },
    { email: "ada@example.com" },
  ],
});

// The resource is renamed in the program, and is not replaced.
const renamed = edited
  ? new erphost.Server("new-name", { name: "renamed" }, { aliases: [{ name: "old-name" }] })
  : new erphost.Server("old-name", { name: "renamed" });
new erphost.Server(
  "ignored",
  { name: edited ? "ignored-2" : "ignored-1" },
  { ignoreChanges: ["name"], dependsOn: [renamed] },
);
if (!edited) new erphost.Server("kept", { name: "kept" }, { retainOnDelete: true });
if (config.getBoolean("half")) new erphost.Server("half", { name: "half" });
new erphost.Server("adopted", { name: "adopted", adoptId: "name=by hand" });
new erphost.Instance(
  "replaced",
  { name: "replaced", serverId: renamed.id, edition: edited ? "enterprise" : "community" },
  { replaceOnChanges: ["edition"], deleteBeforeReplace: true },
);

class Keys extends pulumi.ComponentResource {
  readonly current: pulumi.Output<string>;
  readonly value: pulumi.Output<string | undefined>;
  constructor(name: string) {
    super("test:index:Keys", name);
    const of = { parent: this };
    new erphost.ApiKey("minimal", { name: "minimal", permissions: ["servers:read"] }, of);
    const key = new erphost.ApiKey(
      "full",
      {
        name: "Full Key",
        permissions: ["teams:read", "servers:*"],
        ipWhitelist: ["2001:db8::/32", "127.0.0.1", "203.0.113.0/24"],
        expiresAt: "2046-01-01T00:00:00Z",
        gracePeriod: "7d",
        notificationEmail: "ops@example.com",
        rotateAfter: "90d",
        triggers: { epoch: config.get("epoch") ?? "1" },
      },
      of,
    );
    const recipient = config.require("recipient");
    new erphost.ApiKey("sealed", { name: "sealed", permissions: ["servers:read"], recipient }, of);
    this.current = key.currentKeyId;
    this.value = key.value;
    this.registerOutputs({});
  }
}

const keys = new Keys("keys");
const rotation = new erphost.ApiKeyRotation("dashboard", {
  keyId: config.require("rotatedKey"),
  rotateAfter: "90d",
  triggers: { epoch: config.get("epoch") ?? "1" },
});
const last = erphost.getBackupOutput({
  instanceId: backup.instanceId.apply((id) => id ?? ""),
  mostRecent: true,
});

export const currentKeyId = keys.current;
export const keyValue = keys.value;
export const rotatedCurrent = rotation.currentKeyId;
export const rotatedValue = rotation.value;
export const listed = erphost.getServers({ status: "running" }).then((found) => found.length);
export const scopes = erphost.getAuth().then((auth) => auth.permissions);
export const isOwn = pulumi.all([last.id, backup.id]).apply(([found, made]) => found === made);
