/** Programs whose copy of this package is another package's own, in the layouts of npm and pnpm. */
import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "@jest/globals";
import { viaIn } from "../../provider/pulumi/dynamic/found";
import { folder } from "../support/given";

const ERPHOST = join("node_modules", "erphost");

/** Writes files by their paths, below a new folder. */
function laidOut(files: Readonly<Record<string, unknown>>): string {
  const root = realpathSync(folder());
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), JSON.stringify(content));
  }
  return root;
}

const copy = (at: string) => ({
  [join(at, "package.json")]: {
    name: "erphost",
    exports: { "./pulumi/handler": "./handler.json" },
  },
  [join(at, "handler.json")]: {},
});
const dependent = (at: string, name: string, dependencies: object = {}) => ({
  [join(at, "package.json")]: { name, main: "index.json", dependencies },
  [join(at, "index.json")]: {},
});
const program = dependent(".", "program", { left: "1", "@acme/shop": "1" });

test("a program that has erphost itself needs nothing else, whichever copy is loaded", () => {
  const shop = join("node_modules", "@acme", "shop");
  const root = laidOut({ ...program, ...copy(ERPHOST), ...copy(join(shop, ERPHOST)) });
  expect(viaIn(root, join(root, shop, ERPHOST, "handler.json"))).toBeUndefined();
  expect(viaIn(join(root, "infra"), join(root, ERPHOST, "handler.json"))).toBeUndefined();
});

test("a copy of a package of the program is found through that package", () => {
  const shop = join("node_modules", "@acme", "shop");
  const left = join("node_modules", "left");
  const root = laidOut({
    ...program,
    ...dependent(left, "left"),
    ...copy(join(left, ERPHOST)),
    ...dependent(shop, "@acme/shop"),
    ...copy(join(shop, ERPHOST)),
  });
  expect(viaIn(root, join(root, shop, ERPHOST, "handler.json"))).toBe("@acme/shop");
  expect(viaIn(root, join(root, left, ERPHOST, "handler.json"))).toBe("left");
});

test("a copy in pnpm's store is found through the package that the program links to", () => {
  const store = join("node_modules", ".pnpm");
  const shop = join(store, "shop@1", "node_modules", "@acme", "shop");
  const erphost = join(store, "erphost@1", ERPHOST);
  const root = laidOut({ ...program, ...dependent(shop, "@acme/shop"), ...copy(erphost) });
  symlinkSync(join(root, erphost), join(root, store, "shop@1", ERPHOST), "junction");
  mkdirSync(join(root, "node_modules", "@acme"));
  symlinkSync(join(root, shop), join(root, "node_modules", "@acme", "shop"), "junction");
  expect(viaIn(root, join(root, erphost, "handler.json"))).toBe("@acme/shop");
});

test("a copy that no package of the program leads to is refused with what to install", () => {
  const shop = join("node_modules", "@acme", "shop");
  const deep = join(shop, "node_modules", "deep");
  const root = laidOut({
    ...program,
    ...dependent(shop, "@acme/shop"),
    ...dependent(deep, "deep"),
    ...copy(join(deep, ERPHOST)),
  });
  expect(() => viaIn(root, join(root, deep, ERPHOST, "handler.json"))).toThrow(
    /^Pulumi runs dynamic resources from the program's folder, and erphost cannot be found from there\. Add it to the program's own dependencies: npm install erphost\.$/,
  );
});
