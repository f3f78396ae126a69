/** What only cdktn has, and that all else is the same; its types are checked end to end. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, jest, test } from "@jest/globals";
import { CDKTN_HASHES, hashesOf } from "../../scripts/generate/cdktf/cdktn-sources";
import { cdktnProgram, synthesised } from "./support/documented";
import { ANYTHING } from "./support/everything";

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

  test("a program of everything synthesises what it does with cdktf, which engines apply", () => {
    const configurations = (): unknown[] => {
      // Which library they are of is decided when they are loaded.
      const { Testing } = require("cdktf") as typeof import("cdktf");
      const { everything } =
        require("./support/everything") as typeof import("./support/everything");
      const { stack, abroad } = everything(ANYTHING);
      return [stack, abroad].map((each) => JSON.parse(Testing.synth(each, true)) as unknown);
    };
    const cdktf = (): unknown[] => {
      // Paths that jest's settings for cdktn do not map.
      jest.doMock("cdktf", () => jest.requireActual(join(root, "node_modules/cdktf")));
      for (const part of readdirSync(l1)) {
        const own = join(root, "cdktf-bindings/generated", part);
        jest.doMock(join(l1, part), () => jest.requireActual(own));
      }
      return configurations();
    };
    jest.useFakeTimers({ now: new Date("2026-01-31T12:00:00Z") });
    const found: unknown[][] = [];
    for (const load of [configurations, cdktf]) jest.isolateModules(() => found.push(load()));
    jest.useRealTimers();
    jest.dontMock("cdktf");
    for (const part of readdirSync(l1)) jest.dontMock(join(l1, part));
    expect(found[0]).toEqual(found[1]);
  });

  test("ephemeral resources and provider functions can be synthesised", () => {
    const web = { secret_properties_wo: { madeBy: "${ephemeral.erphost_auth.auth.key_id}" } };
    expect(JSON.parse(synthesised(cdktnProgram))).toMatchObject({
      ephemeral: { erphost_auth: { auth: {} } },
      resource: { erphost_server: { web } },
      output: { period: { value: '${provider::erphost::parse_period("90d")}' } },
    });
  });

  test("synthesis refuses a feature that the target engines are too old for", () => {
    const older = cdktnProgram.replace('terraform: ">=1.11.0"', 'terraform: ">=1.10.0"');
    const message = /\[erp\/web\/Default\] write-only attributes requires terraform >=1\.11\.0/;
    expect(() => synthesised(older)).toThrow(message);
  });
});
