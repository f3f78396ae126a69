/** What only cdktn has. The types of the same program are checked in a user's project, end to end. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { CDKTN_HASHES, hashesOf } from "../../scripts/generate/cdktf/cdktn-sources";
import { cdktnProgram, synthesised } from "./support/documented";

const root = join(__dirname, "../..");
const l1 = join(root, "dist/sources/cdktf-bindings/cdktn/generated");

describe("with cdktn", () => {
  test("the generated constructs are the ones whose hashes are committed", () => {
    const files: Record<string, string> = {};
    for (const path of readdirSync(l1, { recursive: true, encoding: "utf8" })) {
      if (path.endsWith(".ts")) {
        files[path.replaceAll("\\", "/")] = readFileSync(join(l1, path), "utf8");
      }
    }
    const committed: unknown = JSON.parse(readFileSync(join(root, CDKTN_HASHES), "utf8"));
    expect(hashesOf(files)).toEqual(committed);
  });

  test("ephemeral resources and provider functions can be synthesised", () => {
    expect(JSON.parse(synthesised(cdktnProgram))).toMatchObject({
      ephemeral: { erphost_auth: { auth: {} } },
      resource: {
        erphost_server: {
          web: {
            secret_properties_wo: { madeBy: "${ephemeral.erphost_auth.auth.key_id}" },
          },
        },
      },
      output: { period: { value: '${provider::erphost::parse_period("90d")}' } },
    });
  });

  test("synthesis refuses a feature that the target engines are too old for", () => {
    const older = cdktnProgram.replace('terraform: ">=1.11.0"', 'terraform: ">=1.10.0"');
    const message = /\[erp\/web\/Default\] write-only attributes requires terraform >=1\.11\.0/;
    expect(() => synthesised(older)).toThrow(message);
  });
});
