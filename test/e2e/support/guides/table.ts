/** Which test runs what each page for readers prints, and what cannot be run here. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { blocksOf, type Block } from "../guide";

/** A file of tests that reads the block from the page, or why nothing here can run it. */
type Where = `test/${string}` | `not here: ${string}`;

export interface Guide {
  /** What happens to who follows the page: its walk is below test/e2e/support/guides. */
  readonly accident?: string;
  /** Blocks that no walk runs, by words of theirs that no other block before it has. */
  readonly elsewhere?: readonly (readonly [holding: string, where: Where])[];
}

const EXAMPLES = "test/e2e/release/terraform/examples.test.ts";
const LISTEN = "test/cli/listen/dispatch.test.ts";
const INSTALL = "test/e2e/release/install.test.ts";
const JOBS = "test/e2e/support/pipelines/github.ts";
const MATCHERS = "test/cdktf/documented.test.ts";
const REGISTRY = "not here: a registry; `npm run release:rehearse` has one of its own";

/** In the order of the list that is generated. */
export const GUIDES: Readonly<Record<string, Guide>> = {
  "guides/accounts": {
    accident: "a key is replaced",
    elsewhere: [['alias    = "acme"', EXAMPLES]],
  },
  "guides/authentication": { accident: "the key is of another environment" },
  "guides/events": {
    elsewhere: [
      ["erphost listen", LISTEN],
      ["# drift.sh", LISTEN],
    ],
  },
  "guides/comments": { elsewhere: [["", "test/cli/comments.test.ts"]] },
  "guides/finding": {
    accident: "none",
    elsewhere: [['data "erphost_instance"', "test/e2e/terraform/language.test.ts"]],
  },
  "guides/first-steps": {
    accident: "the version is changed",
    elsewhere: [
      ["npm run demo", "not here: the tests themselves; `.ci/run` runs both commands"],
      [
        "npm run shell",
        "not here: a shell of one's own; test/scripts/first-minutes.test.ts opens it",
      ],
    ],
  },
  "guides/import": {
    accident: "the reading is killed",
    elsewhere: [
      ['data "erphost_servers"', EXAMPLES],
      ["identity = {", "test/e2e/terraform/query.test.ts"],
    ],
  },
  "guides/install": {
    accident: "releases are tampered with",
    elsewhere: [
      ["npm install", REGISTRY],
      ["pulumi plugin install", REGISTRY],
      ["", INSTALL],
    ],
  },
  "guides/modules": { accident: "arguments are null" },
  "guides/pipelines": {
    accident: "a run is killed; the next one is here, or on another machine",
    elsewhere: [
      ["templates/erphost.yml", "test/e2e/support/pipelines/gitlab.ts"],
      ["jobs:", JOBS],
      ["paths:", "test/cli/pipeline/action.test.ts"],
      ["recipient ", "test/e2e/support/pipelines/programs.ts"],
      ['backend "', "test/e2e/release/remote-state/terraform.test.ts"],
      ["PULUMI_BACKEND_URL", "test/e2e/release/remote-state/pulumi.test.ts"],
    ],
  },
  "guides/plan-summary": { accident: "the key lacks a scope, and an object drifts" },
  "guides/policies": {
    accident: "a plan breaks a rule",
    elsewhere: [
      ["policies: all", JOBS],
      ["only-eu", "test/cli/pipeline/refusals/rules.test.ts"],
      ["PolicyPack", "not here: `@pulumi/policy` and its host, of a registry"],
    ],
  },
  "guides/rehearse": {
    accident: "the reading of a twin, or the move, is killed; another terminal is opened",
  },
  "guides/restapi": {
    accident: "an object is gone",
    elsewhere: [["restapi_object", "test/e2e/terraform/language.test.ts"]],
  },
  "guides/testing": { accident: "the shell has a real account" },
  rotation: { accident: "a run is killed while it rotates its own key" },
  "moving-to-the-plugin": {
    accident: "the last run was killed",
    elsewhere: [
      [
        "pulumi state delete",
        "not here: a stack next to the old one; guides/import has the imports",
      ],
      ["", "test/e2e/release/sdks.test.ts"],
    ],
  },
  "pulumi-plugin": {
    accident: "the first run is killed",
    elsewhere: [["pulumi plugin install", "not here: a release on GitHub"]],
  },
  "cdktf/index": {
    accident: "the first apply is killed",
    elsewhere: [
      ["--global cdktf-cli", REGISTRY],
      ["cdktf deploy", "test/e2e/release/consumer.test.ts"],
      ["npm install erphost", REGISTRY],
      ["addOverride(", EXAMPLES],
      ["[erp/pipeline] rotateAfter", "test/cdktf/testing.test.ts"],
    ],
  },
  "cdktf/patterns": { elsewhere: [["@cdktf/provider-", "test/e2e/release/stores.test.ts"]] },
  "cdktf/python": { elsewhere: [["", "test/e2e/release/python.test.ts"]] },
  "cdktf/testing": {
    accident: "a release changes something",
    elsewhere: [
      ["toMatchSnapshot", "test/e2e/release/cdktf/testing.test.ts"],
      ["cd last/stacks/erp", "test/e2e/release/cdktf/testing.test.ts"],
      ["The stack erp declares no Server", "test/cdktf/testing.test.ts"],
      ["setupJest", "test/e2e/release/consumer.test.ts"],
      ['import "erphost/cdktf/testing"', "test/e2e/release/consumer.test.ts"],
    ],
  },
};

/** Where a block is run that no walk runs; undefined where nothing says so. */
export function elsewhere(path: string, { language, text }: Block): Where | undefined {
  const row = GUIDES[path]?.elsewhere?.find(([holding]) => text.includes(holding));
  if (row !== undefined) return row[1];
  // Programs of constructs are synthesised, whatever page they are on.
  return language === "ts" && /"erphost\/cdkt[fn]/.test(text) ? MATCHERS : undefined;
}

const DOCS = join(__dirname, "../../../../docs");

/** Every page for readers that prints something to copy or is in the table. */
export const PAGES: readonly string[] = [
  ...["guides", "cdktf"].flatMap((folder) =>
    readdirSync(join(DOCS, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name.replace(".md", "")}`),
  ),
  ...["rotation", "moving-to-the-plugin", "pulumi-plugin"],
].filter((path) => GUIDES[path] !== undefined || blocksOf(path).length > 0);
