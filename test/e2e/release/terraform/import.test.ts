import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { version } from "../../../../package.json";
import { erphost } from "../../../cli/support";
import type { TerraformWorkspace } from "../../../harness/terraform-workspace";
import { plantAnyAccount } from "../../support/any-account";
import { describeOn, ONE } from "../../support/engines";
import { expectDone } from "../../support/output";

describeOn(ONE, (ground) => {
  let here: TerraformWorkspace;
  let count: number;

  beforeAll(async () => {
    count = plantAnyAccount(ground.emulator);
    here = await ground.attach("");
    rmSync(join(here.folder, "main.tf"));
  });

  const takeOver = (...words: string[]) =>
    erphost(["import", "--to", "terraform", "--out", here.folder, ...words], {
      env: here.env,
      readFile: (path) => readFileSync(path, "utf8"),
      version,
    });

  test("whatever names an account holds, its import plans imports alone, and nothing after the apply", async () => {
    expect(await takeOver("--property", "*")).toMatchObject({ code: 0 });
    expectDone(await here.run("init"));
    expect(expectDone(await here.run("fmt", "-check", "-diff")).output).toBe("");
    ground.emulator.clearJournal();
    const applied = expectDone(await here.apply());
    expect(applied.output).toContain(`${count} imported, 0 added, 0 changed, 0 destroyed`);
    expectDone(await here.plan());
    expect(ground.emulator.journal().every(({ method }) => method === "GET")).toBe(true);
  });

  test("a later import adds what is new, alike objects as one resource, and its plan imports those alone", async () => {
    rmSync(join(here.folder, "imports.tf"));
    const { emulator } = ground;
    for (const at of [1, 2, 3]) {
      const name = `\${web}-${at}`;
      const [server] = emulator.createObjects("server", { name });
      const fields = { name, server_id: server?.["id"], version: `1${at}.0` };
      const [instance] = emulator.createObjects("instance", fields);
      emulator.createObjects("backup", { instance_id: instance?.["id"] });
    }
    const before = readFileSync(join(here.folder, "servers.tf"), "utf8");
    const state = join(here.folder, "state.json");
    writeFileSync(state, expectDone(await here.run("show", "-json")).stdout);
    expect(await takeOver("--for-each", "--state", state)).toMatchObject({ code: 0 });
    const after = readFileSync(join(here.folder, "servers.tf"), "utf8");
    expect(after.startsWith(before)).toBe(true);
    expect(after).toContain("for_each = toset([");
    expect(expectDone(await here.run("fmt", "-check", "-diff")).output).toBe("");
    const applied = expectDone(await here.apply());
    expect(applied.output).toContain("9 imported, 0 added, 0 changed, 0 destroyed");
    expectDone(await here.plan());
    expect(await takeOver()).toMatchObject({ code: 0, out: ["There is nothing to take over."] });
  });
});
