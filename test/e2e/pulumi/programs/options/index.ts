/** The usual resource options. */
import * as pulumi from "@pulumi/pulumi";
import * as erphost from "erphost/pulumi";

const second = new pulumi.Config().getBoolean("second") ?? false;

// The resource is renamed in the program, and is not replaced.
const renamed = second
  ? new erphost.Server("new-name", { name: "renamed" }, { aliases: [{ name: "old-name" }] })
  : new erphost.Server("old-name", { name: "renamed" });

new erphost.Server(
  "ignored",
  { name: second ? "ignored-2" : "ignored-1" },
  { ignoreChanges: ["name"], dependsOn: [renamed] },
);
if (!second) new erphost.Server("kept", { name: "kept" }, { retainOnDelete: true });
new erphost.Server("adopted", { name: "adopted", adoptId: "name=created by hand" });
new erphost.Instance(
  "replaced",
  { name: "replaced", serverId: renamed.id, edition: second ? "enterprise" : "community" },
  { replaceOnChanges: ["edition"], deleteBeforeReplace: true },
);
