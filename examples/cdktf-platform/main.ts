import { App } from "cdktf";
import { ErphostStage, MaxKeyAge, ProtectFromDeletion, RequireBackup } from "erphost/cdktf";
import { Backups, Keys, Shops, type ShopsProps } from "./platform";

/** A setting from the environment, or its default. */
const setting = (name: string, value: string): string => process.env[name] ?? value;

const app = new App();
const now = new Date(setting("NOW", new Date().toISOString()));
const recipient = setting(
  "RECIPIENT",
  "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p",
);
// Synthesis fails where a stack breaks one of these, and names the construct.
const rules = [new RequireBackup({ by: ["schedule"] }), new MaxKeyAge("90d")];

// An account each. Its key is a variable: TF_VAR_staging_key, TF_VAR_production_key.
const staging = new ErphostStage(app, "staging", {
  account: {
    baseUrl: setting("STAGING_URL", "https://staging.erp.example/v1"),
    apiKeyVariable: "staging_key",
  },
  aspects: rules,
});
const production = new ErphostStage(app, "production", {
  account: {
    baseUrl: setting("PRODUCTION_URL", "https://erp.example/v1"),
    apiKeyVariable: "production_key",
  },
  aspects: [...rules, new ProtectFromDeletion()],
});

// A release goes to staging first.
function declare(stage: ErphostStage, props: ShopsProps): void {
  const shops = new Shops(stage, props);
  const backups = new Backups(stage, { shops, now });
  new Keys(stage, { shops, backups, recipient });
}
declare(staging, { shops: ["trial"], version: setting("STAGING_RELEASE", "17.0") });
declare(production, {
  shops: ["berlin", "paris", "rome", "oslo", "vienna"],
  version: setting("PRODUCTION_RELEASE", "17.0"),
});

app.synth();
