/** What `npm run build:terraform` builds, used without Node.js and without a registry. */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { stop } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { writeEntries } from "../../../scripts/release/archive";
import { schemaJson } from "../../../scripts/generate/cdktf/schema-json";
import { bundle, TERRAFORM_ENTRY } from "../../../scripts/release/bundle";
import { terraformFiles } from "../../../scripts/release/launcher";
import { ERPHOST, programFile } from "../../../scripts/release/terraform/layout";
import {
  buildMirror,
  hasEngine,
  HEADER,
  MIRROR,
  TerraformWorkspace,
  type EngineName,
} from "../../harness/terraform-workspace";

const PACKED = join(MIRROR, "../terraform-network-mirror");
const LOCK = join(MIRROR, "../terraform-lock");
const HOSTS = { terraform: "registry.terraform.io", tofu: "registry.opentofu.org" } as const;

/** The folder of one program, so that PATH offers nothing else of the machine. */
const placeOf = (program: string): string =>
  (process.env["PATH"] ?? "").split(delimiter).find((each) => existsSync(join(each, program))) ??
  "";

beforeAll(() => buildMirror());

describe.each<EngineName>(["tofu", "terraform"])("%s", (engine) => {
  const testWithEngine = hasEngine(engine) ? test : test.skip;

  testWithEngine(
    "the mirror, the zip files and the lock entries work offline, without Node.js, and what they install prints the schema that the constructs are generated from",
    async () => {
      const workspace = await TerraformWorkspace.create({ engine, env: {} }, HEADER);
      try {
        const lock = join(workspace.folder, ".terraform.lock.hcl");
        copyFileSync(join(LOCK, `${HOSTS[engine]}.lock.hcl`), lock);
        expect(await workspace.run("init", "-lockfile=readonly")).toMatchObject({ code: 0 });
        const path = { PATH: placeOf(engine) };
        expect(existsSync(join(path.PATH, "node"))).toBe(false);
        const schema = workspace.start(["providers", "schema", "-json"], path);
        const { code, stdout } = await schema.finished;
        expect(code).toBe(0);
        // As the engines document it.
        const printed = JSON.parse(stdout) as { provider_schemas: Record<string, unknown> };
        const [ours] = Object.values(schemaJson()["provider_schemas"] as Record<string, unknown>);
        const text = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
        expect(Object.values(printed.provider_schemas)).toEqual([text(ours)]);

        rmSync(join(workspace.folder, ".terraform"), { recursive: true });
        const fromZip = await workspace.run("init", "-lockfile=readonly", `-plugin-dir=${PACKED}`);
        expect(fromZip).toMatchObject({ code: 0 });
      } finally {
        workspace.remove();
      }
    },
  );
});

describe("the launcher", () => {
  const folder = mkdtempSync(join(tmpdir(), "erphost-launcher-"));
  beforeAll(async () => {
    writeEntries(folder, terraformFiles(await bundle(TERRAFORM_ENTRY), ERPHOST.version));
    await stop();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const start = (node: string) =>
    spawnSync(join(folder, programFile(ERPHOST)), {
      encoding: "utf8",
      env: { PATH: "/usr/bin:/bin", ERPHOST_NODE: node },
    });

  test("the launcher says in one sentence which Node.js it needs", () => {
    const { stdout, status } = start("/nowhere/node");
    expect(status).toBe(1);
    expect(stdout).toBe(
      "terraform-provider-erphost needs Node.js 22.19.0 or later, and there is no /nowhere/node on PATH. Install it, or name one in ERPHOST_NODE.\n",
    );
  });

  test("the launcher starts the provider with a Node.js that is new enough", () => {
    const { stderr, status } = start(process.execPath);
    expect(status).toBe(1);
    expect(stderr).toContain("This is a provider plugin for Terraform and OpenTofu");
  });
});
