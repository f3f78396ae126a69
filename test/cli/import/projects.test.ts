import { describe, expect, test } from "@jest/globals";
import { parse } from "yaml";
import { writeFiles } from "../../../scripts/bootstrap/files.cjs";
import { plantAnyAccount } from "../../e2e/support/any-account";
import { importing, NOTHING, SERVERS, type Importing } from "./support";

/** A folder in which somebody's files are, and an account with one server. */
async function withFiles(format: string, files: Record<string, string>): Promise<Importing> {
  const here = await importing({}, format);
  writeFiles(here.out, files);
  here.emulator.createObjects("server", { name: "a" });
  return here;
}

const inProject = (text: string) => withFiles("pulumi-yaml", { "Pulumi.yaml": text });

const ADDED = `  a-server:
    type: erphost:Server
    properties:
      name: "a"
    options:
      import: "srv_1"
`;

const HEAD = "name: ours\nruntime: yaml\n";
const BLOCK = `${HEAD}resources:\n`;

describe("resources in a Pulumi.yaml that a person wrote", () => {
  test.each([
    ["{}", `${HEAD}resources: {} # none\noutputs: {}\n`, `resources: # none\n${ADDED}outputs`],
    ["null", `${HEAD}resources: null\n`, `resources:\n${ADDED}`],
    ["nothing", `${HEAD}resources:\noutputs: {}\n`, `resources:\n${ADDED}outputs: {}\n`],
    ["no section", HEAD, `${HEAD}resources:\n${ADDED}`],
    ["a file without a line end", `${BLOCK}  b: { type: random:Id }`, `random:Id }\n${ADDED}`],
    [
      "a comment above the next section",
      `${BLOCK}  b:\n    type: random:Id\n    # of b\n\n# Outputs\noutputs: {}\n`,
      `    # of b\n${ADDED}\n# Outputs\noutputs: {}\n`,
    ],
    [
      "a name in use by another provider's resource",
      `${BLOCK}  a-server: { type: random:Id }\n`,
      `random:Id }\n${ADDED.replace("a-server", "a-2-server")}`,
    ],
  ])("are added to: %s", async (_, before, part) => {
    const { run, file } = await inProject(before);
    expect(await run(SERVERS)).toMatchObject({ code: 0 });
    expect(file("Pulumi.yaml")).toContain(part);
    expect(parse(file("Pulumi.yaml"))).toMatchObject({ name: "ours", runtime: "yaml" });
    expect(await run(SERVERS)).toMatchObject(NOTHING);
  });

  test("are added with the line ends of the file", async () => {
    const before = `${HEAD}resources:\n  b:\n    type: random:RandomId\noutputs: {}\n`;
    const { run, file } = await inProject(before.replaceAll("\n", "\r\n"));
    expect(await run(SERVERS)).toMatchObject({ code: 0 });
    const after = before.replace("outputs", `${ADDED}outputs`);
    expect(file("Pulumi.yaml")).toBe(after.replaceAll("\n", "\r\n"));
  });

  test.each([
    "  b:\n    type: erphost:Server\n    options: { import: srv_1 }\n",
    "  b: {type: 'erphost:index:Server', options: {import: 'srv_1'}}\n",
    "  'b':\n    options:\n      # ours\n      import: srv_1 # the first\n    type: erphost:index/server:Server\n",
  ])("are not declared a second time: %j", async (own) => {
    const { run, file } = await inProject(`${HEAD}resources:\n${own}`);
    expect(await run(SERVERS)).toMatchObject(NOTHING);
    expect(file("Pulumi.yaml")).toBe(`${HEAD}resources:\n${own}`);
  });

  test.each([
    [`${HEAD}resources: {b: {type: random:RandomId}}\n`, "Write them as a block"],
    [`${HEAD}resources: [a]\n`, "Write them as a block"],
    ["{name: ours, runtime: yaml}\n", "Write them as a block"],
    [`${HEAD}resources:\n  b: "\n`, "Mend it"],
    ["- a\n", "Mend it"],
  ])("are refused before any call where none could be added: %j", async (before, remedy) => {
    const { refused, file, calls } = await inProject(before);
    const said = await refused(SERVERS);
    expect(said).toContain("Pulumi.yaml");
    expect(said).toContain(remedy);
    expect(file("Pulumi.yaml")).toBe(before);
    expect(calls()).toEqual([]);
  });

  test("are read back as what the account holds, whatever its names", async () => {
    const { emulator, run, file } = await importing({}, "pulumi-yaml");
    const count = plantAnyAccount(emulator);
    expect(await run(["--property", "*"])).toMatchObject({ code: 0 });
    const { resources } = parse(file("Pulumi.yaml")) as { readonly resources: object };
    expect(Object.keys(resources)).toHaveLength(count);
    expect(await run()).toMatchObject(NOTHING);
  });
});

