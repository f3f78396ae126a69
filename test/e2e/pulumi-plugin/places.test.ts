import { join } from "node:path";
import { PulumiStack } from "../../harness/pulumi-stack";
import { describePlaces } from "../support/pulumi-places";
import { placePlugin } from "../support/pulumi-plugin";

describePlaces("the plugin", async (env) => {
  const stack = await PulumiStack.create({ program: join(__dirname, "programs"), env });
  await placePlugin(stack);
  return {
    stack,
    edit: (edited) => {
      const resources = {
        main: {
          type: "erphost:Server",
          properties: { name: edited ? "renamed" : "main", properties: { tier: 1 } },
        },
        erp: { type: "erphost:Instance", properties: { name: "erp", serverId: "${main.id}" } },
        first: { type: "erphost:Backup", properties: { instanceId: "${erp.id}" } },
        ops: { type: "erphost:Team", properties: { name: "ops" } },
        ci: { type: "erphost:ApiKey", properties: { name: "ci", permissions: ["servers:read"] } },
        ...(edited && { new: { type: "erphost:Server", properties: { name: "new" } } }),
      };
      const text = `name: every-kind\nruntime: yaml\nresources: ${JSON.stringify(resources)}\n`;
      stack.write("Pulumi.yaml", text);
    },
  };
});
