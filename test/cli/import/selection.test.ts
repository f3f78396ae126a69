import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { writeFiles } from "../../../scripts/bootstrap/files.cjs";
import { findTexts } from "../../e2e/support/output";
import { folder } from "../../support/given";
import { HARMLESS_TEXTS, SECRET_PARTS, SECRET_TEXTS, TEXT_FIELDS } from "../../support/secrets";
import { erphost } from "../support";
import { importing, NOTHING, SERVERS } from "./support";

async function twoServers() {
  const here = await importing();
  const { emulator } = here.service;
  emulator.createObjects("server", [
    { name: "web", status: "running", region: "eu", tier: 1 },
    { name: "db", status: "failed", region: "eu", admin_password: "correct horse" },
  ]);
  emulator.createObjects("instance", { name: "web", server_id: "srv_1", status: "running" });
  return here;
}

describe("what is taken over", () => {
  test("--kind, --name and --status choose objects, and references lead to those alone", async () => {
    const { run, file } = await twoServers();
    const words = [...SERVERS, "--kind", "instance", "--status", "running", "--name"];
    expect(await run([...words, "w?b"])).toMatchObject({ code: 0 });
    expect(file("imports.tf").match(/"\w+_\d"/g)).toEqual(['"srv_1"', '"ins_1"']);
    expect(await run([...words, "d*"])).toMatchObject(NOTHING);
    expect(await run(SERVERS)).toMatchObject({ code: 0 });
    expect(file("imports.tf")).toContain("srv_2");
  });

  test("an object that is left out is named by its id where another one refers to it", async () => {
    const { run, file } = await twoServers();
    expect(await run(["--kind", "instance"])).toMatchObject({ code: 0 });
    expect(file("instances.tf")).toContain('server_id = "srv_1"');
    expect(file("servers.tf")).toBe("");
  });

  test("free fields are written where --property names them, and a secret one never is", async () => {
    const { run, file } = await twoServers();
    const words = ["--property", "reg*", "--property", "admin_password"];
    expect(await run(words)).toMatchObject({ code: 0 });
    expect(file("servers.tf")).toContain('  properties = { region = "eu" }\n');
    expect(file("servers.tf")).not.toMatch(/tier|correct horse/);
    expect(file("servers.tf")).toContain('# "admin_password" may be a secret');
  });

  test("nothing that looks like a secret is written, whatever the name of its field", async () => {
    const { emulator, run, out, file } = await importing();
    emulator.createObjects("server", { name: "main", ...TEXT_FIELDS });
    // The team's list fails: what was read of servers is kept until then.
    emulator.setFaults([{ match: { path: "/teams" }, effect: { type: "status", status: 422 } }]);
    const words = ["--kind", "server", "--kind", "team", "--property", "*"];
    expect(await run(words)).toMatchObject({ code: 1 });
    expect(findTexts([out], SECRET_PARTS)).toEqual([]);
    emulator.setFaults([]);
    expect(await run(words)).toMatchObject({ code: 0 });
    expect(findTexts([out], SECRET_PARTS)).toEqual([]);
    const hidden = file("servers.tf").match(/"note_\d+" may be a secret/g);
    expect(hidden).toHaveLength(SECRET_TEXTS.length);
    expect(file("servers.tf").match(/^ +plain_\d+ +=/gm)).toHaveLength(HARMLESS_TEXTS.length);
  });

  test("all keys of a line of rotations are one object, which is the newest of them", async () => {
    const { service, emulator, run, file } = await importing();
    const key = emulator.createKey({ name: "pipeline", permissions: ["servers:read"] });
    const { engine } = service.engine();
    const { state } = await engine.create(engine.kind("api_key_rotation"), { key_id: key.id });
    const { out } = await run(["--kind", "api_key", "--report"]);
    expect(file("api_keys.tf").match(/"pipeline"/g)).toHaveLength(2);
    expect(file("imports.tf")).toContain(`id = "${key.id}"`);
    expect(out.join("\n")).toContain(
      `\`api_key\` (\`${String(state.values["current_key_id"])}\`): A key and`,
    );
    expect(await run(["--kind", "api_key"])).toMatchObject(NOTHING);
  });
});

/** A program's own server, and what imports it. */
function writeOwn(out: string, name: string, id?: string): void {
  const imported =
    id === undefined ? "" : `import {\n  to = erphost_server.own\n  id = "${id}"\n}\n`;
  const own = `resource "erphost_server" "own" {\n  name = "${name}"\n}\n${imported}`;
  writeFiles(out, { "own.tf": own });
}

test("an import by name stands for the object of that name, and where there are two for neither", async () => {
  const { service, run, file, out } = await twoServers();
  writeOwn(out, "web", "name=web");
  service.emulator.createObjects("server", [{ name: "db" }]);
  await run(SERVERS);
  expect(file("imports.tf").match(/srv_\d/g)).toEqual(["srv_2", "srv_3"]);
  service.emulator.createObjects("server", [{ name: "web" }]);
  const { out: said } = await run([...withState(stateFile), ...SERVERS, "--report"]);
  expect(said).toContain("| Server | 4 | 3 | 0 | 1 |");
  expect(said.join("\n")).toMatch(/`srv_4` \| `web` \| The program imports name=web, which/);
  expect((await run([...SERVERS, "--report"])).out).toContain("| Server | 4 | 2 | 0 | 2 |");
});

const managed = { mode: "managed", type: "erphost_server" };
const stateFile = {
  version: 4,
  resources: [{ ...managed, name: "own", instances: [{ attributes: { id: "srv_1" } }] }],
};
const inModule = { resources: [{ ...managed, values: { id: "srv_1" } }] };
const shown = { format_version: "1.0", values: { root_module: { child_modules: [inModule] } } };
const kept = (type: string) => ({ version: 3, deployment: { resources: [{ type, id: "srv_1" }] } });

