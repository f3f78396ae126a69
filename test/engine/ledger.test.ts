/** The invariants that the ledger keeps, and the table of verdicts as the decision prints it. */
import { expect, test } from "@jest/globals";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ErpHostError } from "../../provider/client";
import { refusal, VERDICTS } from "../../provider/engine/evidence/verdicts";
import { Ledger } from "../../provider/engine/ledger";
import { message } from "../../provider/messages";

const at = { kind: "server", id: "srv_1" };

test("an id never answers two creates", () => {
  const ledger = new Ledger();
  ledger.note({ is: "made", at, by: "a" });
  expect(() => ledger.note({ is: "made", at, by: "b" })).toThrow(/which a already has/);
  ledger.note({ is: "made", at: { ...at, kind: "team" }, by: "b" });
});

test("an id that a state holds never answers a create", () => {
  const ledger = new Ledger();
  ledger.note({ is: "inState", at, live: true });
  expect(() => ledger.note({ is: "made", at, by: "b" })).toThrow(/answered the create/);
  ledger.note({ is: "deleted", at });
  ledger.note({ is: "made", at, by: "b" });
});

test("a declaration no longer has an object that is proved to be gone, and keeps any other", () => {
  const ledger = new Ledger();
  for (const identity of ["a", "b"]) {
    ledger.note({ is: "declared", identity, hasState: true });
    ledger.note({ is: "inState", at: { ...at, id: identity }, identity, live: true });
  }
  ledger.note({ is: "gone", at: { ...at, id: "a" } });
  expect([...ledger.declarations]).toEqual([
    ["a", {}],
    ["b", { hasState: true, live: { ...at, id: "b" } }],
  ]);
});

test("a key has one rotator, and only that may claim it again", () => {
  const ledger = new Ledger();
  const claim = (by: string) => ledger.note({ is: "rotates", keyId: "key_1", by });
  claim("a");
  claim("a");
  expect(() => claim("b")).toThrow(/already has a rotator \(a\)/);
  ledger.note({ is: "rotates", keyId: "key_1", by: "b", made: true });
  claim("b");
});

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
