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

test("in Markdown, 5,000 changes of other providers are 60,000 characters at most, and what is left out is said", async () => {
  const resource_changes = Array.from({ length: 5_000 }, (_, index) =>
    database(`database-${index}`, ["delete"]),
  );
  const markdown = await summarised("markdown", { format_version: "1.2", resource_changes });
  expect(markdown.length).toBeLessThanOrEqual(60_000);
  const lines = markdown.split("\n").filter((line) => line.endsWith(": to delete")).length;
  const leftOut = Number(/… and ([\d,]+) more/.exec(markdown)?.[1]?.replaceAll(",", "") ?? 0);
  expect(lines + leftOut).toBe(5_000);
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
