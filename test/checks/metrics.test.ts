import { describe, expect, test } from "@jest/globals";
import { measure, metricsTable, passed } from "../../scripts/check/metrics";

const file = (path: string, text: string) => ({ path, text });
const body = (count: number): string => "  f();\n".repeat(count);

describe("the measures of the code", () => {
  test("the measures count the lines of inner functions, but neither comments nor blank lines", () => {
    const text = `/** About it. */\n\nfunction a() {\n  // Why.\n  const b = () => {\n${body(3)}  };\n}\n`;
    expect(measure([file("cli/a.ts", text)])["cli"]).toEqual({
      files: 1,
      lines: 7,
      longestFile: 7,
      longestFunction: 7,
      manyParameters: 0,
      functions: 2,
      fullestFolder: 1,
    });
  });

  test("the measures leave generated files out", () => {
    expect(measure([file("provider/engine/all.gen.ts", "const a = 1;")])).toEqual({});
  });

  test("each limit that a room exceeds is named", () => {
    const folder = Array.from({ length: 13 }, (_, index) => file(`cli/${index}.ts`, ""));
    const long = file("cli/a/long.ts", `function a(b, c, d, e, g) {\n${body(300)}}\n`);
    expect(passed(measure([...folder, long]))).toEqual([
      "cli: longest file 302, at most 300.",
      "cli: longest function 302, at most 70.",
      "cli: 5+ parameters 1, at most 0.",
      "cli: fullest folder 13, at most 12.",
    ]);
  });

  test("a room that keeps every limit is not reported, and tests have no limits here", () => {
    const long = `function a() {\n${body(300)}}\n`;
    expect(passed(measure([file("cli/a.ts", "f();"), file("test/a.test.ts", long)]))).toEqual([]);
  });

  test("the table shows the measures next to the recorded ones", () => {
    const before = measure([file("cli/a.ts", body(2))]);
    const now = measure([file("cli/a.ts", body(1)), file("cli/b.ts", "")]);
    const [header, row] = metricsTable(before, now).split("\n");
    expect(header).toMatch(/^room +files +lines/);
    expect(row).toMatch(/^cli +1 → 2 +2 → 1 +2 → 1/);
  });
});
