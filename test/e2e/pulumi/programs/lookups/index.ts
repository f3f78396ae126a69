import * as pulumi from "@pulumi/pulumi";
import * as erphost from "erphost/pulumi";

const config = new pulumi.Config();
const erp = erphost.getInstance({ name: "erp" });
const newest = erp.then(({ id }) =>
  erphost.getBackup({ instanceId: id, status: "completed", mostRecent: true }),
);

const server = new erphost.Server("own", { name: "own" });
const own = new erphost.Instance("own", { name: "own", serverId: server.id });
const backup = new erphost.Backup("own", { instanceId: own.id });
const last = erphost.getBackupOutput({
  instanceId: backup.instanceId.apply((id) => id ?? ""),
  mostRecent: true,
});

export const restoreFrom = newest.then(({ id }) => id);
export const isOwn = pulumi.all([last.id, backup.id]).apply(([found, made]) => found === made);
export const since = erphost
  .getBackups({
    createdAfter: config.get("since") ?? "2026-01-01",
    createdBefore: "2026-02-01",
    limit: 1,
  })
  .then((found) => found.map(({ id }) => id));
