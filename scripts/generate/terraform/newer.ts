/** Pages of what Terraform 1.14 brought: list resources and actions. */
import { actions } from "../../../provider/terraform/schema/actions";
import { listResources, type ListModel } from "../../../provider/terraform/schema/lookups";
import type { Generated } from "../files";
import { fenced, header, page } from "../markdown";
import { attributesText, FROM, front, pages } from "./parts";

/** By folder and name of the page, below `docs/`. */
export const newerPages = (): Generated => ({
  ...pages("list-resources", listResources(), (list, typeName) =>
    page(
      front(typeName, list.doc),
      header(FROM),
      `# ${typeName} (list resource)`,
      `${list.doc} Terraform 1.14 and later, with \`terraform query\`; OpenTofu has none.`,
      "## Example",
      "In a file that ends in `.tfquery.hcl`:",
      fenced("terraform", listExample(list, typeName)),
      "The engine asks for 100 results unless `limit` says otherwise; that there are more is a warning with the last one. 1,000 results take 10 calls. `include_resource = true` adds the whole object, never a secret. `terraform query -generate-config-out=FILE` writes resources and import blocks.",
      attributesText(list.attributes),
    ),
  ),
  ...pages("actions", actions(), ({ doc, attributes }, typeName) =>
    page(
      front(typeName, doc),
      header(FROM),
      `# ${typeName} (action)`,
      `${doc} Terraform 1.14 and later; OpenTofu has no actions.`,
      "## Example",
      fenced("terraform", ACTION),
      "The action names the instance because Terraform refuses, as a cycle, an action that is triggered `before_update` and refers to the very resource that triggers it.",
      "`terraform apply -invoke=action.erphost_backup.before` takes a backup now. Each invocation takes one of its own.",
      "## Which backup to use",
      "A trigger takes a backup at every update of its resource, and never at a replacement, which destroys more. `backup_before_upgrade = true` takes one where `version` changes and at no other time, on every engine: it is the better one for upgrades. A program may have both, and then takes two.",
      "## When a run is cut off",
      "Before anything is sent, the folder of [intents](../guides/pipelines.md#a-pipeline-of-your-own) says that a backup is being taken. A run within an hour of one that was killed takes that backup over. Without the folder there is one more backup, never one fewer, unless `purpose` and [`scope`](../guides/pipelines.md#continue-on-any-machine) are set: then a run on any machine finds it. An interruption (ctrl-C) ends the wait alone: the backup continues, and the next invocation takes another one, unless both are set.",
      attributesText(attributes),
    ),
  ),
});

function listExample({ attributes }: ListModel, typeName: string): string {
  const first = attributes.find(({ name }) => name === "status" || name === "created_after");
  const config = first
    ? `\n  config {\n    ${first.name} = "${first.name === "status" ? "running" : "2026-01-01"}"\n  }\n`
    : "";
  return `list "${typeName}" "all" {\n  provider = erphost\n  limit    = 1000\n${config}}`;
}

const ACTION = `resource "erphost_server" "main" {
  name = "erp-main"
}

resource "erphost_instance" "erp" {
  name      = "erp"
  server_id = erphost_server.main.id
  version   = "18.0"

  lifecycle {
    action_trigger {
      events  = [before_update]
      actions = [action.erphost_backup.before]
    }
  }
}

action "erphost_backup" "before" {
  config {
    instance = "erp"
  }
}`;
