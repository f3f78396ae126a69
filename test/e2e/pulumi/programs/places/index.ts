/** What an account holds when it moves or has a twin; `edited` renames a server and adds another. */
import { existsSync } from "node:fs";
import { ApiKey, Backup, Instance, Server, Team } from "erphost/pulumi";

const edited = existsSync("edited");

const main = new Server("main", {
  name: edited ? "renamed" : "main",
  properties: { tier: 1 },
  secretProperties: { rootPassword: "unlikely" },
});
const erp = new Instance("erp", { name: "erp", serverId: main.id });
new Backup("first", { instanceId: erp.id });
new Team("ops", { name: "ops" });
new ApiKey("ci", { name: "ci", permissions: ["servers:read"] });
if (edited) new Server("new", { name: "new" });
