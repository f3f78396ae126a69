/** A program without erphost, whose component package has a copy of its own, as pnpm lays it out. */
import { renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { writeFiles } from "../../../../scripts/bootstrap/files.cjs";
import type { Emulator } from "../../../../emulator";
import type { PulumiStack } from "../../../harness/pulumi-stack";
import { opened, openedEmulator } from "../../support/opened";
import { expectDone, refusal } from "../../support/output";
import { openCompiled } from "../../pulumi/stack";

const SHOP = `const pulumi = require("@pulumi/pulumi");
const erphost = require("erphost/pulumi");
exports.Shop = class extends pulumi.ComponentResource {
  constructor(name, args, options) {
    super("acme:Shop", name, args, options);
    new erphost.Server(name, { name }, { parent: this });
  }
};
`;

let emulator: Emulator;
let stack: PulumiStack;
const inProgram = (...path: string[]): string => join(stack.program, ...path);
const kept = (): string => inProgram("node_modules", ".pnpm", "erphost");

beforeAll(async () => {
  emulator = await openedEmulator();
  stack = opened(await openCompiled("one", emulator));
  // The store of pnpm has the package, with what it asks for next to it.
  const modules = inProgram("node_modules", ".pnpm", "shop@1.0.0", "node_modules");
  const shop = join(modules, "shop");
  const own = JSON.stringify({ name: "shop", main: "index.js" });
  writeFiles(shop, { "package.json": own, "index.js": SHOP });
  renameSync(inProgram("node_modules", "erphost"), kept());
  symlinkSync(kept(), join(modules, "erphost"), "junction");
  symlinkSync(inProgram("node_modules", "@pulumi"), join(modules, "@pulumi"), "junction");
  symlinkSync(shop, inProgram("node_modules", "shop"), "junction");
  stack.write("package.json", JSON.stringify({ name: "program", dependencies: { shop: "1.0.0" } }));
  stack.write("index.js", 'const { Shop } = require("shop");\nnew Shop("main", {});\n');
});

test("the resources of a package with a copy of its own are created", async () => {
  expectDone(await stack.up());
  expect(emulator.objects("server")).toMatchObject([{ name: "main" }]);
  expect(stack.stateText()).not.toContain(stack.folder);
});

test("once the package is gone, its resources are refreshed and deleted with a copy of the program, or refused with what to install", async () => {
  renameSync(inProgram("node_modules", "shop"), inProgram("node_modules", "gone"));
  expect(refusal(await stack.destroy())).toContain(
    "erphost is found neither through shop nor from the program's folder. Add it to the program's own dependencies: npm install erphost",
  );
  symlinkSync(kept(), inProgram("node_modules", "erphost"), "junction");
  expectDone(await stack.destroy("--refresh"));
  expect(emulator.objects("server")).toEqual([]);
});
