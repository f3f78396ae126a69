import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../../emulator";
import { PulumiStack } from "../../harness/pulumi-stack";

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

test("the usual resource options work: aliases, ignoreChanges, retainOnDelete, replaceOnChanges", async () => {
  const [byHand] = emulator.createObjects("server", { name: "made by hand", status: "running" });
  const first = await stack.up();
  expect({ code: first.code, output: first.code === 0 ? "" : first.output }).toEqual({
    code: 0,
    output: "",
  });
  // adoptId took over what was there, and brought it to the program's name.
  expect(idOf("server", "adopted")).toBe(byHand?.["id"]);
  expect(emulator.objects("server")).toHaveLength(4);
  const renamed = idOf("server", "renamed");
  const replaced = idOf("instance", "replaced");

  await stack.setConfig("second", "true");
  const second = await stack.up();
  expect({ code: second.code, output: second.code === 0 ? "" : second.output }).toEqual({
    code: 0,
    output: "",
  });
  expect(idOf("server", "renamed")).toBe(renamed);
  expect(idOf("server", "ignored-1")).toBeDefined();
  expect(idOf("server", "ignored-2")).toBeUndefined();
  expect(idOf("server", "kept")).toBeDefined();
  expect(emulator.objects("instance")).toHaveLength(1);
  expect(emulator.objects("instance")).toMatchObject([{ name: "replaced", edition: "enterprise" }]);
  expect(idOf("instance", "replaced")).not.toBe(replaced);
});
