/** A server from whose properties a key is taken out. */
import * as pulumi from "@pulumi/pulumi";
import * as erphost from "erphost/pulumi";

const config = new pulumi.Config();
const name = config.get("name") ?? "web";
const less = config.getBoolean("less") ?? false;

new erphost.Server("web", {
  name,
  properties: less ? { tier: 1 } : { tier: 1, region: "eu-central" },
});
