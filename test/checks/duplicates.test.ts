import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { folder as newFolder } from "../support/folder";

const root = join(__dirname, "../..");

/** In another process, since jest cannot load all of the finder's modules. */
function duplicatesIn(folder: string): string[] {
  const script = `require("./scripts/check/duplicates").findDuplicates(${JSON.stringify(folder)}, ["."])
    .then((found) => console.log(JSON.stringify(found)));`;
  const output = execFileSync(process.execPath, ["-r", "ts-node/register", "-e", script], {
    cwd: root,
    encoding: "utf8",
  });
  // What the line above printed.
  return JSON.parse(output) as string[];
}

const lines = (count: number, name = "call"): string =>
  Array.from(
    { length: count },
    (_, index) => `${name}${index}(first, second, ${index});\n`,
  ).join("");

test("a run of twelve lines that stands twice is found with both places; one of five lines and a generated file are not", () => {
  const folder = newFolder();
  const files = {
    "a.ts": `const a = 1;\n${lines(12)}`,
    "b.ts": `${lines(12)}export const b = 2;\n`,
    "short.ts": lines(5, "short"),
    "other.ts": `${lines(5, "short")}const other = 1;\n`,
    "c.gen.ts": lines(40, "generated"),
    "d.gen.ts": lines(40, "generated"),
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const [only, ...more] = duplicatesIn(folder);
  expect(more).toEqual([]);
  expect(only).toMatch(/a\.ts:\d+-\d+/);
  expect(only).toMatch(/b\.ts:\d+-\d+/);
});
