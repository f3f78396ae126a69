/** What every copy of a package has to carry. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { PULUMI_ENTRY, TERRAFORM_ENTRY } from "../../scripts/release/bundle";
import { notices } from "../../scripts/release/notices";

const root = join(__dirname, "../..");

test.each([
  ["Terraform's provider", TERRAFORM_ENTRY],
  ["Pulumi's plugin", PULUMI_ENTRY],
])(
  "%s is handed on with its licence and the texts of all that is bundled into it",
  async (_, entry) => {
    const entries = await notices(entry, [{ name: "Node.js 0.0.0", text: "as is" }]);
    const plain = { executable: false };
    expect(entries).toMatchObject([
      { name: "LICENSE", ...plain },
      { name: "THIRD-PARTY", ...plain },
    ]);
    const [own = "", others = ""] = entries.map(({ content }) => content.toString());
    expect(own).toBe(readFileSync(join(root, "LICENSE"), "utf8"));
    const bundled = ["Node.js 0.0.0\n\nas is", "zod ", "undici ", "age-encryption ", "@noble/"];
    for (const name of bundled) expect(others).toContain(name);
    expect(others).not.toMatch(/^(?:jest|typescript|@pulumi\/pulumi) /m);
  },
);
