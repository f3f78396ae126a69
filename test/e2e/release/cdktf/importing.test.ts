/** The program of `erphost import --to cdktf`, synthesised as its user does and run on a real engine. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { buildSync } from "esbuild";
import { erphost } from "../../../cli/support";
import { hasEngine } from "../../../harness/terraform-workspace";
import { folder } from "../../../support/folder";
import { plantAnyAccount } from "../../support/any-account";
import { deployment } from "../../support/cdktf";
import { expectDone } from "../../support/output";

const root = join(__dirname, "../../../..");

/** The packages that the program's own `npm install` would bring. */
function linkPackages(program: string): void {
  const links = ["cdktf", "constructs"].map((name) => [name, `node_modules/${name}`] as const);
  for (const [name, target] of [["erphost", "."] as const, ...links]) {
    const place = join(program, "node_modules", name);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(join(root, target), place, "junction");
  }
}

const describeWithEngine = hasEngine("terraform") ? describe : describe.skip;

describeWithEngine("a CDKTF program that takes over an account", () => {
  test("bears whatever names there are, plans imports alone, and nothing after the apply", async () => {
    const { emulator, workspace } = await deployment("terraform");
    const out = folder();
    const count = plantAnyAccount(emulator);
    const words = ["import", "--to", "cdktf", "--out", out, "--property", "*"];
    expect(await erphost(words, { env: workspace.env })).toMatchObject({ code: 0 });
    // Its types are checked in a user's project (test/e2e/release/consumer.test.ts).
    linkPackages(out);
    const program = join(out, "main.js");
    const from = { absWorkingDir: out, entryPoints: ["main.ts"], outfile: program };
    buildSync({ ...from, bundle: true, packages: "external", platform: "node" });
    // cdktf asks for the engine's version once for every object, and gets the same answer.
    const [version] = /\d+\.\d+\.\d+/.exec((await workspace.run("version")).output) ?? [];
    execFileSync(process.execPath, [program], {
      cwd: out,
      env: { ...process.env, TERRAFORM_BINARY_NAME: `echo ${String(version)}` },
    });
    const synthesised = join(out, "cdktf.out/stacks/erphost/cdk.tf.json");
    workspace.write("cdk.tf.json", readFileSync(synthesised, "utf8"));
    expectDone(await workspace.run("init"));
    const planned = expectDone(await workspace.run("plan", "-out=plan.bin"));
    expect(planned.output).toContain(`${count} to import, 0 to add, 0 to change, 0 to destroy`);
    emulator.clearJournal();
    expectDone(await workspace.applyPlanned());
    expectDone(await workspace.plan());
    expect(emulator.journal().every(({ method }) => method === "GET")).toBe(true);
  });
});
