import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "@jest/globals";
import { kinds, lookups } from "../../provider/resources";

const folder = join(__dirname, "../../cdktf-bindings/generated");
const dashed = (name: string): string => name.replaceAll("_", "-");

// That each file is as the generator makes it is what `npm run check -- generated` looks at.
it("L1 has every kind and every lookup, and nothing that is no more", () => {
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
  expect(readdirSync(folder).sort()).toEqual(wanted.sort());
});
