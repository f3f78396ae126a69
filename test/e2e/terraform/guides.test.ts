/** What the guides tell readers to write and run, on the real engines. */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import {
  buildMirror,
  hasEngine,
  HEADER,
  TerraformWorkspace,
  type EngineName,
} from "../../harness/terraform-workspace";
import { snippet } from "../support/guide";
import { expectDone } from "../support/output";

describe.each<EngineName>(["tofu", "terraform"])("the guides, with %s:", (engine) => {
  const testWithEngine = hasEngine(engine) ? test : test.skip;
  let emulator: Emulator;
  let other: Emulator;
  const workspaces: TerraformWorkspace[] = [];

  beforeAll(async () => {
    buildMirror();
    [emulator, other] = await Promise.all([
      startEmulator({ provisionMs: 0 }),
      startEmulator({ provisionMs: 0 }),
    ]);
  });
  afterAll(async () => {
    for (const workspace of workspaces) workspace.remove();
    await Promise.all([emulator.close(), other.close()]);
  });

  async function workspaceOf(configuration: string): Promise<TerraformWorkspace> {
    const env = { ERPHOST_BASE_URL: emulator.baseUrl, ERPHOST_API_KEY: emulator.adminKey };
    const workspace = await TerraformWorkspace.create({ engine, env }, configuration);
    workspaces.push(workspace);
    return workspace;
  }

  testWithEngine("the import of all servers plans imports and nothing else", async () => {
    emulator.createObjects("server", [
      { name: "a", status: "running" },
      { name: "b", status: "running", region: "eu" },
    ]);
    const workspace = await workspaceOf(`${HEADER}\n${snippet("import", "terraform")}`);
    const { output } = expectDone(await workspace.run("plan"));
    expect(output).toContain("2 to import, 0 to add, 0 to change, 0 to destroy");
  });

  testWithEngine("the program with two accounts makes a server in each", async () => {
    const text = snippet("accounts", "terraform").replace(
      "https://acme.example.com/v1",
      other.baseUrl,
    );
    const workspace = await workspaceOf(`${HEADER.replace('provider "erphost" {}', "")}\n${text}`);
    workspace.env["TF_VAR_acme_key"] = other.adminKey;
    expectDone(await workspace.run("apply", "-auto-approve"));
    expect(other.objects("server").map(({ name }) => name)).toEqual(["erp-main"]);
    expect(emulator.objects("server").map(({ name }) => name)).toContain("erp-main");
  });

  testWithEngine("the test with a mock needs no service", async () => {
    const workspace = await workspaceOf(
      `${HEADER}\nresource "erphost_server" "main" {\n  name = "erp-main"\n}\n`,
    );
    workspace.write("main.tftest.hcl", snippet("testing", "terraform"));
    expectDone(await workspace.run("test"));
  });
});
