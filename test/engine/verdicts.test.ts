/** The table of verdicts, as the page of the decision prints it. */
import { expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { VERDICTS } from "../../provider/engine/evidence/verdicts";

const PAGE = join(__dirname, "../../docs/decisions/0026-one-attempt.md");

const printed = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

test("the decision prints the table of verdicts that the code follows", () => {
  const lines = readFileSync(PAGE, "utf8").split("\n");
  const rows = lines.filter((line) => /^[|] `/.test(line));
  const expected = Object.entries(VERDICTS).map(([name, { means, entry, next, codes }]) =>
    printed([`\`${name}\``, means, entry, next, codes.map((code) => `\`${code}\``).join(", ")]),
  );
  expect(rows.map((row) => row.replace(/ +/g, " ").replace("| |", "|  |"))).toEqual(expected);
});
