/** A run of the plugin that is killed with its machine doubles nothing. */
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import type { Emulator } from "../../../../emulator";
import type { PulumiStack } from "../../../harness/pulumi-stack";
import { resourcesIn, servers, yaml } from "../../pulumi-plugin/program";
import { opened, openedEmulator } from "../../support/opened";
import { expectDone, unwrapped } from "../../support/output";
import { openStack, placePlugin } from "../../support/pulumi-plugin";
import { killedAfter } from "../../support/remote/killed";

const COUNT = 6;

let emulator: Emulator;
let stack: PulumiStack;

beforeAll(async () => {
  emulator = await openedEmulator();
  stack = opened(await openStack(emulator, { ERPHOST_SCOPE: "acme/prod" }));
  stack.write("Pulumi.yaml", yaml({ resources: servers(COUNT) }));
});

/** What is left of a machine is the backend. */
const nextMachine = async (): Promise<void> => {
  for (const name of ["home", "intents"]) {
    rmSync(join(stack.folder, name), { recursive: true, force: true });
    mkdirSync(join(stack.folder, name));
  }
  await placePlugin(stack);
};
const ids = () => emulator.objects("server").map(({ id }) => String(id));
const names = () => new Set(emulator.objects("server").map(({ name }) => name));
const held = () => resourcesIn(stack, "srv_");

test("with the plugin, after a kill with 3 of 6 servers, fresh machines double nothing: one is given their ids, one resumes", async () => {
  const backend = join(stack.folder, "backend");
  cpSync(backend, `${backend}.kept`, { recursive: true });
  const made = await killedAfter(emulator, 3, () => stack.start(["up", "--yes", "--skip-preview"]));
  // What a backend has that is written at the end of a run.
  rmSync(backend, { recursive: true });
  cpSync(`${backend}.kept`, backend, { recursive: true });
  await nextMachine();
  const asked = await stack.run("up", "--yes");
  expect(asked.code).not.toBe(0);
  const [planned = "", applied = ""] = asked.output.split("Updating (");
  for (const id of made) {
    const note = `(${id}); an earlier run of this scope may have created it`;
    expect(unwrapped(planned)).toContain(note);
    expect(unwrapped(applied)).toContain(id);
  }
  expect(unwrapped(applied)).toMatch(/set ERPHOST_RESUME .*unset erphost:scope/);
  expect(names().size).toBe(ids().length);

  await nextMachine();
  stack.env["ERPHOST_RESUME"] = "true";
  expectDone(await stack.up());
  expect([ids().length, names().size]).toEqual([COUNT, COUNT]);
  expect(ids().slice(0, 3)).toEqual(made);
  expect(new Set(held().map(({ id }) => id))).toEqual(new Set(ids()));
});

test("a replacement that nothing shows the provider deletes nothing, with resume or without", async () => {
  const before = ids();
  const urn = held()[0]?.urn ?? "";
  for (const resume of ["true", "false"]) {
    await nextMachine();
    stack.env["ERPHOST_RESUME"] = resume;
    const result = await stack.up("--replace", urn);
    expect(result.code === 0).toBe(resume === "true");
    const said = resume === "true" ? "was not replaced and not deleted" : "unset erphost:scope";
    expect(unwrapped(result.output)).toContain(said);
    expect(ids()).toEqual(before);
    expect(held().filter((each) => each.delete)).toEqual([]);
  }
  expectDone(await stack.preview("--expect-no-changes"));
});
