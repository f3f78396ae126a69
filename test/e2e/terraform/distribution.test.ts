/** What `npm run build:terraform` builds, used without Node.js and without a registry. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import {
  buildMirror,
  hasEngine,
  HEADER,
  MIRROR,
  TerraformWorkspace,
  type EngineName,
} from "../../harness/terraform-workspace";

const RELEASE = join(MIRROR, "../terraform-release");
const HOSTS = { terraform: "registry.terraform.io", tofu: "registry.opentofu.org" } as const;

/** The folder of one program, so that PATH offers nothing else of the machine. */
const placeOf = (program: string): string =>
  (process.env["PATH"] ?? "").split(delimiter).find((each) => existsSync(join(each, program))) ??
  "";

beforeAll(() => buildMirror());

describe.each<EngineName>(["tofu", "terraform"])("%s", (engine) => {
  const testWithEngine = hasEngine(engine) ? test : test.skip;

  testWithEngine(
    "the mirror, the zip files and the lock entries work offline, without Node.js",
    async () => {
      const workspace = await TerraformWorkspace.create({ engine, env: {} }, HEADER);
      const packed = mkdtempSync(join(tmpdir(), "erphost-packed-"));
      try {
        const lock = join(workspace.folder, ".terraform.lock.hcl");
        copyFileSync(join(RELEASE, `${HOSTS[engine]}.lock.hcl`), lock);
        expect(await workspace.run("init", "-lockfile=readonly")).toMatchObject({ code: 0 });
        const path = { PATH: placeOf(engine) };
        expect(existsSync(join(path.PATH, "node"))).toBe(false);
        const schema = workspace.start(["providers", "schema", "-json"], path);
        const { code, stdout } = await schema.finished;
        expect(code).toBe(0);
        expect(Object.keys(JSON.parse(stdout) as object)).toContain("provider_schemas");

        rmSync(join(workspace.folder, ".terraform"), { recursive: true });
        const place = join(packed, HOSTS[engine], "erphost/erphost");
        spawnSync("mkdir", ["-p", place]);
        for (const file of zips()) copyFileSync(join(RELEASE, file), join(place, file));
        const fromZip = await workspace.run("init", "-lockfile=readonly", `-plugin-dir=${packed}`);
        expect(fromZip).toMatchObject({ code: 0 });
      } finally {
        rmSync(packed, { recursive: true, force: true });
        workspace.remove();
      }
    },
  );
});

const zips = (): string[] => readdirSync(RELEASE).filter((file) => file.endsWith(".zip"));

test("every zip file has its checksum", () => {
  const [sums = ""] = readdirSync(RELEASE).filter((file) => file.endsWith("_SHA256SUMS"));
  const lines = readFileSync(join(RELEASE, sums), "utf8").trim().split("\n");
  expect(lines.length).toBe(zips().length);
  for (const line of lines) {
    const [checksum, file = ""] = line.split("  ");
    const bytes = readFileSync(join(RELEASE, file));
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(checksum);
  }
});

describe("the launcher", () => {
  const program = join(
    MIRROR,
    "registry.terraform.io/erphost/erphost/0.1.0/darwin_arm64/terraform-provider-erphost_v0.1.0",
  );
  const start = (node: string) =>
    spawnSync(program, { encoding: "utf8", env: { PATH: "/usr/bin:/bin", ERPHOST_NODE: node } });

  test("the launcher says in one sentence which Node.js it needs", () => {
    const { stdout, status } = start("/nowhere/node");
    expect(status).toBe(1);
    expect(stdout).toBe(
      "terraform-provider-erphost needs Node.js 22.19 or later, and there is no /nowhere/node on PATH. Install it, or name one in ERPHOST_NODE.\n",
    );
  });

  test("the launcher starts the provider with a Node.js that is new enough", () => {
    const { stderr, status } = start(process.execPath);
    expect(status).toBe(1);
    expect(stderr).toContain("This is a provider plugin for Terraform and OpenTofu");
  });
});
