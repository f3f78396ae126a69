/** What a person does who has Pulumi and nothing of this checkout: install, preview, up. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { version } from "../../../package.json";
import { pluginDownloadURL } from "../../../schema.json";
import type { Emulator } from "../../../emulator";
import { tarball } from "../../../scripts/release/archive";
import { bundle, PULUMI_ENTRY } from "../../../scripts/release/bundle";
import { pulumiFiles } from "../../../scripts/release/launcher";
import { PulumiStack } from "../../harness/pulumi-stack";
import { certificateForLoopback } from "../../harness/certificate";
import { startReleaseServer, type ReleaseServer } from "../../scripts/support/release-server";
import { opened, openedEmulator } from "../support/opened";
import { expectDone } from "../support/output";
import { newProject, useTemplate, writeProgram } from "../support/pulumi-template";
import { hasGenerator, packedNodeSdk } from "../support/pulumi-sdks";

const systems: Readonly<Record<string, string>> = { win32: "windows", x64: "amd64" };
const named = (name: string): string => systems[name] ?? name;
const ARCHIVE = `pulumi-resource-erphost-v${version}-${named(process.platform)}-${named(process.arch)}.tar.gz`;

const YAML = (options: string): string => `name: every-kind
runtime: yaml
resources:
  shop:
    type: erphost:Server
    properties: { name: shop }
    options: { ${options} }
`;

describe("with an empty home", () => {
  const certificate = certificateForLoopback();
  let server: ReleaseServer;
  let emulator: Emulator;
  let stack: PulumiStack;
  beforeAll(async () => {
    server = opened(await startReleaseServer(certificate));
    server.files.set(`/v${version}/${ARCHIVE}`, tarball(pulumiFiles(await bundle(PULUMI_ENTRY))));
    emulator = await openedEmulator({ provisionMs: 50 });
  });
  afterEach(() => void server.asked.splice(0));

  const open = async (env: Record<string, string> = {}): Promise<void> => {
    const own = { ERPHOST_BASE_URL: emulator.baseUrl, ERPHOST_API_KEY: emulator.adminKey };
    const program = join(__dirname, "../pulumi-plugin/programs");
    stack = opened(await PulumiStack.create({ program, env: { ...own, ...env } }));
    stack.write("../authority.pem", certificate.cert);
    stack.env["SSL_CERT_FILE"] = join(stack.folder, "authority.pem");
  };

  test("a program in YAML that names pluginDownloadURL needs no installation", async () => {
    await open();
    const place = `pluginDownloadURL: "${server.address}/v${version}"`;
    stack.write("Pulumi.yaml", YAML(`version: ${version}, ${place}`));
    expect(expectDone(await stack.preview()).output).toMatch(/2 to create/);
    expect(server.asked).toEqual([`GET /v${version}/${ARCHIVE}`]);
  });

  (hasGenerator ? test : test.skip)(
    "the packed SDK runs in a new project of Pulumi's templates of 2025 and of 2026, and brings the plugin",
    async () => {
      // The release is on this machine instead of GitHub.
      const place = `^${pluginDownloadURL}$=${server.address}/v${version}`;
      await open({ PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES: place });
      delete stack.env["PULUMI_NODEJS_TRANSPILE_ONLY"];
      stack.write("Pulumi.yaml", "name: every-kind\nruntime: nodejs\n");
      newProject(stack, await packedNodeSdk());
      writeProgram(stack);
      for (const year of ["2025", "2026"] as const) {
        useTemplate(stack, year);
        expect(expectDone(await stack.preview()).output).toMatch(/4 to create/);
      }
      expect(server.asked).toEqual([`GET /v${version}/${ARCHIVE}`]);

      expectDone(await stack.up());
      expect((await stack.outputs())["made"]).toMatch(/^20\S+Z running operations-/);
      expectDone(await stack.preview("--expect-no-changes"));
      // A wrong program is refused by the compiler, by the SDK's own types.
      const text = readFileSync(join(stack.program, "index.ts"), "utf8");
      stack.write("index.ts", text.replace("serverId:", "serverID:"));
      const { code, output } = await stack.preview();
      expect(output).toContain("serverID");
      expect(code).not.toBe(0);
      expectDone(await stack.run("destroy", "--yes", "--skip-preview"));
    },
  );
});
