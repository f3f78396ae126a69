/** What `erphost --help` says after the commands. Loaded only there. */
import { describeSetting, settings, variableOf, type Setting } from "../provider/settings";

/** The variables that settings come from, one a line. */
const environment = (): string =>
  Object.entries<Setting>(settings)
    .map(([name, setting]) => `  ${variableOf(name).padEnd(24)} ${describeSetting(setting)}`)
    .join("\n");

/** @public Loaded by name, where help is asked for. */
export const examples = (): string => `
Examples:
  erphost emulator --plan starter --limit 100/2s
  erphost whoami
  erphost whoami --json
  erphost import --to terraform --out infrastructure
  erphost plan-summary plan.json --format markdown
  erphost pipeline plan --tool terraform --dir infra --stack prod
  erphost listen --on "server.*" -- ./plan.sh
  erphost intents list
  erphost intents resolve 3f2a

Environment:
${environment()}
  ERPHOST_DEBUG            Shows the stack of an error. Must be 1 or nothing.

Exit codes: 0 success, 1 failure or refusal by the service, 2 invalid input.`;
