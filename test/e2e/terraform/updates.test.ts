/** What plans and updates leave alone, on the real engines: no call, no wait and no word too many. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { HEADER, ONE_ENGINE, type TerraformWorkspace } from "../../harness/terraform-workspace";
import { BOTH, describeOn } from "../support/engines";
import { expectDone, unwrapped } from "../support/output";

interface Shape {
  readonly name?: string;
  readonly instance?: string;
  readonly properties?: string;
}

const configuration = (shape: Shape = {}): string => `${HEADER}
resource "erphost_server" "web" {
  name       = "${shape.name ?? "web"}"
  properties = ${shape.properties ?? '{ tier = 1, region = "eu-central" }'}
}

resource "erphost_instance" "erp" {
  name      = "${shape.instance ?? "erp"}"
  server_id = erphost_server.web.id
}

resource "erphost_api_key" "ci" {
  name         = "ci"
  permissions  = ["servers:read"]
  rotate_after = "30d"
}

output "status" {
  value = erphost_instance.erp.status
}
`;

/** Values that are null, each with another type, unless `GIVEN` gives them. */
const TYPED = `
variable "tags" {
  type    = map(string)
  default = null
}
variable "size" {
  type    = object({ cpu = number, zone = optional(string) })
  default = null
}
variable "settings" {
  type    = object({ tags = optional(map(string)) })
  default = {}
}
module "inner" {
  source = "./inner"
  tags   = var.tags
}
resource "erphost_team" "ops" {
  name = "ops"
}
resource "erphost_server" "web" {
  for_each = {
    map         = var.tags
    object      = var.size
    optional    = var.settings.tags
    conditional = var.size == null ? null : { tier = 1, tags = ["a"] }
    late        = erphost_team.ops.id == "" ? { tier = 1 } : null
    bare        = var.tags
    rich        = var.size
    lookup      = lookup({ tags = var.tags }, "tags", null)
    merge       = merge(var.tags, null)
    module      = module.inner.tags
    one         = one([var.size])
    try         = try(var.settings.none, var.size)
  }
  name                 = each.key
  properties           = each.value
  secret_properties    = each.key == "map" ? tomap({ pin = "1" }) : null
  secret_properties_wo = each.key == "map" ? null : { pin = 2 }
}
import {
  to = erphost_server.web["bare"]
  id = "name=bare"
}
import {
  to = erphost_server.web["rich"]
  id = "name=rich"
}
`;
/** A module that hands on what it is given, and declares a team with it. */
const INNER = `terraform {
  required_providers {
    erphost = {
      source = "erphost/erphost"
    }
  }
}
variable "tags" {
  type = map(string)
}
output "tags" {
  value = var.tags
}
resource "erphost_team" "inner" {
  name       = "inner"
  properties = var.tags
}
`;
const GIVEN = `
tags     = { region = "eu" }
size     = { cpu = 2 }
settings = { tags = { region = "eu" } }
`;

const WARNING = /left as it is in the service and no longer managed/g;

describeOn(BOTH, (ground) => {
  let here: TerraformWorkspace;
  beforeAll(async () => {
    here = await ground.attach(configuration());
  });

  test("properties that are null are null whatever their type: after a create, an update, its undoing and an import the plan is empty", async () => {
    ground.emulator.createObjects("server", [{ name: "bare" }, { name: "rich", region: "us" }]);
    here.write("main.tf", `${HEADER}${TYPED}`);
    mkdirSync(join(here.folder, "inner"));
    here.write("inner/main.tf", INNER);
    expectDone(await here.run("get"));
    const made = expectDone(await here.apply());
    expect(made.output).toContain("2 imported, 12 added, 0 changed, 0 destroyed");
    expectDone(await here.plan());
    const sent = (name: string) =>
      ground.emulator.objects("server").find((each) => each["name"] === name);
    expect([sent("map")?.["pin"], sent("object")?.["pin"]]).toEqual(["1", 2]);
    for (const values of [GIVEN, ""]) {
      here.write("given.auto.tfvars", values);
      const updated = expectDone(await here.apply());
      expect(updated.output).toContain("0 added, 12 changed, 0 destroyed");
      expectDone(await here.plan());
    }
    expect(sent("optional")).toMatchObject({ region: "eu" });
  });

  // What the provider plans and does is the same, whatever the engine.
  if (ground.engine !== ONE_ENGINE) return;

  test("a key taken out of properties is reported with its remedy by the plan, changes the state without a call, and later plans are empty", async () => {
    const { emulator } = ground;
    emulator.reset();
    rmSync(here.stateFile);
    here.write("main.tf", configuration());
    expectDone(await here.apply());
    here.write("main.tf", configuration({ properties: "{ tier = 1 }" }));
    emulator.clearJournal();
    const planned = await here.plan("-out=plan.bin");
    expect(planned.code).toBe(2);
    expect(unwrapped(planned.output).match(WARNING)).toHaveLength(1);
    expect(unwrapped(planned.output)).toContain("set it to null instead of leaving it out");
    const applied = expectDone(await here.applyPlanned());
    expect((unwrapped(applied.output).match(WARNING) ?? []).length).toBeLessThanOrEqual(1);
    expect(emulator.journal().filter(({ method }) => method !== "GET")).toEqual([]);
    expect(emulator.objects("server")).toMatchObject([{ region: "eu-central", tier: 1 }]);
    const later = expectDone(await here.plan());
    expect(unwrapped(later.output)).not.toMatch(WARNING);
  });

  test("a rename keeps the status of an instance known, and a due rotation is planned as not due afterwards", async () => {
    here.write("main.tf", configuration({ properties: "{ tier = 1 }", instance: "erp-2" }));
    ground.emulator.advance("31d");
    const planned = await here.plan();
    expect(planned.code).toBe(2);
    expect(planned.output).toMatch(/rotation_due\s+= true -> false/);
    expect(planned.output).not.toMatch(/status\s+=.*known after apply/);
    expect(planned.output).not.toContain("Changes to Outputs");
    expectDone(await here.apply());
    expectDone(await here.plan());
  });

  test("a server that someone stopped is renamed without waiting for it, with a warning and exit code 0", async () => {
    const { emulator } = ground;
    emulator.changeObject("server", ground.ids()[0] ?? "", { status: "stopped" });
    const shape = { properties: "{ tier = 1 }", instance: "erp-2", name: "web-2" };
    here.write("main.tf", configuration(shape));
    const applied = unwrapped(expectDone(await here.apply()).output);
    expect(applied).toMatch(/was stopped before this update and is stopped now/);
    expect(applied).toContain("add it to ready_states");
    expect(emulator.objects("server")).toMatchObject([{ name: "web-2", status: "stopped" }]);
    expectDone(await here.plan());
  });

  test("servers that are imported with what the data source reads plan no change, with further fields or without", async () => {
    ground.emulator.createObjects("server", [{ name: "bare" }, { name: "rich", region: "eu" }]);
    const imported = ["bare", "rich"].map(
      (name) => `
data "erphost_server" "${name}" {
  name = "${name}"
}
import {
  to = erphost_server.${name}
  id = "name=${name}"
}
resource "erphost_server" "${name}" {
  name       = "${name}"
  properties = data.erphost_server.${name}.properties
}
`,
    );
    here.write("imported.tf", imported.join(""));
    const planned = await here.plan();
    expect(planned.output).toContain("2 to import, 0 to add, 0 to change, 0 to destroy");
  });
});
