import { App, Aspects, TerraformOutput, TerraformStack } from "cdktf";
import {
  BackedUpInstance,
  ErphostProvider,
  Instance,
  ProtectFromDeletion,
  SealedApiKey,
  Server,
  SetProperties,
  Team,
} from "erphost/cdktf";

/** A setting from the environment, or its default. */
const setting = (name: string, value: string): string => process.env[name] ?? value;
const version = setting("RELEASE", "17.0");

const app = new App();
const stack = new TerraformStack(app, "erp");

// The API key and the address come from ERPHOST_API_KEY and ERPHOST_BASE_URL.
new ErphostProvider(stack, "provider");

const production = new Server(stack, "production", { name: "erp-production" });
const staging = new Server(stack, "staging", { name: "erp-staging" });

// Changing the release backs up, upgrades, and backs up the new release.
const erp = new BackedUpInstance(stack, "erp", {
  server: setting("ERP_SERVER", "production") === "staging" ? staging : production,
  version,
  edition: "community",
});
if (setting("PROTECT", "false") === "true") Aspects.of(erp).add(new ProtectFromDeletion());

new Instance(stack, "trial", {
  name: "erp-trial",
  server: staging,
  version,
  edition: "community",
  backupBeforeUpgrade: false,
});

new Team(stack, "operations", {
  members: [
    { email: "ada@example.com", role: "admin" },
    { email: "grace@example.com", role: "member" },
  ],
});

// A key that rotates every 90 days, or when the epoch changes. Its secret is encrypted.
const { key } = new SealedApiKey(stack, "pipeline", {
  permissions: ["servers:read", "instances:*"],
  ipWhitelist: [setting("PIPELINE_NETWORK", "203.0.113.0/24")],
  triggers: { epoch: setting("KEY_EPOCH", "1") },
  // Your secret store's age public key, which age-keygen prints: only its owner can read the secret.
  recipient: setting("RECIPIENT", "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"),
});

// One line for the whole stack.
Aspects.of(stack).add(new SetProperties({ region: "eu-central" }, ["server"]));

new TerraformOutput(stack, "serverIds", { value: [production.serverId, staging.serverId] });
new TerraformOutput(stack, "pipeline_key_id", { value: key.currentKeyId });

app.synth();
