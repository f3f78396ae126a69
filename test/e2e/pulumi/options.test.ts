import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import { PulumiStack } from "../../harness/pulumi-stack";
import { expectDone, unwrapped } from "../support/output";

let emulator: Emulator;
let stack: PulumiStack;
beforeEach(async () => {
  emulator = await startEmulator();
  stack = await PulumiStack.create({
    program: join(__dirname, "programs", "options"),
    env: { ERPHOST_BASE_URL: emulator.baseUrl, ERPHOST_API_KEY: emulator.adminKey },
  });
});
afterEach(async () => {
  stack.remove();
  await emulator.close();
});

const idOf = (kind: string, name: string) =>
  emulator.objects(kind).find((record) => record["name"] === name)?.["id"];

test("the resource options aliases, ignoreChanges, retainOnDelete and replaceOnChanges work", async () => {
  const [existing] = emulator.createObjects("server", {
    name: "created by hand",
    status: "running",
  });
  expectDone(await stack.up());
  // adoptId adopted the existing server and renamed it as the program says.
  expect(idOf("server", "adopted")).toBe(existing?.["id"]);
  expect(emulator.objects("server")).toHaveLength(4);
  const renamed = idOf("server", "renamed");
  const replaced = idOf("instance", "replaced");

  stack.configure({ second: "true" });
  expectDone(await stack.up());
  expect(idOf("server", "renamed")).toBe(renamed);
  expect(idOf("server", "ignored-1")).toBeDefined();
  expect(idOf("server", "ignored-2")).toBeUndefined();
  expect(idOf("server", "kept")).toBeDefined();
  expect(emulator.objects("instance")).toHaveLength(1);
  expect(emulator.objects("instance")).toMatchObject([{ name: "replaced", edition: "enterprise" }]);
  expect(idOf("instance", "replaced")).not.toBe(replaced);
});

test("what adoptId adopts outlives a replacement, a taint and a new name, and the run that finishes them", async () => {
  const names = ["replaced", "tainted", "renamed"];
  for (const name of names) emulator.createObjects("server", { name, status: "running" });
  const before = emulator.objects("server");
  const urn = (label: string) =>
    `urn:pulumi:dev::options::pulumi-nodejs:dynamic/erphost:Server::${label}`;
  const declare = (third: string, adopts: boolean) => {
    const lines = names.map((name, i) => {
      const args = { name, ...(adopts && { adoptId: `name=${name}` }) };
      return `new Server("${i === 2 ? third : name}", ${JSON.stringify(args)});`;
    });
    stack.write("index.ts", ['import { Server } from "erphost/pulumi";', ...lines].join("\n"));
  };
  declare("old", true);
  expectDone(await stack.up());
  expectDone(await stack.run("state", "taint", urn("tainted"), "--yes"));
  declare("new", true);
  const forced = await stack.up("--replace", urn("replaced"), "--continue-on-error");
  expect(forced.code).not.toBe(0);
  for (const { id } of before) {
    expect(unwrapped(forced.output)).toContain(`Server ${String(id)} is in this state already`);
  }
  // Both states of each are there now, as after a kill between the adoption and the delete.
  expectDone(await stack.up());
  expect(emulator.objects("server")).toEqual(before);
  declare("new", false);
  expectDone(await stack.up("--replace", urn("replaced")));
  const [gone, ...kept] = before.map(({ id }) => String(id));
  expect(emulator.objects("server").map(({ id }) => id)).toEqual([...kept, expect.any(String)]);
  expect(stack.stateText()).not.toContain(`"${String(gone)}"`);
});
