import * as pulumi from "@pulumi/pulumi";
import * as erphost from "@erphost/pulumi-native";

const config = new pulumi.Config();
const release = config.get("release") ?? "17.0";

// A whole installation: a server, an instance on it, and a backup for every release.
const shop = new erphost.Installation("shop", {
  version: release,
  edition: "community",
  serverProperties: { region: "eu-central" },
  secretProperties: { admin_password: config.getSecret("adminPassword") ?? "change-me" },
  backupBeforeUpgrade: true,
  backupTriggers: { release },
});

// A second one on the same server, resource by resource; its name is made from "trial".
const trial = new erphost.Instance(
  "trial",
  { serverId: shop.serverId, version: release },
  { customTimeouts: { create: "10m" } },
);

const team = new erphost.Team("operations", {
  members: [{ email: "ada@example.com", role: "admin" }],
});

const pipeline = new erphost.ApiKey("pipeline", {
  permissions: ["servers:read", "instances:*"],
  rotateAfter: "90d",
});

// Looked up by the provider, with the filters of the service.
const running = erphost.getServersOutput({ status: "running" });

export const serverId = shop.serverId;
export const instanceId = shop.instanceId;
export const trialName = trial.name;
export const teamId = team.id;
export const pipelineKey = pipeline.value;
export const runningServers = running.servers.apply((servers) => servers.length);
