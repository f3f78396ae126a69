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
  const text = JSON.stringify({ format_version: "1.2", ...plan });
  const { out } = await erphost(["plan-summary", "a", "--format", format], {
    readFile: () => text,
  });
  return out.join("\n");
}

test("a plan that only deletes another provider's object names it, and never says that there is nothing to do", async () => {
  const plan = {
    resource_changes: [
      database("made", ["create"]),
      database("orders", ["delete"]),
      database("same", ["no-op"]),
    ],
  };
  const markdown = await summarised("markdown", plan);
  expect(markdown).not.toContain("Nothing to do.");
  expect(markdown).toContain(
    "Objects of other providers, not judged here: 1 to delete, 1 to create.",
  );
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
  const markdown = await summarised("markdown", { resource_changes });
  expect(markdown.length).toBeLessThanOrEqual(60_000);
  const lines = markdown.split("\n").filter((line) => line.endsWith(": to delete")).length;
  const leftOut = Number(/… and ([\d,]+) more/.exec(markdown)?.[1]?.replaceAll(",", "") ?? 0);
  expect(lines + leftOut).toBe(5_000);
});
