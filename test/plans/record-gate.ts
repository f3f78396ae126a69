/** For `npm run plans:record`: plans that nobody may take for whole ones. */
import { join } from "node:path";
import type { Emulator } from "../../emulator";
import { PulumiStack } from "../harness/pulumi-stack";
import { buildMirror, HEADER, TerraformWorkspace } from "../harness/terraform-workspace";

/** A program of Terraform's own objects, one of which may be refused by its precondition. */
const REFUSED = `
resource "terraform_data" "a" {
  input = "one"
}

resource "terraform_data" "b" {
  input = "two"
  lifecycle {
    precondition {
      condition     = terraform_data.a.input == "two"
      error_message = "refused"
    }
  }
}
`;
const INVOKING = `${HEADER}
resource "erphost_server" "web" {
  name = "NAME"
  lifecycle {
    action_trigger {
      events  = [before_update]
      actions = [action.erphost_backup.before]
    }
  }
}

action "erphost_backup" "before" {
  config {
    server = "web"
  }
}
`;

/** Plans that nobody may take for whole ones, and one with an action, of Terraform 1.15 and Pulumi. */
export async function recordGate(
  emulator: Emulator,
  record: (name: string, json: string) => void,
): Promise<void> {
  buildMirror();
  const env = { ERPHOST_API_KEY: emulator.adminKey, ERPHOST_BASE_URL: emulator.baseUrl };
  const here = await TerraformWorkspace.create({ engine: "terraform", env }, HEADER);
  const stack = await PulumiStack.create({ program: join(__dirname, "programs", "gate"), env });
  try {
    const planned = async (program: string, name: string, ...words: string[]): Promise<void> => {
      here.write("main.tf", program);
      await here.run("plan", "-input=false", "-out=plan.bin", ...words);
      record(name, (await here.run("show", "-json", "plan.bin")).stdout);
    };
    await planned(REFUSED, "terraform-errored");
    await planned(REFUSED, "terraform-in-part", "-target=terraform_data.a");
    here.write("main.tf", INVOKING.replace("NAME", "web"));
    await here.apply();
    await planned(INVOKING.replace("NAME", "web-2"), "terraform-actions");
    record("pulumi-errored", (await stack.preview("--json")).stdout);
  } finally {
    here.remove();
    stack.remove();
    await emulator.close();
  }
}
