import * as pulumi from "@pulumi/pulumi";
import * as erphost from "erphost/pulumi";

const config = new pulumi.Config();
const release = config.get("release") ?? "17.0";

const production = new erphost.Server("production", {
  name: "erp-production",
  properties: { region: "eu-central" },
});
const staging = new erphost.Server("staging", { name: "erp-staging" });

// An upgrade of this instance takes a backup first, and while it is protected nothing destroys it.
const erp = new erphost.Instance("erp", {
  name: "erp",
  serverId: config.get("erpServer") === "staging" ? staging.id : production.id,
  version: release,
  edition: "community",
  backupBeforeUpgrade: true,
  deletionProtection: config.getBoolean("protect") ?? false,
});
const trial = new erphost.Instance("trial", {
  name: "erp-trial",
  serverId: staging.id,
  version: release,
  edition: "community",
});

// A new backup for every release.
const backup = new erphost.Backup("first", { instanceId: erp.id, triggers: { release } });

const team = new erphost.Team("operations", {
  name: "operations",
  members: [
    { email: "ada@example.com", role: "admin" },
    { email: "grace@example.com", role: "member" },
  ],
});

// A key for the pipeline that rotates every 90 days, or when the epoch changes.
const pipeline = new erphost.ApiKey("pipeline", {
  name: "pipeline",
  permissions: ["servers:read", "instances:*"],
  ipWhitelist: [config.get("pipelineNetwork") ?? "203.0.113.0/24"],
  rotateAfter: "90d",
  triggers: { epoch: config.get("keyEpoch") ?? "1" },
});

export const serverIds = [production.id, staging.id];
export const instanceIds = [erp.id, trial.id];
export const backupId = backup.id;
export const teamId = team.id;
export const pipelineKeyId = pipeline.currentKeyId;
export const pipelineKey = pipeline.value;
