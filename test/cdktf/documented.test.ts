import { describe, expect, test } from "@jest/globals";
import * as bindings from "../../cdktf-bindings";
import { documented, withBindings, documentedTests, run, synthesised } from "./support/documented";

test.each(Object.keys(documented))("the program at %s synthesises resources or lookups", (at) => {
  const made = JSON.parse(synthesised(documented[at] ?? "")) as Record<string, object>;
  expect(Object.keys({ ...made["resource"], ...made["data"] })).not.toEqual([]);
});

describe("the documented tests of programs", () => {
  const runs = (program: string) => () => void run(program, () => undefined);

  test.each(Object.keys(documentedTests))("the test at %s passes", (where) => {
    expect(runs(documentedTests[where] ?? "")).not.toThrow();
  });

  test.each([
    ["Aspects.of(stack)", "void Aspects;//", "deletionProtection is not set, expected true"],
    ["a quarter", "90d", "It was not refused."],
  ])("without what it checks (%s) a test fails, and says so", (line, instead, message) => {
    const [program = ""] = Object.values(documentedTests).filter((text) => text.includes(line));
    expect(runs(program.replace(line, instead))).toThrow(message);
  });
});

test("every construct has a documented program", () => {
  const programs = Object.values({ ...documented, ...withBindings }).join("");
  // Neither a construct, nor what constructs extend.
  const { ErphostProvider: _, Declared: __, DeclaredKey: ___, l1: ____, ...constructs } = bindings;
  expect(
    Object.keys(constructs).filter((name) => !new RegExp(`(?:new )?${name}\\(`).test(programs)),
  ).toEqual([]);
});
