import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "@jest/globals";
import { TerraformStack } from "cdktf";
import { kinds, lookups } from "../../provider/resources";

const room = join(__dirname, "../../cdktf-bindings");
const dashed = (name: string): string => name.replaceAll("_", "-");

// That each file is as the generators make it is what `npm run check -- generated` looks at.
describe("L1 has every kind and every lookup, and nothing that is no more:", () => {
  const wanted = [
    "index.ts",
    "provider",
    "data-erphost-auth",
    ...Object.keys(kinds).map(dashed),
    ...lookups.flatMap(({ name, plural }) => [
      `data-erphost-${dashed(name)}`,
      `data-erphost-${dashed(plural)}`,
    ]),
  ];

  it("cdktf's", () => {
    expect(readdirSync(join(room, "generated")).sort()).toEqual(wanted.sort());
  });

  it("cdktn's, which has ephemeral resources and functions as well", () => {
    const more = [...wanted, "ephemeral-erphost-auth", "provider-functions"];
    expect(readdirSync(join(room, "cdktn/generated")).sort()).toEqual(more.sort());
  });
});

it("cdktn has every construct that cdktf has, and none that is no more", () => {
  const constructs = (folder: string): string[] =>
    ["", "patterns"].flatMap((below) =>
      readdirSync(join(folder, below)).filter((name) => name.endsWith(".ts")),
    );
  expect(constructs(join(room, "cdktn"))).toEqual(constructs(room));
});

it("the library under test is the project's", () => {
  // What the makers of jsii leave in each class, and what jest.config.cjs says.
  const made: unknown = Reflect.get(TerraformStack, Symbol.for("jsii.rtti"));
  const library: unknown = Reflect.get(globalThis, "LIBRARY") ?? "cdktf";
  expect(made).toMatchObject({ fqn: `${String(library)}.TerraformStack` });
});
