/** The pages of the provider as a registry shows them, and what the guide to installing says. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { engines } from "../../package.json";
import { writePages } from "../../scripts/release/terraform/pages";
import { sharedFolder } from "../support/folder";

const root = join(__dirname, "../..");
const AT = "https://example.com/blob/v1.2.3";
/** A registry cuts off what is longer. */
const PAGE_BYTES_MAX = 500_000;

describe("the registry's pages", () => {
  const target = sharedFolder();
  let pages: string[];
  beforeAll(() => {
    const count = writePages(root, target, AT);
    const files = readdirSync(join(target, "docs"), { recursive: true, encoding: "utf8" });
    pages = files.filter((file) => file.endsWith(".md"));
    expect(pages.length).toBe(count);
  });
  const read = (page: string): string => readFileSync(join(target, "docs", page), "utf8");

  test("there is a page for everything that the provider has, and none about other products", () => {
    const places = new Set(pages.map((page) => page.split("/")[0]));
    const served = [
      "actions",
      "data-sources",
      "ephemeral-resources",
      "functions",
      "list-resources",
    ];
    const rest = ["guides", "index.md", "resources"];
    expect([...places].sort()).toEqual([...served, ...rest].sort());
    expect(pages).toContain("guides/install.md");
    expect(existsSync(join(target, "LICENSE"))).toBe(true);
  });

  test("each page has a title and is no longer than a registry shows", () => {
    for (const page of pages) {
      const head = /^---\npage_title: "[^"]+"\ndescription: "[^"]+"\n---\n/;
      expect({ page, text: read(page) }).toEqual({ page, text: expect.stringMatching(head) });
      expect(statSync(join(target, "docs", page)).size).toBeLessThan(PAGE_BYTES_MAX);
    }
  });

  test("each link leads somewhere: to the web, or to a file of the tagged commit", () => {
    const links = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => ({ page, link })),
    );
    const ours = links.filter(({ link }) => link.startsWith(`${AT}/`));
    expect(ours.length).toBeGreaterThan(3);
    expect(links.filter(({ link }) => !/^(?:https?:|#)/.test(link))).toEqual([]);
    const missing = ours.filter(({ link }) => {
      const [file = ""] = link.slice(AT.length).split("#");
      return !existsSync(join(root, file));
    });
    expect(missing).toEqual([]);
  });
});

test("the image for Alpine and the guide ask for the Node.js that package.json asks for", () => {
  const [, minimum = "none"] = /^>=(\d+\.\d+\.\d+)/.exec(engines.node) ?? [];
  const read = (file: string): string => readFileSync(join(root, file), "utf8");
  expect(read("examples/terraform/Dockerfile")).toContain(`'nodejs>=${minimum}'`);
  expect(read("docs/guides/install.md")).toContain(`Node.js ${minimum} or later`);
});
