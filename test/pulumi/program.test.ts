/** The program that Pulumi keeps of each dynamic resource, and how it finds this package. */
import { mkdirSync, readFileSync, realpathSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { compileFunction } from "node:vm";
import { expect, jest, test } from "@jest/globals";
import { writeFiles } from "../../scripts/bootstrap/files.cjs";
import { viaIn } from "../../provider/pulumi/dynamic/found";
import type { Handler } from "../../provider/pulumi/dynamic/handler";
import { programOf } from "../../provider/pulumi/dynamic/found";
import { kinds } from "../../provider/resources";
import { folder } from "../support/given";
import { serve } from "./process";

/** What the SDK wrote of a closure, which states may still have. */
const CLOSURE = readFileSync(join(__dirname, "..", "fixtures", "dynamic-closure.txt"), "utf8");

/** Pulumi's process compiles the text as a CommonJS module and calls its `handler`. */
function run(text: string): Handler {
  const module: { exports: { handler?: () => Handler } } = { exports: {} };
  const require_ = (name: string): unknown => {
    if (name !== "erphost/pulumi/handler") throw new Error(`the program requires ${name}`);
    return require("../../provider/pulumi/dynamic/handler");
  };
  // What its parameters say.
  type Module = (exports: object, require: (name: string) => unknown) => void;
  const compiled = compileFunction(text, ["exports", "require"]) as Module;
  compiled(module.exports, require_);
  if (!module.exports.handler) throw new Error("the program exports no handler");
  return module.exports.handler();
}

test("the program in a dynamic resource's state is one line that names the installed handler of its kind", () => {
  for (const { title } of Object.values(kinds)) {
    const text = programOf(title);
    expect(text.length).toBeLessThan(100);
    const methods = ["check", "configure", "create", "delete", "diff", "read", "update"];
    expect(Object.keys(run(text)).sort()).toEqual(methods);
  }
});

test("the program in a dynamic resource's state of a kind that is not installed says so", () => {
  const says = "erphost has no Printer. A newer release may have written this state.";
  expect(() => run(programOf("Printer"))).toThrow(says);
});

test("a dynamic resource whose state has a closure written by the SDK is checked, read, compared and deleted by the installed code", async () => {
  const emulator = await serve();
  jest.resetModules();
  const { adminKey: apiKey, baseUrl } = emulator;
  const settings: Record<string, string> = { "erphost:apiKey": apiKey, "erphost:baseUrl": baseUrl };
  const old = run(CLOSURE);
  await old.configure({ config: { get: (key) => settings[key] } });
  const urn = "urn:pulumi:dev::p::pulumi-nodejs:dynamic/erphost:Server::s";
  const news = { name: "s", __identity: urn, __provider: CLOSURE };
  const { inputs, failures } = await old.check({}, news);
  expect(failures).toEqual([]);
  const { id, outs } = await old.create(inputs);
  const state = { ...outs, __provider: CLOSURE };
  await expect(old.read(id, state)).resolves.toMatchObject({ id, props: { name: "s" } });
  const renamed = { ...news, name: "t", __provider: programOf("Server") };
  // The program that is installed now brings its own text; its difference alone changes nothing.
  const unchanged = await run(programOf("Server")).diff(id, state, { ...renamed, name: "s" });
  expect(unchanged).toMatchObject({ changes: false, replaces: [] });
  await expect(old.update(id, state, renamed)).resolves.toMatchObject({ outs: { name: "t" } });
  await old.delete(id, state);
  expect(emulator.objects("server")).toEqual([]);
});

const ERPHOST = join("node_modules", "erphost");

/** Writes files by their paths, below a new folder. */
function laidOut(files: Readonly<Record<string, unknown>>): string {
  const root = realpathSync(folder());
  const texts = Object.entries(files).map(([path, json]) => [path, JSON.stringify(json)] as const);
  writeFiles(root, Object.fromEntries(texts));
  return root;
}

const exported = { "./pulumi/handler": "./handler.json" };
const copy = (at: string) => ({
  [join(at, "package.json")]: { name: "erphost", exports: exported },
  [join(at, "handler.json")]: {},
});
const dependent = (at: string, name: string, dependencies: object = {}) => ({
  [join(at, "package.json")]: { name, main: "index.json", dependencies },
  [join(at, "index.json")]: {},
});
const manifest = dependent(".", "program", { left: "1", "@acme/shop": "1" });
const shop = join("node_modules", "@acme", "shop");

test("a program that has erphost itself needs nothing else, whichever copy is loaded", () => {
  const root = laidOut({ ...manifest, ...copy(ERPHOST), ...copy(join(shop, ERPHOST)) });
  expect(viaIn(root, join(root, shop, ERPHOST, "handler.json"))).toBeUndefined();
  expect(viaIn(join(root, "infra"), join(root, ERPHOST, "handler.json"))).toBeUndefined();
});

test("a copy of a package of the program is found through that package", () => {
  const left = join("node_modules", "left");
  const packages = { ...dependent(left, "left"), ...dependent(shop, "@acme/shop") };
  const copies = { ...copy(join(left, ERPHOST)), ...copy(join(shop, ERPHOST)) };
  const root = laidOut({ ...manifest, ...packages, ...copies });
  expect(viaIn(root, join(root, shop, ERPHOST, "handler.json"))).toBe("@acme/shop");
  expect(viaIn(root, join(root, left, ERPHOST, "handler.json"))).toBe("left");
});

test("a copy in pnpm's store is found through the package that the program links to", () => {
  const store = join("node_modules", ".pnpm");
  const stored = join(store, "shop@1", shop);
  const erphost = join(store, "erphost@1", ERPHOST);
  const root = laidOut({ ...manifest, ...dependent(stored, "@acme/shop"), ...copy(erphost) });
  symlinkSync(join(root, erphost), join(root, store, "shop@1", ERPHOST), "junction");
  mkdirSync(join(root, "node_modules", "@acme"));
  symlinkSync(join(root, stored), join(root, shop), "junction");
  expect(viaIn(root, join(root, erphost, "handler.json"))).toBe("@acme/shop");
});

test("a copy that no package of the program leads to is refused with what to install", () => {
  const deep = join(shop, "node_modules", "deep");
  const packages = { ...dependent(shop, "@acme/shop"), ...dependent(deep, "deep") };
  const root = laidOut({ ...manifest, ...packages, ...copy(join(deep, ERPHOST)) });
  expect(() => viaIn(root, join(root, deep, ERPHOST, "handler.json"))).toThrow(
    /^Pulumi runs dynamic resources from the program's folder, and erphost cannot be found from there\. Add it to the program's own dependencies: npm install erphost\.$/,
  );
});
