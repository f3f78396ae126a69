import * as erphost from "erphost/pulumi";

new erphost.ApiKey("period", { name: "c", permissions: ["servers:read"], rotateAfter: "90x" });
