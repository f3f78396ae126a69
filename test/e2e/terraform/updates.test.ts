/** Updates on the real engines: properties of every type that is null, and changes that are ignored. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { HEADER } from "../../harness/terraform-workspace";
import { BOTH, describeOn } from "../support/engines";
import { expectDone } from "../support/output";

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

/** An instance and a key, of which other people may change what is ignored. */
const ignoring = (name: string, release: string): string => `${HEADER}
resource "erphost_instance" "db" {
  name      = "${name}"
  server_id = "srv_1"
  version   = "17.0"
  lifecycle {
    ignore_changes = [version]
  }
}
resource "erphost_api_key" "ci" {
  name        = "${name}"
  permissions = ["servers:read"]
  triggers    = { release = "${release}" }
  lifecycle {
    ignore_changes = [triggers]
  }
}
`;

describeOn(BOTH, (ground) => {
  test("an update leaves alone what ignore_changes names, whatever the program says of it", async () => {
    ground.emulator.createObjects("server", [{ name: "host" }]);
    const here = await ground.attach(ignoring("erp", "1"));
    expectDone(await here.apply());
    const { "erphost_api_key.ci": key, "erphost_instance.db": db } = await here.state();
    ground.emulator.changeObject("instance", String(db?.["id"]), { version: "18.0" });
    here.write("main.tf", ignoring("crm", "2"));
    expectDone(await here.apply());
    expect(ground.emulator.objects("instance")).toMatchObject([{ name: "crm", version: "18.0" }]);
    const { "erphost_api_key.ci": kept } = await here.state();
    expect(kept).toEqual({ ...key, name: "crm" });
    expectDone(await here.plan());
    expectDone(await here.destroy());
  });

  test("properties that are null are null whatever their type: after a create, an update, its undoing and an import the plan is empty", async () => {
    ground.emulator.createObjects("server", [{ name: "bare" }, { name: "rich", region: "us" }]);
    const here = await ground.attach(HEADER);
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
      expect(expectDone(await here.apply()).output).toContain("0 added, 12 changed, 0 destroyed");
      expectDone(await here.plan());
    }
    expect(sent("optional")).toMatchObject({ region: "eu" });
  });
});
