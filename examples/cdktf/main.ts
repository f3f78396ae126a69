import { App, Aspects, TerraformOutput, TerraformStack } from "cdktf";
import {
  ErphostProvider,
  ErpInstallation,
  ProtectFromDeletion,
  SealedApiKey,
  ServerFleet,
  SetProperties,
} from "erphost/cdktf";

const release = process.env["RELEASE"] ?? "17.0";

const app = new App();
const stack = new TerraformStack(app, "erp");

// Key and address come from ERPHOST_API_KEY and ERPHOST_BASE_URL.
new ErphostProvider(stack, "provider");

// A server, an instance, its first backup and a team. A change of the release backs up first.
const production = new ErpInstallation(stack, "production", {
  version: release,
  edition: "community",
  members: [
    { email: "ada@example.com", role: "admin" },
    { email: "grace@example.com", role: "member" },
  ],
});
if (process.env["PROTECT"] === "yes") Aspects.of(production).add(new ProtectFromDeletion());

// Servers from a list: taking one out changes nothing about the others.
const fleet = new ServerFleet(stack, "fleet", { servers: ["trial-1", "trial-2", "trial-3"] });

// A key that rotates every 90 days; only the owner of this age key can read its secret.
new SealedApiKey(stack, "pipeline", {
  permissions: ["servers:read", "instances:*"],
  recipient: "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p",
});

// One line for the whole stack.
Aspects.of(stack).add(new SetProperties({ region: "eu-central" }, ["server"]));

new TerraformOutput(stack, "serverId", { value: production.server.serverId });
new TerraformOutput(stack, "trialIds", {
  value: Object.values(fleet.servers).map(({ serverId }) => serverId),
});

app.synth();
