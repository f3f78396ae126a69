/** What `erphost plan-summary` says of other providers' objects, which it does not judge. */
import { expect, test } from "@jest/globals";
import { erphost } from "./support";

const database = (name: string, actions: readonly string[], sides = {}) => ({
  address: `aws_db_instance.${name}`,
  mode: "managed",
  type: "aws_db_instance",
  provider_name: "registry.terraform.io/hashicorp/aws",
  change: { actions, before: { id: name }, after: null, ...sides },
});

async function summarised(format: string, plan: Readonly<Record<string, unknown>>) {
  const readFile = () => JSON.stringify(plan);
  const { out } = await erphost(["plan-summary", "a", "--format", format], { readFile });
  return out.join("\n");
}

test("a plan that only deletes another provider's object names it, and never says that there is nothing to do", async () => {
  const changes = { made: "create", orders: "delete", same: "no-op" };
  const resource_changes = Object.entries(changes).map(([name, does]) => database(name, [does]));
  const plan = { format_version: "1.2", resource_changes };
  const markdown = await summarised("markdown", plan);
  expect(markdown).not.toContain("Nothing to do.");
  const counts = "Objects of other providers, not judged here: 1 to delete, 1 to create.";
  expect(markdown).toContain(counts);
  expect(markdown).toContain(
    "- `aws_db_instance.orders`: to delete\n- `aws_db_instance.made`: to create",
  );
  expect(markdown).not.toContain("aws_db_instance.same");
  const table = await summarised("table", plan);
  expect(table).not.toContain("Nothing to do.");
  expect(table).toMatch(/^ {2}- +aws_db_instance\.orders +of another provider/m);
});

const action = (name: string, object?: string) => ({
  address: `action.erphost_backup.${name}`,
  type: "erphost_backup",
  provider_name: "registry.terraform.io/erphost/erphost",
  config_values: { instance: "erp" },
  ...(object === undefined
    ? { invoke_action_trigger: {} }
    : {
        lifecycle_action_trigger: {
          triggering_resource_address: object,
          action_trigger_event: "BeforeUpdate",
        },
      }),
});

test("actions are counted, shown with what invokes them, and need their scope, though nothing else changes", async () => {
  const plan = {
    format_version: "1.2",
    resource_changes: [],
    action_invocations: [action("nightly"), action("before", "erphost_instance.`a`")],
    deferred_changes: [{ reason: "x", resource_change: database("later", ["create"]) }],
  };
  const markdown = await summarised("markdown", plan);
  expect(markdown).toContain("\n2 actions to invoke.\n");
  expect(markdown).toContain("- `action.erphost_backup.nightly`: invoked by itself\n");
  expect(markdown).toContain(
    "- `action.erphost_backup.before`: before_update of `` erphost_instance.`a` ``\n",
  );
  expect(markdown).toContain("leaves 1 object to a later plan.");
  expect(markdown).toContain("#### Left to a later plan\n\n- `aws_db_instance.later`");
  expect(markdown).toContain("scopes: `backups:read`, `backups:write`.");
  const json = JSON.parse(await summarised("json", plan)) as { changes: boolean };
  expect(json).toMatchObject({ changes: true, calls: { writes: 2 } });
  const table = await summarised("table", plan);
  expect(table).toMatch(/^ {2}▸ +action\.erphost_backup\.nightly +action +invoked by itself/m);
});

test("drift of another provider's object is named, and does not count as erphost's", async () => {
  const tags = (before: unknown, after: unknown) => ({
    before: { id: "a", tags: before },
    after: { id: "a", tags: after },
  });
  const plan = {
    format_version: "1.2",
    resource_drift: [
      database("orders", ["delete"]),
      database("tagged", ["update"], tags({ a: "1" }, { a: "2" })),
      // An engine lists objects, too, that are as they were.
      database("same", ["update"], tags({ a: "1" }, { a: "1" })),
    ],
  };
  expect(JSON.parse(await summarised("json", plan))).toMatchObject({ drift: false });
  const markdown = await summarised("markdown", plan);
  expect(markdown).toContain("Objects of other providers, not judged here: 2 drifted.");
  expect(markdown).toContain(
    "- `aws_db_instance.orders`: is gone\n- `aws_db_instance.tagged`: drifted",
  );
  expect(markdown).not.toContain("aws_db_instance.same");
});

test("of Pulumi as well, what drifted of another provider is named", async () => {
  const step = (name: string, op: string, before: object | null, after: object | null) => ({
    op,
    urn: `urn:pulumi:prod::shop::aws:s3/bucket:Bucket::${name}`,
    oldState: before && { id: name, outputs: before },
    newState: after && { id: name, outputs: after },
  });
  const steps = [
    step("logs", "refresh", { acl: "private" }, { acl: "public-read" }),
    step("logs", "same", { acl: "public-read" }, { acl: "public-read" }),
    step("same", "refresh", { acl: "private" }, { acl: "private" }),
    step("same", "same", { acl: "private" }, { acl: "private" }),
  ];
  const otherDrift = [{ address: "logs (aws:s3/bucket:Bucket)", what: "changed" }];
  const summary: unknown = JSON.parse(await summarised("json", { steps }));
  expect(summary).toMatchObject({ drift: false, plans: [{ otherDrift }] });
});