function withState(state: unknown): string[] {
  const path = join(folder(), "state.json");
  writeFileSync(path, JSON.stringify(state));
  return ["--state", path];
}

describe("what a state has already", () => {
  test.each<readonly [string, unknown]>([
    ["a state file", stateFile],
    ["what show -json prints", shown],
    ["an export of Pulumi's plugin", kept("erphost:index:Server")],
    ["an export of Pulumi's dynamic resources", kept("pulumi-nodejs:dynamic:Server")],
  ])("%s shows what is left out", async (_, state) => {
    const { run, file } = await twoServers();
    expect(await run([...withState(state), ...SERVERS])).toMatchObject({ code: 0 });
    expect(file("imports.tf").match(/srv_\d/g)).toEqual(["srv_2"]);
  });

  test.each([
    ["referred to where the folder declares it", "web", undefined, "erphost_server.own.id"],
    ["named by its id where another one is said to be in its place", "db", "srv_2", '"srv_1"'],
  ])("an object of a state is %s", async (_, name, id, reference) => {
    const { run, file, out } = await twoServers();
    if (name === "web") await run(["--kind", "server", "--name", "db"]);
    writeOwn(out, name, id);
    expect(await run([...withState(stateFile), "--kind", "instance"])).toMatchObject({ code: 0 });
    expect(file("instances.tf")).toContain(`server_id = ${reference}`);
  });

  test("no state at all leaves out nothing", async () => {
    const { run } = await twoServers();
    const { out } = await run([...withState({ format_version: "1.0" }), ...SERVERS]);
    expect(out[0]).toContain("Wrote 2 objects");
  });
});

describe("bad input", () => {
  const refusals: readonly (readonly [words: readonly string[], said: string])[] = [
    [["--to", "terraform"], "--out is required with --to"],
    [["--out", "x"], "--to is required with --out"],
    [[], "--to is required"],
    [["--to", "chef", "--out", "x"], "--to is chef, which is not known"],
    [["--report", "--kind", "invoice"], "--kind is invoice, which cannot be imported"],
    [["--report", "--for-each"], "--for-each is for --to terraform"],
    [["--report", "--state", "/nowhere"], "--state names /nowhere, which cannot be read"],
    [["--report", "/nowhere/report.md"], "--report is /nowhere/report.md, which cannot be a file"],
    [["--report", "TEXT.link"], "text.link, which cannot be a file"],
    [["--report", "--state", "TEXT"], "which is not a state of Terraform, OpenTofu or Pulumi"],
    [["--to", "terraform", "--out", "TEXT"], "which is not a folder"],
    [["--to", "terraform", "--out", "TEXT.lost"], "text.lost, which is not a folder"],
  ];

  test.each(refusals)("%j is refused before any call: %s", async (words, said) => {
    const { emulator, calls } = await importing();
    const text = join(folder(), "text");
    writeFileSync(text, "{}");
    symlinkSync(text, `${text}.link`);
    symlinkSync(`${text}.none`, `${text}.lost`);
    const result = await erphost(["import", ...words.map((each) => each.replace("TEXT", text))], {
      env: { ERPHOST_API_KEY: emulator.adminKey, ERPHOST_BASE_URL: emulator.baseUrl },
      readFile: (path) => readFileSync(path, "utf8"),
    });
    expect(result).toMatchObject({ code: 2, out: [] });
    expect(result.err.join("\n")).toContain(said);
    expect(calls()).toEqual([]);
  });

  test("a folder of another account, or of another record, is refused before any call", async () => {
    const { run, refused, out, calls } = await twoServers();
    await run(SERVERS);
    calls();
    const record = join(out, "erphost-import.json");
    const written = { version: 1, format: "terraform", objects: {} };
    const other = { baseUrl: "https://other.example/v1", environment: "live" };
    writeFileSync(record, JSON.stringify({ ...written, account: other }));
    expect(await refused(SERVERS)).toContain("is for the live account at https://other.example/v1");
    writeFileSync(record, "{}");
    await refused(SERVERS);
    expect(calls()).toEqual([]);
  });

  test("a folder of the account is refused to a twin of it, and a twin's folder to the account", async () => {
    const { emulator, run, refused, out, file, calls } = await twoServers();
    await run(SERVERS);
    calls();
    const { baseUrl } = emulator;
    const record = join(out, "erphost-import.json");
    const own = file("erphost-import.json");
    const account = { baseUrl, environment: "test", twin: true };
    writeFileSync(record, JSON.stringify({ ...(JSON.parse(own) as object), account }));
    expect(await refused()).toContain("is for a twin of the account, but this run reads the");
    writeFileSync(record, own.replace(baseUrl, "https://erp.example/v1"));
    const onTwin = await refused([], { env: { ERPHOST_TWIN_OF: "https://erp.example/v1" } });
    expect(onTwin).toContain("is for the account itself, but this run reads a twin");
    expect(calls()).toEqual([]);
  });

  test("a folder follows its service to another address where the run says so", async () => {
    const { emulator, run, refused, out, file } = await twoServers();
    await run(SERVERS);
    const { baseUrl } = emulator;
    const former = "https://former.example/v1";
    const record = file("erphost-import.json").replace(baseUrl, former);
    writeFileSync(join(out, "erphost-import.json"), record);
    await refused();
    const env = { ERPHOST_FORMER_BASE_URL: former };
    expect(await run(["--kind", "instance"], { env })).toMatchObject({ code: 0 });
    expect(file("erphost-import.json")).toContain(baseUrl);
    expect(file("instances.tf")).toContain("erphost_server.web.id");
  });
});
