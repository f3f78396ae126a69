/** A resource that the service might have tomorrow takes one file, and is in every face. */
import { spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import { copyCheckout } from "../../../../scripts/check/tracked";
import { hasEngine, HEADER, TerraformWorkspace } from "../../../harness/terraform-workspace";
import { sharedFolder } from "../../../support/folder";
import { expectDone } from "../../support/output";
import { opened } from "../../support/opened";

const root = join(__dirname, "../../../..");
const copy = sharedFolder();
/** What generating said of one more file. */
let wrote: string;

const domain = `import { z } from "zod";
import { record } from "../definition/common";
import { output, required, resource } from "../definition/define";

export const domain = resource({
  name: "domain",
  plural: "domains",
  path: "/domains",
  doc: "A domain name that leads to a server.",
  idPrefix: "dom",
  operations: { create: "assumed", list: "assumed", update: "assumed", delete: "assumed" },
  scopes: {},
  fields: {
    ...record,
    name: required("assumed", z.string().min(1), "The domain name."),
    server_id: required("assumed", z.string().min(1), "Server that it leads to.", {
      immutable: true,
      references: "server",
    }),
    status: output("assumed", z.string(), "State."),
  },
  states: { source: "assumed", initial: "pending", ready: ["running"], failed: ["failed"], other: [] },
});
`;

const program = `import { ErpHost } from "./provider";
import { startEmulator } from "./emulator";
import { openEngine } from "./provider/engine";
import { Domain, getDomains } from "./provider/pulumi";
import { diffOf } from "../../../engine/support";

(async () => {
  const emulator = await startEmulator();
  const given = { apiKey: emulator.adminKey, baseUrl: emulator.baseUrl };
  const erphost = new ErpHost(given);
  const server = await erphost.servers.create({ name: "a" });
  const made = await erphost.domains.create({ name: "example.com", serverId: server.id });
  const surroundings = { env: {}, cwd: process.cwd(), pid: process.pid, platform: process.platform };
  const engine = openEngine({ given, surroundings, warn: console.error });
  const kind = engine.kind("domain");
  const inputs = { name: "example.org", server_id: server.id };
  const { state } = await engine.create(kind, inputs);
  const moved = await diffOf(engine, kind, state, { ...inputs, server_id: "srv_9" });
  console.log(JSON.stringify({
    client: made.name,
    status: state.values["status"],
    replace: moved.replace,
    emulator: emulator.objects("domain").length,
    pulumi: [typeof Domain, typeof getDomains],
  }));
  await engine.close();
  await erphost.close();
  await emulator.close();
})();
`;

/** The provider as a debugger has it, and the service that it talks to. */
const served = `import { startEmulator } from "./emulator";

startEmulator({ provisionMs: 0 }).then(({ adminKey, baseUrl }) => {
  Object.assign(process.env, { ERPHOST_API_KEY: adminKey, ERPHOST_BASE_URL: baseUrl });
  process.argv.push("--debug");
  require("./provider/terraform/main");
});
`;

const configuration = (name: string): string => `${HEADER}
resource "erphost_server" "web" {
  name = "web"
}
resource "erphost_domain" "web" {
  name      = "${name}"
  server_id = erphost_server.web.id
}
data "erphost_domains" "all" {
  depends_on = [erphost_domain.web]
}
output "domains" {
  value = data.erphost_domains.all.domains[*].name
}
`;

const node = (...args: string[]): string => {
  const options = { cwd: copy, encoding: "utf8", timeout: 150_000 } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
  if (status !== 0) throw new Error(stdout + stderr);
  return stdout;
};
const typescript = (file: string): string => node("-r", "ts-node/register", file);

beforeAll(() => {
  copyCheckout(root, copy);
  writeFileSync(join(copy, "provider/contract/resources/domain.ts"), domain);
  wrote = typescript("scripts/generate.ts");
});

test("a new resource is in every face after one file and a generate run", () => {
  const pages = ["contract.md", "openapi.json", "index.md", "lookups.md", "domain.md"];
  const sources = ["provider/contract/all.gen.ts", "provider/pulumi/resources.gen.ts"];
  for (const path of [...sources, ...pages.map((name) => `docs/reference/${name}`)]) {
    expect(wrote).toContain(`wrote ${path}`);
  }
  expect(readFileSync(join(copy, "docs/reference/contract.md"), "utf8")).toContain("/domains");
  expect(readFileSync(join(copy, "docs/reference/domain.md"), "utf8")).toContain("serverId");
  writeFileSync(join(copy, "try.ts"), program);
  const made = { client: "example.com", status: "running", replace: true, emulator: 2 };
  const pulumi = ["function", "function"];
  expect(JSON.parse(typescript("try.ts"))).toEqual({ ...made, pulumi });
});

test("a second generate run after a new resource changes nothing, and the types hold", () => {
  expect(typescript("scripts/generate.ts")).toBe("");
  const compiler = require.resolve("typescript/bin/tsc");
  const build = ["-p", "tsconfig.build.json", "--noEmit"];
  expect(node(compiler, ...build, "--incremental", "false", "--declaration", "false")).toBe("");
});

const engine = (["terraform", "tofu"] as const).find(hasEngine);
(engine ? test : test.skip)(
  "Terraform creates, edits, reads and destroys a new resource",
  async () => {
    if (!engine) return;
    writeFileSync(join(copy, "served.ts"), served);
    const provider = spawn(process.execPath, ["-r", "ts-node/register", "served.ts"], {
      cwd: copy,
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, ERPHOST_INTENTS_DIR: join(copy, "intents") },
    });
    try {
      const attach = await new Promise<string>((resolve, reject) => {
        let text = "";
        provider.stdout.on("data", (chunk: Buffer) => {
          text += chunk.toString();
          const [, value] = /^TF_REATTACH_PROVIDERS='(.*)'$/m.exec(text) ?? [];
          if (value !== undefined) resolve(value);
        });
        provider.on("exit", () => reject(new Error(`the provider has ended:\n${text}`)));
      });
      const env = { TF_REATTACH_PROVIDERS: attach };
      const created = TerraformWorkspace.create({ engine, env }, configuration("one.org"));
      const workspace = opened(await created);
      expect((await workspace.apply()).output).toContain('"one.org"');
      expectDone(await workspace.plan());
      workspace.write("main.tf", configuration("two.org"));
      const edited = await workspace.apply();
      expect(edited.output).toContain("1 changed, 0 destroyed");
      expect(edited.output).toContain('"two.org"');
      expect((await workspace.destroy()).output).toContain("2 destroyed");
    } finally {
      provider.removeAllListeners("exit");
      provider.kill("SIGKILL");
    }
  },
);
