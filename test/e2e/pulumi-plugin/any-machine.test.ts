import { join } from "node:path";
import { testAnyMachine } from "../support/any-machine";
import { placePlugin } from "../support/pulumi-plugin";

testAnyMachine({
  program: join(__dirname, "programs"),
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
