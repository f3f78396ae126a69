/** `npm run chaos`: reads the command line and has jest try the claims on the faces. */
import { run as runJest } from "jest";
import { join } from "node:path";
import { runCommand } from "../support/command-line";
import { HELP, readOptions } from "./options";

const TESTS = join(__dirname, "..", "e2e", "chaos.test.ts");

runCommand(async () => {
  const options = readOptions(process.argv.slice(2));
  if (options === undefined) {
    process.stdout.write(HELP);
    return 0;
  }
  process.env["ERPHOST_CHAOS"] = JSON.stringify(options);
  await runJest(["--selectProjects", "e2e", "--runInBand", "--runTestsByPath", TESTS]);
  return Number(process.exitCode ?? 0);
});
