import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { TerraformStack } from "cdktf";
import { kinds, lookups } from "../../provider/resources";
import { LIBRARY } from "./support/library";

const root = join(__dirname, "../..");
const cdktn = LIBRARY === "cdktn";
const l1 = join(
  root,
  cdktn ? "dist/sources/cdktf-bindings/cdktn/generated" : "cdktf-bindings/generated",
);
const dashed = (name: string): string => name.replaceAll("_", "-");

test("the library under test is the one that the jest project names", () => {
  // jsii leaves the name in each class that it compiles.
  const compiled: unknown = Reflect.get(TerraformStack, Symbol.for("jsii.rtti"));
  expect(compiled).toMatchObject({ fqn: `${LIBRARY}.TerraformStack` });
});

// `npm run check -- generated` checks that each file is what the generators write.
describe(`the generated constructs of ${LIBRARY}`, () => {
  test("the generated constructs cover every kind and every lookup, and nothing else", () => {
    const expected = [
      "index.ts",
      "provider",
      "data-erphost-auth",
      ...Object.keys(kinds).map(dashed),
      ...lookups.flatMap(({ name, plural }) => [
        `data-erphost-${dashed(name)}`,
        `data-erphost-${dashed(plural)}`,
      ]),
      ...(cdktn ? ["ephemeral-erphost-auth", "provider-functions"] : []),
    ];
    expect(readdirSync(l1).sort()).toEqual(expected.sort());
  });
});
