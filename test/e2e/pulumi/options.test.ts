import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import { PulumiStack } from "../../harness/pulumi-stack";
import { expectDone } from "../support/output";

let emulator: Emulator;
let stack: PulumiStack;
beforeAll(async () => {
  emulator = await startEmulator();
  stack = await PulumiStack.create({
    program: join(__dirname, "programs", "options"),
    env: { ERPHOST_BASE_URL: emulator.baseUrl, ERPHOST_API_KEY: emulator.adminKey },
  });
});
afterAll(async () => {
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
