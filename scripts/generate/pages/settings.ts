/** `docs/reference/settings.md`: every setting, in the names of each face. */
import { describeSetting, settings, variableOf, type Setting } from "../../../provider/settings";
import { code, header, page, table } from "../markdown";
import type { Generated } from "../files";

export const settingsDocs = (): Generated => ({
  "docs/reference/settings.md": page(
    header("provider/settings/"),
    "# Settings",
    "Every setting has one name in every face: `erphost:timeout` in a Pulumi stack, `timeout` in a provider block (`base_url` for `baseUrl`), `timeout` in CDKTF and in `new ErpHost({ … })`. What is not set there comes from the environment. A program may have [several accounts](../guides/accounts.md).",
    settingsTable(),
    "Proxies and certificates are the usual variables: `HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY` and `NODE_EXTRA_CA_CERTS`. `ERPHOST_CACHE_DIR` is the folder that executables unpack to, and in a checkout that of the engines; by default the user's cache folder.",
  ),
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
