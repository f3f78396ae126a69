import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "@jest/globals";
import { weigh, weighCheckout } from "../../scripts/check/weight";

const root = mkdtempSync(join(tmpdir(), "erphost-weight-"));
afterAll(() => {
  rmSync(root, { recursive: true });
});

const written = [
  { path: "cli/a.ts", text: "// Why.\n\nf();\n" },
  { path: "test/a.test.ts", text: "f();\nf();" },
];

describe("the weight of what people write", () => {
  test("each limit that is passed is named, and one that is just kept is not", () => {
    const light = { lines: 4, files: 1, tracked: 2 };
    expect(weigh(written, 3, light).passed).toEqual([
      "5 written lines, at most 4.",
      "2 written files, at most 1.",
      "3 tracked files, at most 2.",
    ]);
    expect(weigh(written, 3, { lines: 5, files: 2, tracked: 3 }).passed).toEqual([]);
  });

  test("a checkout is weighed without what .gitattributes says that tools wrote", () => {
    execFileSync("git", ["init", "--quiet", root]);
    const files = {
      ".gitattributes": "*.gen.ts linguist-generated\n",
      "cli/table.gen.ts": "f();\n",
      "docs/guides/page.md": "One.\n\nTwo.\n",
      LICENSE: "Words.\n",
      "scripts/table.json": "{}\n",
      "templates/page.txt": "One.\n",
    };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    const figures = weighCheckout(root)
      .table.replace(/ of \d+/g, "")
      .replace(/ +/g, " ");
    expect(figures.split("\n").slice(1)).toEqual([
      "product 1 1",
      "tests 0 0",
      "scripts 1 1",
      "docs 3 1",
      "other 0 0",
      "all 5 3",
      "tracked 6",
    ]);
  });
});
