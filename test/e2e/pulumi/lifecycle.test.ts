import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describeLifecycle } from "../support/pulumi-lifecycle";

describeLifecycle("every kind, on the service as it is assumed to be", {
  emulator: { dataFile: join(mkdtempSync(join(tmpdir(), "erphost-data-")), "service.sqlite") },
  retained: ["backup", "team"],
  serverName: "name",
});
