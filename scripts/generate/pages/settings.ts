/** The README's table of settings, between its markers. */
import { describeSetting, settings, variableOf, type Setting } from "../../../provider/settings";
import { between } from "../between";
import { code, table } from "../markdown";
import type { Generated } from "../files";

const README = "README.md";

/** The whole README, with its table as the settings are now. */
export const settingsDocs = (): Generated => ({
  [README]: between(README, "settings", settingsTable()),
});

const settingsTable = (): string =>
  table(
    ["Setting", "Environment variable", "Meaning"],
    Object.entries<Setting>(settings).map(([name, setting]) => [
      `${code(name)}${setting.secret ? " (secret)" : ""}`,
      code(variableOf(name)),
      describeSetting(setting),
    ]),
  );
