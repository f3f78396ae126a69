/** Everything that a reader may copy runs: examples/terraform, the guides, and each page of the docs. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { startEmulator } from "../../../../emulator";
import { HEADER, ONE_ENGINE } from "../../../harness/terraform-workspace";
import { BOTH, describeOn } from "../../support/engines";
import { guide, snippet } from "../../support/guide";
import { expectDone } from "../../support/output";

const root = join(__dirname, "../../../..");

/** The first example of each page. */
const examplesIn = (folder: string): { page: string; example: string }[] =>
  readdirSync(join(root, "docs", folder)).map((file) => {
    const text = readFileSync(join(root, "docs", folder, file), "utf8");
    const example = /```terraform\n([\s\S]*?)\n```/.exec(text)?.[1] ?? "";
    return { page: `${folder}/${file.replace(/\.md$/, "")}`, example };
  });

describeOn(BOTH, (ground) => {
  // Each engine has a framework for tests of its own.
  test("the test with a mock that the guide shows needs no service", async () => {
    const here = await ground.open(
      `${HEADER}\nresource "erphost_server" "main" {\n  name = "erp-main"\n}\n`,
    );
    here.write("main.tftest.hcl", snippet("testing", "terraform"));
    expectDone(await here.run("test"));
  });

  if (ground.engine !== ONE_ENGINE) return;

  test("the import of all servers that the guide shows plans imports and nothing else", async () => {
    ground.emulator.createObjects("server", [
      { name: "a", status: "running" },
      { name: "b", status: "running", region: "eu" },
    ]);
    const here = await ground.attach(`${HEADER}\n${snippet("import", "terraform")}`);
    const { output } = expectDone(await here.run("plan"));
    expect(output).toContain("2 to import, 0 to add, 0 to change, 0 to destroy");
  });

  test("the guide's program with two accounts makes a server in each", async () => {
    const other = await startEmulator({ provisionMs: 0 });
    const text = snippet("accounts", "terraform");
    const program = text.replace("https://acme.example.com/v1", other.baseUrl);
    const env = { TF_VAR_acme_key: other.adminKey };
    const here = await ground.open(
      `${HEADER.replace('provider "erphost" {}', "")}\n${program}`,
      env,
    );
    expectDone(await here.apply());
    expect(other.objects("server").map(({ name }) => name)).toEqual(["erp-main"]);
    expect(ground.names()).toContain("erp-main");
    await other.close();
  });

  test("the example of a whole installation can be applied, upgraded and destroyed", async () => {
    const backups = () => ground.emulator.objects("backup").length;
    const here = await ground.attach(
      readFileSync(join(root, "examples/terraform/main.tf"), "utf8"),
    );
    expectDone(await here.run("fmt", "-check"));
    expect(expectDone(await here.apply()).output).toMatch(/rotation_days += 90/);
    const before = backups();
    expectDone(await here.apply("-var=release=18.0"));
    // The release's own, and the one that is taken before the version changes.
    expect(backups()).toBe(before + 2);
    expectDone(await here.plan("-var=release=18.0"));
    expectDone(await here.destroy());
  });

  test("the plan that the guide shows is the plan of its first program", async () => {
    const shown = /`tofu plan` says:\n\n```text\n([\s\S]*?)```/.exec(guide("first-steps"))?.[1];
    const program = snippet("first-steps", "terraform");
    ground.emulator.reset();
    const here = await ground.attach(program);
    expectDone(await here.run("fmt", "-check"));
    expectDone(await here.apply());
    here.write("main.tf", program.replace("17.0", "18.0"));
    expect((await here.plan()).output).toContain(shown?.trimEnd() ?? "a plan");
  });

  test("each example of a resource page is formatted and can be applied on its own", async () => {
    const other = ground.emulator.createKey({ name: "from the dashboard" });
    const here = await ground.attach(HEADER);
    const examples = examplesIn("resources");
    for (const { page, example } of examples) {
      here.write("example.tf", `${example.replace('"key_1"', `"${other.id}"`)}\n`);
      const { code, output } = await here.run("fmt", "-check", "-diff");
      expect({ page, code, output }).toEqual({ page, code: 0, output: "" });
      expect({ page, ...(await here.apply()) }).toMatchObject({ page, code: 0 });
    }
    expect(examples.length).toBeGreaterThan(5);
  });

  test("the examples of data sources, ephemeral resources and functions are formatted and valid", async () => {
    const examples = ["data-sources", "ephemeral-resources", "functions"]
      .flatMap(examplesIn)
      .map(({ page, example }) => example.replace(/"example"/g, `"${page.replace(/\W/g, "_")}"`));
    const here = await ground.attach(HEADER);
    here.write("example.tf", `${examples.join("\n\n")}\n`);
    expectDone(await here.run("fmt", "-check", "-diff"));
    expectDone(await here.run("validate"));
    expect(examples.length).toBeGreaterThan(15);
  });
});
