/**
 * What CONTRIBUTING.md tells the next owner, done word for word in a copy of the checkout: a field, a
 * message, a setting, and a resource that the service might have tomorrow, which takes one file.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import manifest from "../../../package.json";
import { copyCheckout } from "../../../scripts/check/tracked";
import { notes } from "../../../scripts/publish/notes.cjs";
import { plan } from "../../../scripts/publish/plan.cjs";
import { hasEngine, HEADER, TerraformWorkspace } from "../../harness/terraform-workspace";
import { sharedFolder } from "../../support/folder";
import { startDebugged } from "../support/debugged";
import { opened } from "../support/opened";
import { expectDone } from "../support/output";

const root = join(__dirname, "../../..");
const page = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
const { version } = manifest;
const next = version.replace(/^(\d+)\.(\d+)\..*$/, (_, major, minor) => `${major}.${+minor + 1}.0`);
const copy = sharedFolder();
/** What the command says that makes the next version. */
let said: string;
/** What a program prints that uses all of it. */
let printed: unknown;

/** The page's own snippets, each with the file that it goes to, below a text in it. */
const steps = [
  ...page.matchAll(/<!-- change (\S+) after "([^"]+)" -->\s+```ts\n([\s\S]*?)```/g),
].map(([, file = "", anchor = "", snippet = ""]) => ({ file, anchor, snippet }));

const read = (file: string): string => readFileSync(join(copy, file), "utf8");

const node = (...args: string[]): string => {
  const env = { ...process.env, ERPHOST_REGION: "us-2" };
  const options = { cwd: copy, encoding: "utf8", env, timeout: 150_000 } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
  if (status !== 0) throw new Error(stdout + stderr);
  return stdout;
};
const typescript = (...args: string[]): string => node("-r", "ts-node/register", ...args);

const makeVersion = (): string => typescript("scripts/publish/version.ts");

function writeChangeset(): void {
  const folder = join(copy, ".changeset");
  for (const name of readdirSync(folder)) {
    if (name.endsWith(".md") && name !== "README.md") rmSync(join(folder, name));
  }
  const text = '---\n"erphost": minor\n---\n\nServers can be renamed.\n';
  writeFileSync(join(folder, "renamed.md"), text);
}

beforeAll(() => {
  copyCheckout(root, copy);
  // What comes next depends on its tags.
  execFileSync("git", ["init", "--quiet"], { cwd: copy });
  for (const { file, anchor, snippet } of steps) {
    const text = read(file);
    const at = text.indexOf(anchor);
    if (at < 0) throw new Error(`${file} does not hold ${anchor}, which CONTRIBUTING.md names`);
    const end = at + anchor.length;
    writeFileSync(join(copy, file), `${text.slice(0, end)}\n${snippet}${text.slice(end)}`);
  }
  writeFileSync(join(copy, "provider/contract/resources/domain.ts"), domain);
  writeChangeset();
  said = makeVersion();
  writeFileSync(join(copy, "try.ts"), PROGRAM);
  printed = JSON.parse(typescript("try.ts"));
}, 180_000);

test("the page shows one place each for a field, a message and a setting", () => {
  expect(steps.map(({ file }) => file)).toEqual([
    "provider/contract/resources/instance.ts",
    "provider/messages/catalogue/input.ts",
    "provider/settings/table.ts",
  ]);
});

test("a new field reaches every face, the documents and the emulator by its one line", () => {
  expect(read("schema.json")).toContain("Region of the instance.");
  expect(read("provider/pulumi/resources.gen.ts")).toContain("region?: ");
  expect(read("docs/resources/instance.md")).toContain("`region`");
  expect(read("cdktf-bindings/generated/instance/index.ts")).toContain("readonly region?: string");
  expect(printed).toMatchObject({ region: "eu-1" });
});

test("a new message is listed and said in a face's names by its one entry", () => {
  expect(read("docs/reference/messages.md")).toContain("`too_far_away`");
  const sentence =
    "region is eu-1, which is out of reach. Set region to a region near the instances.";
  expect(printed).toMatchObject({ sentence });
});

test("a new setting is in every face, the command line and the page of settings by its one entry", () => {
  expect(read("docs/reference/settings.md")).toContain("`ERPHOST_REGION`");
  expect(read("schema.json")).toContain("ERPHOST_REGION");
  expect(read("docs/index.md")).toContain("`region`");
  expect(read("cdktf-bindings/generated/provider/index.ts")).toContain("readonly region?: string");
  expect(typescript("cli/main.ts", "--help")).toContain("ERPHOST_REGION");
});

