import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { reported } from "../../scripts/generate/files";
import { folder as newFolder } from "../support/folder";

const ROOT = join(__dirname, "../..");

/** In another process, since jest cannot load the formatter. */
function emitted(root: string, write: boolean): unknown {
  const files = { "a.md": "# One\n\n\ntext\n", "b.json": '{"a":1}' };
  const args = [root, files, write].map((arg) => JSON.stringify(arg)).join();
  const script = `require("./scripts/generate/files").emit(${args})
    .then((stale) => console.log(JSON.stringify(stale)));`;
  const words = ["-r", "ts-node/register", "-e", script];
  return JSON.parse(execFileSync(process.execPath, words, { cwd: ROOT, encoding: "utf8" }));
}

describe("generated files", () => {
  test("a generated file that somebody edited is named by the check, which does not repair it; generating does, and touches no other", () => {
    const root = newFolder();
    const read = (name: string): string => readFileSync(join(root, name), "utf8");
    const written = { "a.md": "# One\n\ntext\n", "b.json": '{ "a": 1 }\n' };
    for (const [name, text] of Object.entries(written)) writeFileSync(join(root, name), text);
    writeFileSync(join(root, "a.md"), "# One\n\ntext\n\nAn edit.\n");
    expect(emitted(root, false)).toEqual(["a.md"]);
    expect(read("a.md")).toContain("An edit.");
    expect(emitted(root, true)).toEqual(["a.md"]);
    expect([read("a.md"), read("b.json")]).toEqual(Object.values(written));
  });

  test("the check fails for a stale file, and says what to do; generating says what it wrote", () => {
    const remedy = "Generated files are stale. Run `npm run generate` and commit the result.";
    expect(reported(["a.md"], false)).toEqual({ code: 1, lines: ["stale: a.md", remedy] });
    expect(reported([], false)).toEqual({ code: 0, lines: [] });
    expect(reported(["a.md"], true)).toEqual({ code: 0, lines: ["wrote a.md"] });
  });
});
