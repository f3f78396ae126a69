import * as erphost from "erphost/pulumi";

new erphost.Server("server-0", { name: "server-0" });
