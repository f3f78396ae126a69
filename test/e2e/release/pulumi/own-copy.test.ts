/** A program without erphost, whose component package has a copy of its own, as pnpm lays it out. */
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import type { Emulator } from "../../../../emulator";
import type { PulumiStack } from "../../../harness/pulumi-stack";
import { opened, openedEmulator } from "../../support/opened";
import { expectDone, unwrapped } from "../../support/output";
import { openCompiled, writeProgram } from "../../pulumi/stack";

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

/** Has a package in the store of pnpm, with what it asks for next to it. */
function store(name: string, links: Readonly<Record<string, string>>, index: string): string {
  const modules = inProgram("node_modules", ".pnpm", `${name}@1.0.0`, "node_modules");
  mkdirSync(join(modules, name), { recursive: true });
  writeFileSync(join(modules, name, "package.json"), JSON.stringify({ name, main: "index.js" }));
  writeFileSync(join(modules, name, "index.js"), index);
  for (const [to, target] of Object.entries(links)) {
    mkdirSync(dirname(join(modules, to)), { recursive: true });
    symlinkSync(target, join(modules, to), "junction");
  }
  return join(modules, name);
}

beforeAll(async () => {
  emulator = await openedEmulator();
  stack = opened(await openCompiled("one", emulator));
  const erphost = inProgram("node_modules", "erphost");
  const kept = inProgram("node_modules", ".pnpm", "erphost");
  mkdirSync(dirname(kept));
  renameSync(erphost, kept);
  const pulumi = inProgram("node_modules", "@pulumi", "pulumi");
  const shop = store("shop", { erphost: kept, "@pulumi/pulumi": pulumi }, SHOP);
  const mall = store("mall", { shop }, 'exports.Shop = require("shop").Shop;\n');
  symlinkSync(shop, inProgram("node_modules", "shop"), "junction");
  symlinkSync(mall, inProgram("node_modules", "mall"), "junction");
});

const write = (dependency: "shop" | "mall"): void => {
  const manifest = { name: "program", dependencies: { [dependency]: "1.0.0" } };
  stack.write("package.json", JSON.stringify(manifest));
  writeProgram(stack, `import { Shop } from "${dependency}";\nnew Shop("main", {});\n`);
};

test("a copy that only a dependency's dependency has is refused with what to install, before any call", async () => {
  write("mall");
  const { code, output } = await stack.preview();
  expect(code).not.toBe(0);
  expect(unwrapped(output)).toContain(
    "erphost cannot be found from there. Add it to the program's own dependencies: npm install erphost.",
  );
  expect(output).not.toContain("    at ");
  expect(emulator.journal()).toEqual([]);
});

test("the resources of a package with a copy of its own are created", async () => {
  write("shop");
  expectDone(await stack.up());
  expect(emulator.objects("server")).toMatchObject([{ name: "main" }]);
  expect(stack.stateText()).not.toContain(stack.folder);
});

test("once the package is gone, its resources are refreshed and deleted with a copy of the program, or refused with what to install", async () => {
  renameSync(inProgram("node_modules", "shop"), inProgram("node_modules", "gone"));
  const { code, output } = await stack.destroy();
  expect(code).not.toBe(0);
  expect(unwrapped(output)).toContain(
    "erphost is found neither through shop nor from the program's folder. Add it to the program's own dependencies: npm install erphost",
  );
  const kept = inProgram("node_modules", ".pnpm", "erphost");
  symlinkSync(kept, inProgram("node_modules", "erphost"), "junction");
  expectDone(await stack.destroy("--refresh"));
  expect(emulator.objects("server")).toEqual([]);
});
