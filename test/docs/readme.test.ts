import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { describe, expect, test } from "@jest/globals";
import manifest from "../../package.json";

const root = join(__dirname, "../..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");
const home = manifest.homepage.replace("#readme", "");

/** What people read before they install anything, and while they do. */
const ALL = ["", ".github", "docs", "examples"].flatMap((below) =>
  readdirSync(join(root, below), { recursive: below !== "", encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && !name.includes("node_modules"))
    .map((name) => posix.join(below, name.replaceAll("\\", "/"))),
);
const PAGES = ALL.filter((page) => !page.includes("decisions"));

/** Without blocks of code, where neither a link nor a heading is one. */
const prose = (text: string): string => text.replace(/^( *)```[^]*?^\1```$/gm, "");
const targetsOf = (text: string): string[] =>
  [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);

/** As GitHub makes it; a second heading with the same words gets a number. */
const anchorsOf = (text: string): string[] =>
  [...prose(text).matchAll(/^#{1,6} (.+)$/gm)]
    .map(([, heading = ""]) => heading.replace(/\]\([^)]*\)/g, "").toLowerCase())
    .map((heading) => heading.replace(/[^\p{L}\p{N} _-]/gu, "").replaceAll(" ", "-"))
    .map((anchor, index, all) => {
      const before = all.slice(0, index).filter((other) => other === anchor).length;
      return before === 0 ? anchor : `${anchor}-${before}`;
    });

/** Links of a page to this project whose file, or whose heading in it, is not there. */
const lostIn = (page: string, text: string): string[] =>
  targetsOf(text).filter((target) => {
    const ours = new RegExp(`^${home}/(?:blob|tree)/(?:main|v[\\d.]+)/`);
    if (/^[a-z]+:/.test(target) && !ours.test(target)) return false;
    const [path = "", anchor] = target.replace(ours, "/").split("#");
    const file = path.startsWith("/") ? path.slice(1) : posix.join(posix.dirname(page), path);
    if (path !== "" && !existsSync(join(root, file))) return true;
    return anchor !== undefined && !anchorsOf(path === "" ? text : read(file)).includes(anchor);
  });

describe("links", () => {
  test("each link of every page to a file or a heading of this project leads there", () => {
    expect(ALL.length).toBeGreaterThan(100);
    const lost = ALL.flatMap((page) => lostIn(page, read(page)).map((to) => `${page}: ${to}`));
    expect(lost).toEqual([]);
  });

  test("a link to a lost page or heading is found, and one in a block of code is none", () => {
    const text = `# One, \`two\`\n\n# One, two\n\n[a](#one-two-1) [b](#two) [c](lost.md)
[d](../README.md#what-it-promises) [e](../README.md#lost) [f](${home}/blob/main/docs/lost.md)
[g](https://example.com/lost.md)\n\n\`\`\`md\n[h](lost.md)\n\`\`\`\n`;
    const lost = ["#two", "lost.md", "../README.md#lost", `${home}/blob/main/docs/lost.md`];
    expect(lostIn("docs/page.md", text)).toEqual(lost);
  });

  test("each page that the code names is there", () => {
    const named = ["provider", "emulator", "cli", "cdktf-bindings", "scripts", "templates"]
      .flatMap((room) =>
        readdirSync(join(root, room), { recursive: true, encoding: "utf8" })
          .filter((name) => /\.(?:ts|cjs|yml)$/.test(name))
          .map((name) => join(room, name)),
      )
      .flatMap((file) => [...read(file).matchAll(/\bdocs\/[\w./-]+\.(?:md|json)\b/g)])
      .map(([path]) => path);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

describe("the README", () => {
  const readme = read("README.md");

  test("the first command of the README installs the package", () => {
    expect(/```sh\n([^\n]*)\n/.exec(readme)?.[1]).toBe("npm install erphost");
  });

  test("each link of the README leads to the project's home, where npm's page has to look", () => {
    const targets = targetsOf(readme);
    expect(targets.length).toBeGreaterThan(20);
    expect(targets.filter((target) => !target.startsWith(`${home}/`))).toEqual([]);
  });

  test("the README can be read in one go: at most 110 lines", () => {
    expect(readme.split("\n").length - 1).toBeLessThanOrEqual(110);
  });
});

test("a decision can be read in one go: at most 80 lines of 100 columns", () => {
  const lines = (text: string): number =>
    text.split("\n").reduce((sum, { length }) => sum + Math.max(1, Math.ceil(length / 100)), 0);
  const decisions = ALL.filter((page) => page.includes("decisions/"));
  expect(decisions.length).toBeGreaterThan(20);
  expect(decisions.filter((page) => lines(read(page)) > 80)).toEqual([]);
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
