import { join } from "node:path";
import { testFirstSight } from "../support/first-sight";

testFirstSight({
  program: join(__dirname, "programs", "one"),
  timesPrinted: 2,
  brief: true,
  file: (names) => [
    "index.ts",
    `import * as erphost from "erphost/pulumi";
for (const name of ${JSON.stringify(names)}) new erphost.Server(name, { name });
`,
  ],
});
