/** Examples of resources and data sources, from the `example` values of the definitions. */
import type { Kind } from "../../../provider/resources";
import type { DataSource } from "../../../provider/terraform/schema/lookups";
import { exampleInputs, exampleSelection, referred, requiredInputs } from "../reference/example";
import { Expression, hclBlock } from "./hcl";

type Inputs = Readonly<Record<string, unknown>>;

/** Declares one object of the kind, after what it refers to. */
export function resourceExample(kind: Kind): string {
  const blocks = new Map<string, string>();
  declare(kind, exampleInputs(kind), blocks);
  return [...blocks.values()].join("\n\n");
}

function declare(kind: Kind, inputs: Inputs, blocks: Map<string, string>): void {
  const values = Object.entries(inputs).map(([name, value]): [string, unknown] => {
    const target = referred(kind.fields[name]);
    if (!target) return [name, value];
    if (!blocks.has(target.name)) declare(target, requiredInputs(target), blocks);
    return [name, new Expression(`erphost_${target.name}.example.id`)];
  });
  const head = `resource "erphost_${kind.name}" "example"`;
  blocks.set(kind.name, hclBlock(head, Object.fromEntries(values)));
}

/** Reads existing objects. */
export function dataExample(source: DataSource): string {
  const head = `data "${source.typeName}" "example"`;
  if (source.kind === "auth") return hclBlock(head, {});
  const newest = { created_after: "2026-01-01", limit: 10 };
  return hclBlock(head, source.kind === "one" ? exampleSelection(source.resource) : newest);
}
