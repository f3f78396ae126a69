/** Everything that a reader may copy runs: examples/terraform, the guides, and each page of the docs. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { documented, synthesised } from "../../../cdktf/support/documented";
import { HEADER } from "../../../harness/terraform-workspace";
import { describeOn, describeSince, ONE } from "../../support/engines";
import { snippet } from "../../support/guide";
import { openedEmulator } from "../../support/opened";
import { expectDone, refusal } from "../../support/output";

const root = join(__dirname, "../../../..");

const examplesIn = (folder: string): { page: string; example: string }[] =>
  readdirSync(join(root, "docs", folder)).map((file) => {
    const text = readFileSync(join(root, "docs", folder, file), "utf8");
    const example = /```terraform\n([\s\S]*?)\n```/.exec(text)?.[1] ?? "";
    return { page: `${folder}/${file.replace(/\.md$/, "")}`, example };
  });

describeOn(ONE, (ground) => {
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
    const other = await openedEmulator();
    const text = snippet("accounts", "terraform");
    const program = text.replace("https://acme.example.com/v1", other.baseUrl);
    const env = { TF_VAR_acme_key: other.adminKey };
    const header = HEADER.replace('provider "erphost" {}', "");
    const here = await ground.open(`${header}\n${program}`, env);
    expectDone(await here.apply());
    expect(other.objects("server").map(({ name }) => name)).toEqual(["erp-main"]);
    expect(ground.names()).toContain("erp-main");
  });

  test("the example of a whole installation can be applied, upgraded and destroyed", async () => {
    const backups = () => ground.emulator.objects("backup").length;
    const program = readFileSync(join(root, "examples/terraform/main.tf"), "utf8");
    const here = await ground.attach(program);
    expectDone(await here.run("fmt", "-check"));
    expect(expectDone(await here.apply()).output).toMatch(/rotation_days += 90/);
    const before = backups();
    expectDone(await here.apply("-var=release=18.0"));
    // The release's own, and the one that is taken before the version changes.
    expect(backups()).toBe(before + 2);
    expectDone(await here.plan("-var=release=18.0"));
    expectDone(await here.destroy());
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

describeSince("1.14", ["terraform"], (ground) => {
  test("the page's action takes a backup before an update, stops one without, and takes one when it is invoked", async () => {
    const [{ example = "" } = {}] = examplesIn("actions");
    const lists = examplesIn("list-resources").map(({ page, example: text }) =>
      text.replace('"all"', `"${page.replace(/\W/g, "_")}"`),
    );
    const here = await ground.attach(HEADER);
    here.write("example.tf", `${example}\n`);
    here.write("example.tfquery.hcl", `${lists.join("\n\n")}\n`);
    expectDone(await here.run("fmt", "-check", "-diff"));
    expectDone(await here.run("validate", "-query"));
    expectDone(await here.apply());
    const backups = () => ground.emulator.objects("backup").map(({ status }) => status);
    expect(backups()).toEqual([]);
    here.write("example.tf", example.replace("18.0", "19.0"));
    const applied = expectDone(await here.apply());
    expect(applied.output).toMatch(/Backup bak_\w+ of instance ins_\w+ is completed\./);
    expect(backups()).toEqual(["completed"]);
    const effect = { type: "provision", outcome: "failed" } as const;
    ground.emulator.setFaults([{ match: { method: "POST", path: "/backups" }, effect }]);
    here.write("example.tf", example.replace("18.0", "20.0"));
    expect(refusal(await here.apply())).toMatch(/Backup bak_\w+ of instance ins_\w+ is failed/);
    expect(ground.emulator.objects("instance")).toMatchObject([{ version: "19.0" }]);
    ground.emulator.setFaults([]);
    const invoked = await here.apply("-invoke=action.erphost_backup.before");
    expect(expectDone(invoked).output).toContain("Actions: 1 invoked.");
    expect(backups()).toEqual(["completed", "failed", "completed"]);
  });

  test("the program of CDKTF's page takes a backup by its overrides, and a server over by its identity", async () => {
    const page = readFileSync(join(root, "docs/cdktf/index.md"), "utf8");
    const [, overrides = ""] = /```js\n(instance\.resource\.addOverride[^]*?)```/.exec(page) ?? [];
    const program = Object.values(documented).find((text) => text.includes("before-audit")) ?? "";
    const made = synthesised(program.replace("app.synth()", () => `${overrides}app.synth()`));
    // The library puts the state where this process works.
    const text = made.replace(/[^"]*terraform\.erp\.tfstate/, "terraform.tfstate");
    const { emulator } = ground;
    emulator.reset();
    emulator.createObjects("server", [{ name: "erp-production" }]);
    const here = await ground.open("");
    here.write("cdk.tf.json", text);
    expectDone(await here.run("init"));
    expect(expectDone(await here.apply()).output).toContain("1 imported");
    expect(ground.ids()).toEqual(["srv_1"]);
    const before = emulator.objects("backup").length;
    here.write("cdk.tf.json", text.replace('"17.0"', '"18.0"'));
    expect(expectDone(await here.apply()).output).toContain("Actions: 1 invoked.");
    // The construct's own one before an upgrade is the other.
    expect(emulator.objects("backup")).toHaveLength(before + 2);
  });
});
