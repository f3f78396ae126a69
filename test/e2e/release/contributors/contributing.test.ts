/** What CONTRIBUTING.md tells the next owner, done word for word in a copy of the checkout. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "@jest/globals";
import manifest from "../../../../package.json";
import { copyCheckout } from "../../../../scripts/check/tracked";
import { notes } from "../../../../scripts/publish/notes.cjs";
import { plan } from "../../../../scripts/publish/plan.cjs";
import { sharedFolder } from "../../../support/folder";

const root = join(__dirname, "../../../..");
const page = readFileSync(join(root, "CONTRIBUTING.md"), "utf8");
const { version } = manifest;
const next = version.replace(/^(\d+)\.(\d+)\..*$/, (_, major, minor) => `${major}.${+minor + 1}.0`);
const copy = sharedFolder();
/** What the command says that makes the next version. */
let said: string;
/** What a program prints that uses all three. */
let printed: unknown;

/** The page's own snippets, each with the file that it goes to, below a text in it. */
const steps = [
  ...page.matchAll(/<!-- change (\S+) after "([^"]+)" -->\s+```ts\n([\s\S]*?)```/g),
].map(([, file = "", anchor = "", snippet = ""]) => ({ file, anchor, snippet }));

const read = (file: string): string => readFileSync(join(copy, file), "utf8");

function typescript(...args: string[]): string {
  const env = { ...process.env, ERPHOST_REGION: "us-2" };
  const options = { cwd: copy, encoding: "utf8", env } as const;
  const result = spawnSync(process.execPath, ["-r", "ts-node/register", ...args], options);
  if (result.status !== 0) throw new Error(result.stdout + result.stderr);
  return result.stdout;
}

const makeVersion = (): string => typescript("scripts/publish/version.ts");

/** One change for users, and no other. */
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
  writeChangeset();
  said = makeVersion();
  writeFileSync(join(copy, "try.ts"), PROGRAM);
  printed = JSON.parse(typescript("try.ts"));
}, 120_000);

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
  for (const file of ["package.json", "schema.json", "docs/guides/install.md", action]) {
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

const PROGRAM = `import { ErpHost } from "./provider";
import { startEmulator } from "./emulator";
import { message, plainVoice, sentence } from "./provider/messages";

(async () => {
  const emulator = await startEmulator();
  const erphost = new ErpHost({ apiKey: emulator.adminKey, baseUrl: emulator.baseUrl });
  const server = await erphost.servers.create({ name: "a" });
  const input = { name: "a", serverId: server.id, region: "eu-1" };
  const { region } = await erphost.instances.create(input);
  const path = ["region"];
  const said = sentence(plainVoice, message("too_far_away", { region: "eu-1" }, { path }));
  console.log(JSON.stringify({ region, sentence: said }));
  await erphost.close();
  await emulator.close();
})();
`;
