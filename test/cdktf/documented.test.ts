import { expect, it } from "@jest/globals";
import * as bindings from "../../cdktf-bindings";
import { documented, synthesised } from "./support/documented";

it.each(Object.keys(documented))("the program of %s runs, and declares something", (where) => {
  const { resource } = JSON.parse(synthesised(documented[where] ?? "")) as { resource?: object };
  expect(Object.keys(resource ?? {})).not.toEqual([]);
});

it("every construct has a program of its own", () => {
  const programs = Object.values(documented).join("");
  // Not a construct, and what others extend.
  const { ErphostProvider: _, Declared: __, l1: ___, ...constructs } = bindings;
  const without = Object.keys(constructs).filter(
    (name) => !new RegExp(`(?:new )?${name}\\(`).test(programs),
  );
  expect(without).toEqual([]);
});
