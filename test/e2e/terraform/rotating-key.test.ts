/** A provider configured by a key that the same program rotates, on the real engines. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import {
  buildMirror,
  hasEngine,
  HEADER,
  ONE_ENGINE,
  TerraformWorkspace,
  type EngineName,
} from "../../harness/terraform-workspace";
import { unwrapped } from "../support/output";

const configuration = (name: string, source = "depends_on = [erphost_api_key.app]"): string =>
  `${HEADER}
provider "erphost" {
  alias   = "app"
  api_key = erphost_api_key.app.value
}
resource "erphost_api_key" "app" {
  name         = "app"
  permissions  = ["servers:*"]
  rotate_after = "90d"
  grace_period = "7d"
}
resource "erphost_server" "all" {
  provider = erphost.app
  count    = 2
  name     = "${name}-\${count.index}"
}
data "erphost_servers" "all" {
  provider   = erphost.app
  ${source}
}
`;

describe.each<EngineName>(["tofu", "terraform"])("%s", (engine) => {
  const testWithEngine = hasEngine(engine) ? test : test.skip;
  const testOnOneEngine = engine === ONE_ENGINE ? testWithEngine : undefined;
  let emulator: Emulator;
  let here: TerraformWorkspace;
  /** In no order: engines create several at once. */
  const names = (): string[] =>
    emulator
      .objects("server")
      .map(({ name }) => String(name))
      .sort();

  beforeAll(async () => {
    if (!hasEngine(engine)) return;
    buildMirror();
    emulator = await startEmulator({ provisionMs: 5 });
    here = await TerraformWorkspace.create(
      {
        engine,
        env: { ERPHOST_API_KEY: emulator.adminKey, ERPHOST_BASE_URL: emulator.baseUrl },
      },
      configuration("web"),
    );
    expect(await here.apply()).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    if (!hasEngine(engine)) return;
    here.remove();
    await emulator.close();
  });

  testWithEngine(
    "on the day that its key is rotated, a provider plans and applies, and says once that it did not refresh",
    async () => {
      emulator.advance("91d");
      const planned = await here.plan();
      expect(planned.code).toBe(2);
      expect(planned.output).toContain("Plan: 0 to add, 1 to change, 0 to destroy.");
      expect(planned.output.match(/Warning: Objects were not refreshed/g)).toHaveLength(1);
      here.write("main.tf", configuration("shop"));
      expect(await here.apply()).toMatchObject({ code: 0 });
      expect(names()).toEqual(["shop-0", "shop-1"]);
      expect(await here.plan()).toMatchObject({ code: 0 });
    },
  );

  testOnOneEngine?.(
    "a data source that depends on nothing is refused on that day, and the remedy works",
    async () => {
      here.write("main.tf", configuration("shop", ""));
      expect(await here.plan()).toMatchObject({ code: 0 });
      emulator.advance("91d");
      const refused = await here.plan();
      expect(refused.code).toBe(1);
      expect(unwrapped(refused.output)).toContain("depend on those resources (depends_on)");
      here.write("main.tf", configuration("shop"));
      expect(await here.plan()).toMatchObject({ code: 2 });
    },
  );

  testWithEngine("a destroy on that day deletes everything", async () => {
    emulator.advance("91d");
    const { code, output } = await here.destroy();
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(names()).toEqual([]);
  });
});
