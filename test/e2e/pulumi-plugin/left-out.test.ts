import { join } from "node:path";
import { PulumiStack } from "../../harness/pulumi-stack";
import { describeLeftOut } from "../support/pulumi-left-out";
import { placePlugin } from "../support/pulumi-plugin";

describeLeftOut("the plugin", async (env) => {
  const stack = await PulumiStack.create({ program: join(__dirname, "programs"), env });
  await placePlugin(stack);
  return {
    stack,
    edit: ({ name, less }) => {
      const properties = { tier: 1, ...(!less && { region: "eu-central" }) };
      const resources = { web: { type: "erphost:Server", properties: { name, properties } } };
      const text = `name: every-kind\nruntime: yaml\nresources: ${JSON.stringify(resources)}\n`;
      stack.write("Pulumi.yaml", text);
    },
  };
});
