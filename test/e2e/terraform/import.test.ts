/** `erphost import --to terraform`, with what the real engines make of it. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import { version } from "../../../package.json";
import { erphost } from "../../cli/support";
import {
  buildMirror,
  hasEngine,
  ONE_ENGINE,
  TerraformWorkspace,
  type EngineName,
} from "../../harness/terraform-workspace";
import { plantAnyAccount } from "../support/any-account";
import { expectDone } from "../support/output";

describe.each<EngineName>(["terraform", "tofu"])("an account imported with %s", (engine) => {
  const testWithEngine = hasEngine(engine) ? test : test.skip;
  const testOnOneEngine = engine === ONE_ENGINE ? testWithEngine : undefined;
  let emulator: Emulator;
  let here: TerraformWorkspace;
  let count: number;

  beforeAll(async () => {
    if (!hasEngine(engine)) return;
    buildMirror();
    emulator = await startEmulator({ provisionMs: 0 });
    count = plantAnyAccount(emulator);
    const env = { ERPHOST_BASE_URL: emulator.baseUrl, ERPHOST_API_KEY: emulator.adminKey };
    here = await TerraformWorkspace.create({ engine, env }, "");
    rmSync(join(here.folder, "main.tf"));
  });
  afterAll(async () => {
    here.remove();
    await emulator.close();
  });

  const takeOver = (...words: string[]) =>
    erphost(["import", "--to", "terraform", "--out", here.folder, ...words], {
      env: here.env,
      readFile: (path) => readFileSync(path, "utf8"),
      version,
    });

  testWithEngine(
    "whatever names it holds plans imports alone, and nothing after the apply",
    async () => {
      const taken = await takeOver("--property", "*");
      expect(taken).toMatchObject({ code: 0 });
      expectDone(await here.run("init"));
      expect(expectDone(await here.run("fmt", "-check", "-diff")).output).toBe("");
      const planned = expectDone(await here.run("plan", "-out=plan.bin"));
      expect(planned.output).toContain(`${count} to import, 0 to add, 0 to change, 0 to destroy`);
      emulator.clearJournal();
      expectDone(await here.run("apply", "plan.bin"));
      expect(await here.plan()).toMatchObject({ code: 0 });
      expect(emulator.journal().every(({ method }) => method === "GET")).toBe(true);
    },
  );

  testOnOneEngine?.(
    "a later run adds what is new, alike objects as one resource, and its plan imports those alone",
    async () => {
      rmSync(join(here.folder, "imports.tf"));
      const servers = emulator.createObjects(
        "server",
        ["${web}-1", "${web}-2", "${web}-3"].map((name) => ({ name })),
      );
      const instances = emulator.createObjects(
        "instance",
        servers.map(({ id, name }, index) => ({ name, server_id: id, version: `1${index}.0` })),
      );
      emulator.createObjects(
        "backup",
        instances.map(({ id }) => ({ instance_id: id })),
      );
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
      expect(await here.plan()).toMatchObject({ code: 0 });
      expect(await takeOver()).toMatchObject({ code: 0, out: ["There is nothing to take over."] });
    },
  );
});
