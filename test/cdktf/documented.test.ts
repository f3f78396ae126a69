import { expect, test } from "@jest/globals";
import * as bindings from "../../cdktf-bindings";
import { documented, documentedTest, run, synthesised } from "./support/documented";

test.each(Object.keys(documented))("the program at %s synthesises resources", (where) => {
  const { resource } = JSON.parse(synthesised(documented[where] ?? "")) as { resource?: object };
  expect(Object.keys(resource ?? {})).not.toEqual([]);
});

test("the documented test of a program passes, and fails when the program does not protect", () => {
  const runs = (program: string) => () => {
    run(program, () => undefined);
  };
  expect(runs(documentedTest)).not.toThrow();
  const unprotected = documentedTest.replace("deletionProtection: true", "wait: false");
  expect(runs(unprotected)).toThrow("The server is not protected.");
});

test("every construct has a documented program", () => {
  const programs = Object.values(documented).join("");
  // Neither a construct, nor what constructs extend.
  const { ErphostProvider: _, Declared: __, DeclaredKey: ___, l1: ____, ...constructs } = bindings;
  const without = Object.keys(constructs).filter(
    (name) => !new RegExp(`(?:new )?${name}\\(`).test(programs),
  );
  expect(without).toEqual([]);
});