test("the next version is said everywhere, with its part of the changelog, by one command", () => {
  expect(said).toContain(`${version} became ${next}, from 1 changesets.`);
  const action = ".github/actions/pipeline/action.yml";
  const [example, python] = ["pulumi-sdk/package.json", "pulumi-python/requirements.txt"];
  const files = ["package.json", "schema.json", "docs/guides/install.md", action];
  for (const file of [...files, `examples/${example}`, `examples/${python}`]) {
    const text = read(file);
    expect({ file, isNext: text.includes(next) }).toEqual({ file, isNext: true });
    expect(text).not.toContain(`"version": "${version}"`);
  }
  const lock = JSON.parse(read("package-lock.json")) as {
    version: string;
    packages: Record<string, { version: string }>;
  };
  expect([lock.version, lock.packages[""]?.version]).toEqual([next, next]);
  expect(notes(read("CHANGELOG.md"), next)).toBe("### Minor Changes\n\n- Servers can be renamed.");
  expect(plan(copy)).toMatchObject({ version: next, next: "publish" });
  expect(makeVersion).toThrow("no changeset");
});

test("every file that the page and the architecture name is there", () => {
  const pages = page + readFileSync(join(root, "docs/ARCHITECTURE.md"), "utf8");
  const path = /`((?:provider|test|scripts|docs|cli|demo|emulator|engine|client)\/[\w./-]*)`/g;
  const isThere = (name: string) => ["", "provider"].some((at) => existsSync(join(root, at, name)));
  const named = [...pages.matchAll(path)].map(([, each = ""]) => each);
  expect(named.filter((each) => !isThere(each))).toEqual([]);
});

test("a new resource is in every face after one file and a generate run, and another run changes nothing", () => {
  expect(read("docs/reference/contract.md")).toContain("/domains");
  expect(read("docs/reference/openapi.json")).toContain("/domains");
  expect(read("docs/reference/domain.md")).toContain("serverId");
  for (const page of ["index", "lookups"]) {
    expect(read(`docs/reference/${page}.md`)).toMatch(/domain/i);
  }
  const domains = { client: "example.com", status: "running", replace: true, emulator: 2 };
  expect(printed).toMatchObject({ ...domains, pulumi: ["function", "function"] });
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
    const env = { ERPHOST_INTENTS_DIR: join(copy, "intents"), HOME: copy };
    const words = ["-r", "ts-node/register", "served.ts"];
    const { provider, attached } = await startDebugged({ env, folder: copy }, [
      process.execPath,
      ...words,
    ]);
    opened({ close: () => provider.signal("SIGKILL") });
    const workspace = opened(
      await TerraformWorkspace.create({ engine, env: attached }, configuration("one.org")),
    );
    expect((await workspace.apply()).output).toContain('"one.org"');
    expectDone(await workspace.plan());
    workspace.write("main.tf", configuration("two.org"));
    const edited = await workspace.apply();
    expect(edited.output).toContain("1 changed, 0 destroyed");
    expect(edited.output).toContain('"two.org"');
    expect((await workspace.destroy()).output).toContain("2 destroyed");
  },
);

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

const PROGRAM = `import { ErpHost } from "./provider";
import { startEmulator } from "./emulator";
import { diff, openEngine } from "./provider/engine";
import { message, plainVoice, sentence } from "./provider/messages";
import { Domain, getDomains } from "./provider/pulumi";

(async () => {
  const emulator = await startEmulator();
  const given = { apiKey: emulator.adminKey, baseUrl: emulator.baseUrl };
  const erphost = new ErpHost(given);
  const server = await erphost.servers.create({ name: "a" });
  const input = { name: "a", serverId: server.id, region: "eu-1" };
  const { region } = await erphost.instances.create(input);
  const path = ["region"];
  const said = sentence(plainVoice, message("too_far_away", { region: "eu-1" }, { path }));
  const made = await erphost.domains.create({ name: "example.com", serverId: server.id });
  const surroundings = { env: {}, cwd: process.cwd(), pid: process.pid, platform: process.platform };
  const engine = openEngine({ given, surroundings, warn: console.error });
  const kind = engine.kind("domain");
  const inputs = { name: "example.org", server_id: server.id };
  const { state } = await engine.create(kind, inputs);
  const seen = await engine.observe(kind, { prior: state });
  const moved = diff(seen, state, { ...inputs, server_id: "srv_9" });
  console.log(JSON.stringify({
    region,
    sentence: said,
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