describe("a Pulumi project of another kind", () => {
  test.each([
    ["pulumi-python", "name: ours\nruntime: nodejs\n", "the runtime nodejs"],
    ["pulumi-typescript", "name: ours\nruntime:\n  name: python\n", "the runtime python"],
    ["pulumi-yaml", "name: ours\nruntime: go\n", "the runtime go"],
    ["pulumi-typescript", "name: ours\nruntime: nodejs\nmain: src/\n", "its program in src/"],
  ])("is refused by --to %s before any call: %j", async (format, text, why) => {
    const { refused, names, calls } = await withFiles(format, { "Pulumi.yaml": text });
    expect(await refused(SERVERS)).toContain(why);
    expect(names()).toEqual(["Pulumi.yaml"]);
    expect(calls()).toEqual([]);
  });
});

const OF = ["--kind", "server", "--kind", "instance"];

describe("a program in a folder with files of somebody's own", () => {
  test.each([
    [
      "pulumi-typescript",
      "servers.ts",
      'import * as erphost from "erphost/pulumi";\n\nexport const a = new erphost.Server("x", {});\n',
      "erphost",
    ],
    ["cdktf", "servers.ts", "export const stack = 1;\n", "stack"],
    ["cdktf", "instances.ts", 'import { servers } from "./machines";\n', "servers"],
    ["pulumi-python", "servers.py", "import other as erphost\n", "erphost"],
    ["pulumi-python", "__main__.py", "servers = 1\n", "servers"],
  ])("is refused where a name is taken: --to %s, %s with %j", async (format, own, text, name) => {
    const { emulator, refused, file } = await withFiles(format, { [own]: text });
    emulator.createObjects("instance", { name: "i", server_id: "srv_1" });
    expect(await refused(OF)).toContain(`has a meaning of its own for ${name}`);
    expect(file(own)).toBe(text);
    expect(file("import.json")).toBe("");
  });

  test.each([
    ["pulumi-typescript", "index.ts", '// import "./servers";\n', 'import "./servers";\n'],
    ["pulumi-python", "__main__.py", "# import servers\n", "import servers\n"],
  ])("is loaded where a comment alone names it: --to %s", async (format, entry, text, line) => {
    const { run, file } = await withFiles(format, { [entry]: text });
    expect(await run(SERVERS)).toMatchObject({ code: 0 });
    expect(file(entry)).toBe(text + line);
  });

  test("is loaded once however its import is written", async () => {
    const before = "import './servers';\nimport {stack} from './stack'\n";
    const { run, file } = await withFiles("cdktf", { "account.ts": before, "servers.ts": before });
    expect(await run(SERVERS)).toMatchObject({ code: 0 });
    expect(file("account.ts")).toBe(before);
    expect(file("servers.ts").match(/\bstack\b.*from/g)).toHaveLength(1);
  });

  test("with constructs, what a main.ts and a package.json lack is said", async () => {
    const main = "new App().synth();\n";
    const packaged = '{"dependencies":{"cdktf":"1"}}';
    const { run, file } = await withFiles("cdktf", { "main.ts": main, "package.json": packaged });
    const { out } = await run(SERVERS);
    expect(out).toContain("  npm install constructs@^10.4.2 erphost@1.2.3");
    expect(out).toContain('  add to main.ts: import "./account";');
    expect(out.join("\n")).toContain('import { app } from "./stack";');
    expect(file("main.ts")).toBe(main);
    const fresh = await withFiles("cdktf", {});
    for (const name of ["b", "c"]) {
      const { out: lines } = await fresh.run(SERVERS);
      expect(lines).toContain("  npm install");
      expect(lines.join("\n")).not.toContain("main.ts:");
      fresh.emulator.createObjects("server", { name });
    }
  });

  test("with constructs, a stack.ts that exports no stack is refused before any call", async () => {
    const { refused, calls } = await withFiles("cdktf", { "stack.ts": "const stack = 1;\n" });
    expect(await refused(SERVERS)).toContain("exports no `stack`");
    expect(calls()).toEqual([]);
  });

  test.each([
    ["pulumi-typescript", "package.json", "{}", "  npm install @erphost/pulumi-native@1.2.3"],
    ["pulumi-python", "requirements.txt", "#pulumi-erphost\n", "  add pulumi-erphost~=1.2.3 to %s"],
  ])("for --to %s, an SDK that %s lacks is named", async (format, name, text, line) => {
    const { run, file } = await withFiles(format, { [name]: text });
    expect((await run(SERVERS)).out).toContain(line.replace("%s", name));
    expect(file(name)).toBe(text);
  });
});
