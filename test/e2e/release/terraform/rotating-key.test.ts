/** A provider configured by a key that the same program rotates, on the real engines. */
import { beforeAll, expect, test } from "@jest/globals";
import { HEADER, type TerraformWorkspace } from "../../../harness/terraform-workspace";
import { BOTH, describeOn } from "../../support/engines";
import { expectDone } from "../../support/output";

const configuration = (name: string): string =>
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
  depends_on = [erphost_api_key.app]
}
`;

describeOn(BOTH, (ground) => {
  let here: TerraformWorkspace;

  beforeAll(async () => {
    // An engine starts a provider for each alias.
    here = await ground.open(configuration("web"));
    expectDone(await here.apply());
  });

  test("on the day that its key is rotated, a provider plans and applies, and says once that it did not refresh", async () => {
    ground.emulator.advance("91d");
    here.write("main.tf", configuration("shop"));
    const { output } = expectDone(await here.apply());
    expect(output).toContain("Plan: 0 to add, 3 to change, 0 to destroy.");
    expect(output.match(/Warning: Objects were not refreshed/g)).toHaveLength(1);
    // In no order: engines create several at once.
    expect(ground.names().sort()).toEqual(["shop-0", "shop-1"]);
    expectDone(await here.plan());
  });

  test("a destroy on that day deletes everything", async () => {
    ground.emulator.advance("91d");
    expectDone(await here.destroy());
    expect(ground.names()).toEqual([]);
  });
});
