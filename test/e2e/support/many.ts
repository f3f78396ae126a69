/** A stack of many resources whose state is written directly, which is faster than an `up`. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Emulator } from "../../../emulator";
import type { PulumiStack } from "../../harness/pulumi-stack";

interface Exported {
  readonly deployment: { readonly resources: StackResource[] };
}
interface StackResource {
  readonly urn: string;
  readonly id?: string;
  readonly type: string;
  readonly inputs?: Record<string, unknown>;
  readonly outputs?: Record<string, unknown>;
}

/** Copies the stack's one server, in the service and in the state, until there are `count`. */
export async function multiplied(
  stack: PulumiStack,
  emulator: Emulator,
  count: number,
): Promise<void> {
  const file = join(stack.folder, "state.json");
  await stack.run("stack", "export", "--file", file);
  const state = JSON.parse(readFileSync(file, "utf8")) as Exported;
  const { resources } = state.deployment;
  const first = resources.find(({ type }) => type.endsWith(":Server"));
  if (!first) throw new Error("the stack has no server to copy");
  const names = Array.from({ length: count - 1 }, (_, index) => `server-${index + 1}`);
  const created = emulator.createObjects(
    "server",
    names.map((name) => ({ name, status: "running" })),
  );
  for (const record of created) {
    const name = String(record["name"]);
    resources.push({
      ...first,
      urn: first.urn.replace(/server-0$/, name),
      id: String(record["id"]),
      inputs: { ...first.inputs, name },
      outputs: { ...first.outputs, name, createdAt: record["created_at"] },
    });
  }
  writeFileSync(file, JSON.stringify(state));
  const { code, output } = await stack.run("stack", "import", "--file", file);
  if (code !== 0) throw new Error(`pulumi stack import failed:\n${output}`);
}
