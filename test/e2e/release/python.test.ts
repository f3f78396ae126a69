/** The documented program in Python: `cdktf get` from the provider's schema, then deploy and destroy. */
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, jest, test } from "@jest/globals";
import manifest from "../../../package.json";
import { pythonEnvironment, pythonOf } from "../../../scripts/release/sdks/python";
import { CdktfCli } from "../../harness/cdktf-cli";
import { buildMirror, onPath } from "../../harness/terraform-workspace";
import { folder as newFolder } from "../../support/folder";
import { openedEmulator } from "../support/opened";

const page = readFileSync(join(__dirname, "../../../docs/cdktf/python.md"), "utf8");
const fenced = (language: string): string =>
  new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, "m").exec(page)?.[1] ?? "";
// What the page asks for, with the oldest constructs that it allows.
const [cdktf = ""] = /(?<=^pip install )\S+/.exec(fenced("sh")) ?? [];
const PACKAGES = [cdktf, "constructs==10.4.2", "jsii==1.142.0"];

jest.setTimeout(300_000);

(onPath("python3") === undefined ? test.skip : test)(
  "the documented program in Python gets its classes from the provider's schema, is deployed from a local mirror, and destroyed",
  async () => {
    const environment = await pythonEnvironment(PACKAGES);
    if (environment === undefined) throw new Error(`pip cannot install ${PACKAGES.join(" ")}`);
    buildMirror();
    const emulator = await openedEmulator();
    const folder = newFolder();
    writeFileSync(join(folder, "cdktf.json"), fenced("json"));
    writeFileSync(join(folder, "main.py"), fenced("python"));
    expect(fenced("json")).toContain(`erphost/erphost@${manifest.version}`);
    const cli = await CdktfCli.open("cdktf", folder, {
      PATH: dirname(pythonOf(environment)),
      ERPHOST_API_KEY: emulator.adminKey,
      ERPHOST_BASE_URL: emulator.baseUrl,
    });
    expect(fenced("sh")).toMatch(/'constructs>=10\.4\.2,<11'\ncdktf get$/m);
    await cli.must(["get"]);
    const deployed = await cli.must(["deploy", "--auto-approve", "--skip-provider-lock"]);
    expect(deployed).toContain("2 added, 0 changed, 0 destroyed");
    expect(emulator.objects("server")).toMatchObject([{ name: "erp-production" }]);
    expect(emulator.objects("instance")).toMatchObject([{ name: "erp", version: "17.0" }]);
    await cli.must(["destroy", "--auto-approve", "--skip-provider-lock", "--skip-synth"]);
    expect(emulator.counts()).toMatchObject({ server: 0, instance: 0 });
  },
);
