/** One engine per dynamic provider process, made from the stack's configuration when first needed. */
import { openEngine, type Engine } from "../../engine";
import { settingsFrom } from "../settings";

/** Pulumi's view of the stack's configuration. */
export interface StackConfig {
  get(key: string): string | undefined;
}

let config: StackConfig | undefined;
let made: Engine | undefined;

/** Called once per distinct closure text; the configuration is the same for all. */
export function configureFrom(given: StackConfig): void {
  config ??= given;
}

/** Told to the person: Pulumi shows what a provider writes to stderr. */
export const tell = (message: string): void => {
  process.stderr.write(`${message}\n`);
};

/** The process's engine. An entry point: the environment comes in here. */
export function engine(): Engine {
  made ??= openEngine({
    given: settingsFrom((key) => config?.get(`erphost:${key}`)),
    surroundings: {
      env: process.env,
      cwd: process.cwd(),
      pid: process.pid,
      platform: process.platform,
    },
    warn: (message) => tell(`warning: ${message}`),
    importHint: (kind, id) => `give new ${kind.title}(…) the argument adoptId: "${id}"`,
  });
  return made;
}
