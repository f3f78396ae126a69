import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
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

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "erphost-duplicates-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const lines = (count: number): string =>
  Array.from({ length: count }, (_, index) => `call${index}(first, second, ${index});\n`).join("");

test("a run of twelve lines that stands twice is found, with both places", () => {
  writeFileSync(join(folder, "a.ts"), `const a = 1;\n${lines(12)}`);
  writeFileSync(join(folder, "b.ts"), `${lines(12)}export const b = 2;\n`);
  const [only, ...more] = duplicatesIn(folder);
  expect(more).toEqual([]);
  expect(only).toMatch(/a\.ts:\d+-\d+/);
  expect(only).toMatch(/b\.ts:\d+-\d+/);
});

test("a run of five lines, and a generated file, are not duplicates", () => {
  writeFileSync(join(folder, "a.ts"), lines(5));
  writeFileSync(join(folder, "b.ts"), `${lines(5)}const other = 1;\n`);
  writeFileSync(join(folder, "c.gen.ts"), lines(40));
  writeFileSync(join(folder, "d.gen.ts"), lines(40));
  expect(duplicatesIn(folder)).toEqual([]);
});
