/** Everything that must be refused before any call. */
import * as erphost from "erphost/pulumi";

new erphost.ApiKey("scope", { name: "a", permissions: ["servers:everything"] });
new erphost.ApiKey("cidr", {
  name: "b",
  permissions: ["servers:read"],
  ipWhitelist: ["10.0.0.0/99"],
});
new erphost.ApiKey("period", { name: "c", permissions: ["servers:read"], rotateAfter: "90x" });
new erphost.Server("owned", { name: "d", properties: { status: "running" } });
new erphost.ApiKeyRotation("first", { keyId: "key_9" });
new erphost.ApiKeyRotation("second", { keyId: "key_9" });
new erphost.Backup("nothing", {});
