/** What a service offers that has the documented operations alone. */
import * as pulumi from "@pulumi/pulumi";
import * as erphost from "erphost/pulumi";

const config = new pulumi.Config();
const server = new erphost.Server("server", { name: config.get("name") ?? "server" });
const instance = new erphost.Instance("instance", { name: "instance", serverId: server.id });
new erphost.Backup("backup", { instanceId: instance.id });
new erphost.Team("team", { name: "team", members: [{ email: "ada@example.com" }] });
const rotation = new erphost.ApiKeyRotation("key", {
  keyId: config.require("keyId"),
  rotateAfter: "90d",
  triggers: { epoch: config.get("epoch") ?? "1" },
});
if (config.getBoolean("makeKey")) {
  new erphost.ApiKey("made", { name: "made", permissions: ["servers:read"] });
}

export const currentKeyId = rotation.currentKeyId;
export const value = rotation.value;
