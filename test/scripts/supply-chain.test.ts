import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { git } from "../support/git";
import { version } from "../../package.json";
import { notes } from "../../scripts/publish/notes.cjs";
import { plan, sentence } from "../../scripts/publish/plan.cjs";
import { faults, isAllowed, type Component } from "../../scripts/supply-chain/licences.cjs";
import { releasedComponents } from "../../scripts/publish/sbom";
import { missing, unverified } from "../../scripts/supply-chain/lock-file.cjs";
import { folder } from "../support/folder";

interface LockedPackage {
  readonly dev?: boolean;
  readonly inBundle?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
}

test("a version without a tag is published, one with a tag is not again, and a changeset asks for a new one first", () => {
  const root = folder();
  git(root, "init", "--quiet");
  git(root, "commit", "--quiet", "--allow-empty", "--message", "a checkout");
  writeFileSync(join(root, "package.json"), JSON.stringify({ version }));
  mkdirSync(join(root, ".changeset"));
  writeFileSync(join(root, ".changeset/README.md"), "");
  const planned = plan(root);
  expect(planned).toEqual({ version, changesets: [], next: "publish" });
  const said = `${version} is published next: it has no tag, and no changeset waits.`;
  expect(sentence(planned)).toBe(said);
  git(root, "tag", `v${version}`);
  expect(plan(root)).toMatchObject({ next: "nothing" });
  writeFileSync(join(root, ".changeset/renamed.md"), "");
  expect(plan(root)).toMatchObject({ next: "version", changesets: ["renamed.md"] });
});

test("the version of this checkout has its part of CHANGELOG.md", () => {
  const changelog = readFileSync(join(__dirname, "../../CHANGELOG.md"), "utf8");
  expect(notes(changelog, version)).toContain("The first release");
  expect(notes(changelog, "9.9.9")).toBeUndefined();
});

describe("the lock file", () => {
  test("a package for another platform that is not locked is found, with its version", () => {
    const locked = { version: "1.0.0", integrity: "sha512-a" };
    const optionalDependencies = { "@fast/linux-x64": "1.0.0", "@fast/win32-x64": "1.0.0" };
    const packages = {
      "": {},
      "node_modules/fast": { ...locked, dev: true, optionalDependencies },
      "node_modules/@fast/linux-x64": locked,
    };
    const lost = ["node_modules/@fast/win32-x64", { version: "1.0.0", dev: true }];
    expect(missing(packages)).toEqual([lost]);
  });

  test("a package without a checksum is found, and a part of another's archive is not", () => {
    const packages = {
      "": {},
      "node_modules/one": { integrity: "sha512-a", bundleDependencies: ["three"] },
      "node_modules/two": { version: "1.0.0", inBundle: true },
      "node_modules/one/node_modules/three": { version: "1.0.0", inBundle: true },
      "node_modules/four": { link: true },
    };
    expect(unverified(packages)).toEqual(["node_modules/two"]);
  });

  test("whoever installs the package gets what is locked: each dependency is named by one version, or comes with the archive", () => {
    const lock = readFileSync(join(__dirname, "../../package-lock.json"), "utf8");
    // npm's own file, version 3.
    const { packages } = JSON.parse(lock) as { packages: Record<string, LockedPackage> };
    const installed = Object.values(packages).filter((one) => !one.dev && !one.inBundle);
    expect(installed.length).toBeGreaterThan(5);
    const named = installed.flatMap(({ dependencies = {} }) => Object.entries(dependencies));
    expect(named.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });
});

describe("the list of components of a release", () => {
  const ref = (name: string) => ({ "bom-ref": name, type: "library" });
  const npm = JSON.stringify({
    bomFormat: "CycloneDX",
    metadata: { component: { name: "some-folder", version: "0.1.0" } },
    components: [ref("one@1.0.0"), ref("tool@1.0.0")],
    dependencies: [
      { ref: "erphost@0.1.0", dependsOn: ["one@1.0.0", "tool@1.0.0"] },
      { ref: "tool@1.0.0", dependsOn: ["one@1.0.0"] },
    ],
  });
  const components: readonly Component[] = [
    { name: "one", version: "1.0.0", licence: "MIT", use: "installed" },
    { name: "tool", version: "1.0.0", licence: "MIT", use: "tool" },
    { name: "Node.js", version: "26.10.0", licence: "MIT", use: "packed" },
  ];

  test("it has what users install and what executables hold, and no tool", () => {
    const list = JSON.parse(releasedComponents(`a warning\n${npm}`, components)) as unknown;
    expect(list).toMatchObject({
      bomFormat: "CycloneDX",
      metadata: { component: { name: "erphost", version: "0.1.0" } },
      components: [{ "bom-ref": "one@1.0.0" }, { name: "Node.js", version: "26.10.0" }],
      dependencies: [{ ref: "erphost@0.1.0", dependsOn: ["one@1.0.0"] }],
    });
  });

  test("a package that npm does not list is an error", () => {
    const more: Component = { name: "two", version: "2.0.0", licence: "MIT", use: "installed" };
    expect(() => releasedComponents(npm, [...components, more])).toThrow("two@2.0.0");
  });
});

describe("licences", () => {
  const component = (licence: string, use: Component["use"] = "installed"): Component => {
    return { name: "one", version: "1.0.0", licence, use };
  };

  const closed = ["GPL-3.0-or-later", "AGPL-3.0", "MPL-2.0", "CC-BY-4.0", "BUSL-1.1", "not said"];
  test.each(closed)("a package that users get may not be under %s", (licence) => {
    const sentence = `one 1.0.0, which is installed, has the licence ${licence}`;
    expect(faults([component(licence)], [])).toEqual([sentence]);
  });

  const stricter = ["GPL-3.0-only", "AGPL-3.0", "UNLICENSED", "not said"];
  test.each(stricter)("a tool of developers may not be under %s either", (licence) => {
    expect(faults([component(licence, "tool")], [])).toHaveLength(1);
  });

  test("permissive licences are allowed everywhere, a few more for tools", () => {
    const others = [component("Apache-2.0", "packed"), component("MPL-2.0", "tool")];
    expect(faults([component("MIT"), ...others], [])).toEqual([]);
  });

  test("of alternatives one must be allowed, of a sum every part", () => {
    const allowed = new Set(["MIT", "ISC"]);
    expect(isAllowed("(MIT OR GPL-3.0-or-later)", allowed)).toBe(true);
    expect(isAllowed("GPL-2.0 OR GPL-3.0", allowed)).toBe(false);
    expect(isAllowed("(MIT AND ISC)", allowed)).toBe(true);
    expect(isAllowed("MIT AND GPL-3.0", allowed)).toBe(false);
  });

  test("a Go module of a program that is handed on has to be listed", () => {
    const modules = ["one 1.0.0", "one 2.0.0", "golang.org/x/two 1.0.0"];
    const unlisted = "is in a go.mod and not in scripts/supply-chain/licences.cjs";
    const found = [`one 2.0.0 ${unlisted}`, `golang.org/x/two 1.0.0 ${unlisted}`];
    expect(faults([component("MIT")], modules)).toEqual(found);
  });
});
