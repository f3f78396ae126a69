import { join } from "node:path";
import { PulumiStack } from "../../harness/pulumi-stack";
import { describePlaces } from "../support/pulumi-places";

describePlaces("the dynamic classes", async (env) => {
  const stack = await PulumiStack.create({ program: join(__dirname, "programs", "places"), env });
  return { stack, edit: (edited) => stack.setConfig("edited", String(edited)) };
});
