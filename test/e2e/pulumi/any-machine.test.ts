import { join } from "node:path";
import { testAnyMachine } from "../support/any-machine";

testAnyMachine({
  program: join(__dirname, "programs", "one"),
  file: (names) => [
    "index.ts",
    `import * as erphost from "erphost/pulumi";
for (const name of ${JSON.stringify(names)}) new erphost.Server(name, { name });
`,
  ],
});
