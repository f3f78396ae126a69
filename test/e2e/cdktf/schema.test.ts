import { describe, expect, test } from "@jest/globals";
import { schemaJson } from "../../../scripts/generate/cdktf/schema-json";
import {
  buildMirror,
  hasEngine,
  HEADER,
  TerraformWorkspace,
  type EngineName,
} from "../../harness/terraform-workspace";

describe.each<EngineName>(["tofu", "terraform"])("%s", (engine) => {
  const testWithEngine = hasEngine(engine) ? test : test.skip;

  testWithEngine(`${engine} prints the schema that the constructs are generated from`, async () => {
    buildMirror();
    const workspace = await TerraformWorkspace.create({ engine, env: {} }, HEADER);
    try {
      const { stdout } = await workspace.run("providers", "schema", "-json");
      // As the engines document it.
      const printed = JSON.parse(stdout) as { provider_schemas: Record<string, unknown> };
      const [ours] = Object.values(schemaJson()["provider_schemas"] as Record<string, unknown>);
      const text = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
      expect(Object.values(printed.provider_schemas)).toEqual([text(ours)]);
    } finally {
      workspace.remove();
    }
  });
});
