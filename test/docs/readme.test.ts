import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import manifest from "../../package.json";

const root = join(__dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const home = manifest.homepage.replace("#readme", "");

/** What people read before they install anything, and while they do. */
const PAGES = ["", "docs", "examples"].flatMap((below) =>
  readdirSync(join(root, below), { recursive: below !== "", encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && !/node_modules|decisions/.test(name))
    .map((name) => join(below, name)),
);

describe("the README", () => {
  const readme = read("README.md");
  const targets = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, target = ""]) => target);

  test("the first command of the README installs the package", () => {
    expect(/```sh\n([^\n]*)\n/.exec(readme)?.[1]).toBe("npm install erphost");
  });

  test("each link of the README leads to a page of the project's home that is in this checkout", () => {
    expect(targets.length).toBeGreaterThan(20);
    const lost = targets.filter((target) => {
      const [, path] = new RegExp(`^${home}/(?:blob|tree)/main/([^#]+)`).exec(target) ?? [];
      return path === undefined || !existsSync(join(root, path));
    });
    expect(lost).toEqual([]);
  });
});

describe("the minimum of Node.js", () => {
  const minimum = manifest.engines.node.replace(">=", "");

  test("every page that names a Node.js which is needed names that of package.json", () => {
    const others = PAGES.flatMap((page) =>
      [...read(page).matchAll(/Node(?:\.js)? (\d[\d.]*\d|\d+) (?:or|and) (?:later|newer)/g)]
        .filter(([, version]) => version !== minimum)
        .map(([sentence]) => `${page}: ${sentence}`),
    );
    expect(others).toEqual([]);
    expect(read("README.md")).toContain(`Node.js ${minimum} or later`);
  });

  test("the code is checked against the types of the oldest Node.js that is supported", () => {
    const [major, minor] = minimum.split(".");
    expect(manifest.devDependencies["@types/node"]).toMatch(new RegExp(`^${major}\\.${minor}\\.`));
  });
});
