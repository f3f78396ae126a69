/** The rules in Rego, run by the real Conftest on the plans that the functions are tested with. */
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { onPath } from "../harness/terraform-workspace";
import { BACKED_UP, CASES, HARD, policyFile, UNFINISHED } from "../plans/policy-cases";
import { sharedFolder } from "../support/folder";

const POLICIES = join(__dirname, "..", "..", "policies");
const testWithConftest = onPath("conftest") === undefined ? test.skip : test;
const folder = sharedFolder();

interface Verdict {
  readonly failures?: readonly {
    readonly msg: string;
    readonly metadata?: { readonly query?: string };
  }[];
}

/** What Conftest refuses: the rule by its query, and the sentence. */
function conftest(file: string, ...words: readonly string[]): string[][] {
  const given = ["test", file, "--policy", POLICIES, "--parser", "json", "--output", "json"];
  const { stdout, stderr } = spawnSync("conftest", [...given, ...words], { encoding: "utf8" });
  if (stdout === "") throw new Error(`conftest said nothing: ${stderr}`);
  // As Conftest documents it.
  const verdicts = JSON.parse(stdout) as readonly Verdict[];
  return verdicts.flatMap(({ failures = [] }) =>
    failures.map(({ msg, metadata }) => [metadata?.query ?? "", msg]),
  );
}

testWithConftest.each(CASES)("$rule alone refuses a plan of $engine, until it is mended", (one) => {
  const query = `data.main.deny_${one.rule.replaceAll("-", "_")}`;
  const failures = conftest(policyFile(one, "broken"));
  expect(failures.map(([rule]) => rule)).toEqual([query]);
  expect(failures[0]?.[1]).toMatch(new RegExp(`^(?:\\w+\\.)?${one.object} .*\\.$`));
  expect(conftest(policyFile(one, "mended"))).toEqual([]);
});

testWithConftest("in Rego, the same backups by actions serve for an upgrade", () => {
  const files = BACKED_UP.map(([, , plan], index) => {
    const file = join(folder, `${index}.json`);
    writeFileSync(file, plan);
    return file;
  });
  expect(files.map((file) => conftest(file).length === 0)).toEqual(BACKED_UP.map(([, is]) => is));
});

testWithConftest(
  "in Rego, the age of keys is set by data, and a key may be older than the default",
  () => {
    const data = join(folder, "data.json");
    writeFileSync(data, JSON.stringify({ erphost: { key_days_max: 36_500 } }));
    const old = CASES.find(({ rule }) => rule === "old-key");
    if (old === undefined) throw new Error("no case");
    expect(conftest(policyFile(old, "broken"), "--data", data)).toEqual([]);
  },
);

testWithConftest.each(HARD)("in Rego, the same rules are broken by %s", (_, plan, rules) => {
  const file = join(folder, "hard.json");
  writeFileSync(file, plan);
  const queries = new Set(conftest(file).map(([query = ""]) => query));
  const names = rules.map((rule) => `data.main.deny_${rule.replaceAll("-", "_")}`);
  expect([...queries].toSorted()).toEqual(names);
});

testWithConftest.each([
  ["a state", '{"format_version":"1.0","values":{}}'],
  ["an empty object", "{}"],
  ...UNFINISHED,
])("Conftest refuses %s, which says nothing about the rules", (_, text) => {
  const file = join(folder, "input.json");
  writeFileSync(file, text);
  expect(conftest(file).map(([rule]) => rule)).toEqual(["data.main.deny_unreadable"]);
});
