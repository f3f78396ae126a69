/** The table of verdicts, as the page of the decision prints it, and what errors mean by it. */
import { expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ErpHostError } from "../../provider/client";
import { refusal, VERDICTS } from "../../provider/engine/evidence/verdicts";
import { message } from "../../provider/messages";

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

test.each([
  ["was never sent", 0, false, "refused"],
  ["was not answered", 1, true, "untold"],
  ["did not get through", 1, false, "untold"],
])("a request that %s", (_, attempts, ambiguous, is) => {
  const about = { code: "network_error", operation: "POST /servers", attempts, ambiguous } as const;
  expect(refusal(new ErpHostError({ ...about, why: message("walk_abandoned", {}) })).is).toBe(is);
});
