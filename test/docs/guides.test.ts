/** The list of what runs each page's blocks; test/e2e/release/guides.test.ts follows the pages. */
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "@jest/globals";
import { blocksOf } from "../e2e/support/guide";
import { GUIDES, PAGES } from "../e2e/support/guides/table";

const rows = Object.entries(GUIDES).flatMap(([path, { elsewhere = [] }]) =>
  elsewhere.map(([holding, where]) => ({ path, holding, where })),
);

test("the list has every page that prints something to copy, and no other", () => {
  expect(Object.keys(GUIDES).sort()).toEqual([...PAGES].sort());
});

test.each(rows)("a block of $path holds $holding", ({ path, holding }) => {
  const first = (text: string) => GUIDES[path]?.elsewhere?.find(([one]) => text.includes(one))?.[0];
  expect(blocksOf(path).some(({ text }) => first(text) === holding)).toBe(true);
});

test.each(rows.filter(({ where }) => where.startsWith("test/")))(
  "$where reads $path",
  ({ path, where }) => {
    const text = readFileSync(join(__dirname, "../..", where), "utf8");
    const named = `["/]${basename(path)}(?:\\.md)?"`;
    expect(text).toMatch(new RegExp(`${named}|cdktf/support/documented"`));
  },
);
