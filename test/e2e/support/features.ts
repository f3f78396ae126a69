/** What each version of an engine can do with the provider: tried on those that are here, and listed in the guide. */
import type { EngineName } from "../../harness/terraform-workspace";

export interface Feature {
  /** In Markdown, as the guide names it. */
  readonly name: string;
  /** The first version that has it, such as `1.12`; undefined where none has. */
  readonly since: Readonly<Record<EngineName, string | undefined>>;
  readonly command: readonly string[];
  /** Files of a program that uses it, below the head of every program. */
  readonly files: Readonly<Record<string, string>>;
}

const validate = (text: string): Pick<Feature, "command" | "files"> => ({
  command: ["validate"],
  files: { "main.tf": text },
});

export const FEATURES: readonly Feature[] = [
  {
    name: "resources, data sources, an ephemeral resource, functions, write-only attributes, import by id and by name, [`moved` from restapi](restapi.md)",
    since: { terraform: "1.11", tofu: "1.11" },
    ...validate(`
resource "erphost_server" "web" {
  name                         = provider::erphost::parse_period("90d").unit
  secret_properties_wo         = { password = ephemeral.erphost_auth.me.key_id }
  secret_properties_wo_version = data.erphost_auth.me.key_id
}

ephemeral "erphost_auth" "me" {}

data "erphost_auth" "me" {}

import {
  to = erphost_server.web
  id = "name=web"
}

moved {
  from = restapi_object.web
  to   = erphost_server.web
}
`),
  },
  {
    name: "import by identity",
    since: { terraform: "1.12", tofu: "1.12" },
    ...validate(`
import {
  to       = erphost_server.web
  identity = { id = "srv_1" }
}

resource "erphost_server" "web" {
  name = "web"
}
`),
  },
  {
    name: "list resources, `terraform query`, configurations that the provider writes",
    since: { terraform: "1.14", tofu: undefined },
    command: ["validate", "-query"],
    files: { "all.tfquery.hcl": 'list "erphost_server" "all" {\n  provider = erphost\n}\n' },
  },
  {
    name: "[actions](../actions/backup.md)",
    since: { terraform: "1.14", tofu: undefined },
    ...validate('action "erphost_backup" "now" {\n  config {\n    server = "web"\n  }\n}\n'),
  },
];
