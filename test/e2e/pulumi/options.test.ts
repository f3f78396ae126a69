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

/** A program whose resources have these labels; each adopts the object of its name. */
const adopting = (labels: Readonly<Record<string, string>>, adoptId = true): string =>
  [
    'import * as erphost from "erphost/pulumi";',
    ...Object.entries(labels).map(([label, name]) => {
      const args = { name, ...(name === "k" && { permissions: ["servers:read"] }) };
      const all = { ...args, ...(adoptId && { adoptId: `name=${name}` }) };
      const title = name === "k" ? "ApiKey" : "Server";
      return `new erphost.${title}(${JSON.stringify(label)}, ${JSON.stringify(all)});`;
    }),
  ].join("\n");

const urn = (title: string, label: string) =>
  `urn:pulumi:dev::options::pulumi-nodejs:dynamic/erphost:${title}::${label}`;

const contents = () =>
  ["server", "api_key"].flatMap((kind) => emulator.objects(kind).map(({ id }) => id));

test("what adoptId adopts is never deleted by a replacement, a taint or a new name, nor by the run that finishes it", async () => {
  for (const name of ["replaced", "tainted", "renamed"])
    emulator.createObjects("server", { name, status: "running" });
  emulator.createObjects("api_key", { name: "k", permissions: ["servers:read"] });
  const before = contents();
  const labels = { replaced: "replaced", tainted: "tainted", key: "k" };
  stack.write("index.ts", adopting({ ...labels, old: "renamed" }));
  expectDone(await stack.up());
  expectDone(await stack.run("state", "taint", urn("Server", "tainted"), "--yes"));
  stack.write("index.ts", adopting({ ...labels, new: "renamed" }));
  const targets = [urn("Server", "replaced"), urn("ApiKey", "key")];
  const forced = targets.flatMap((target) => ["--replace", target]);
  const refused = await stack.up(...forced, "--continue-on-error");
  console.log(refused.output);
  expect(refused.code).not.toBe(0);
  expect(unwrapped(refused.output)).toContain("take adoptId out of the program");
  console.log(stack.stateText().length);
  expect(contents()).toEqual(before);
  const fin = await stack.up();
  console.log(fin.output);
  expectDone(fin);
  expect(contents()).toEqual(before);
  stack.write("index.ts", adopting({ ...labels, new: "renamed" }, false));
  const last = await stack.up(...forced);
  console.log(last.output);
  expectDone(last);
  console.log(before, contents());
});
