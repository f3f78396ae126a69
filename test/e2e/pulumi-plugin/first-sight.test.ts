import { join } from "node:path";
import { testFirstSight } from "../support/first-sight";
import { placePlugin } from "../support/pulumi-plugin";

testFirstSight({
  program: join(__dirname, "programs"),
  timesPrinted: 1,
  prepare: placePlugin,
  file: (names) => {
    const resources = Object.fromEntries(
      names.map((name) => [name, { type: "erphost:Server", properties: { name } }]),
    );
    return [
      "Pulumi.yaml",
      `name: every-kind\nruntime: yaml\nresources: ${JSON.stringify(resources)}\n`,
    ];
  },
});
