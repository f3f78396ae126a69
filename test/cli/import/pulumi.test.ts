import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { writeFiles } from "../../../scripts/bootstrap/files.cjs";
import { plantAnyAccount } from "../../e2e/support/any-account";
import { importing, NOTHING, running, SERVERS, type Importing } from "./support";

async function planted(format: string): Promise<Importing> {
  const here = await importing({}, format);
  const { emulator } = here;
  emulator.createObjects("server", { name: "ERP Zürich", region: "eu", db_password: "hunter2" });
  emulator.createObjects("instance", { name: "erp", server_id: "srv_1", version: "17.0" });
  emulator.createObjects("backup", { instance_id: "ins_1" });
  const members = [{ email: "ada@example.com", role: "admin" }];
  emulator.createObjects("team", { name: "class", members });
  return here;
}

const BOTH = [...SERVERS, "--kind", "instance"];
const OF = [...BOTH, "--kind", "team", "--property", "region"];

describe("erphost import --to pulumi-typescript", () => {
  test("an account becomes a file per kind on the plugin's SDK, with references in place of ids", async () => {
    const { run, file, names } = await planted("pulumi-typescript");
    expect(await run(OF)).toMatchObject({ code: 0 });
    const own = ["index.ts", "instances.ts", "servers.ts", "teams.ts"];
    const project = ["Pulumi.yaml", "package.json", "tsconfig.json"];
    expect(names()).toEqual([...project, ...own, "erphost-import.json", "import.json"].sort());
    const index = 'import "./servers";\nimport "./instances";\nimport "./teams";\n';
    expect(file("index.ts")).toBe(index);
    expect(file("servers.ts")).toBe(
      `import * as erphost from "@erphost/pulumi-native";

export const erpZurich = new erphost.Server(
  "erp-zurich",
  {
    name: "ERP Zürich",
    properties: {
      region: "eu",
    },
  },
  { import: "srv_1" },
  // "db_password" may be a secret, so it is not written: give it in secretProperties to manage it.
);
`,
    );
    expect(file("instances.ts")).toContain('import * as servers from "./servers";');
    expect(file("instances.ts")).toContain("    serverId: servers.erpZurich.id,\n");
    // A word that the language keeps for itself.
    expect(file("teams.ts")).toContain('export const class_ = new erphost.Team(\n  "class",');
    expect(JSON.parse(file("import.json"))).toEqual({
      resources: [
        { type: "erphost:index:Server", name: "erp-zurich", id: "srv_1" },
        { type: "erphost:index:Instance", name: "erp", id: "ins_1" },
        { type: "erphost:index:Team", name: "class", id: "team_1" },
      ],
    });
  });

  test("a second run adds what is new, refers to what is there, and changes nothing in it", async () => {
    const { emulator, out, run, file } = await planted("pulumi-typescript");
    expect(await run(SERVERS)).toMatchObject({ code: 0 });
    const first = file("servers.ts");
    const own =
      'import * as erphost from "@erphost/pulumi-native";\n\nnew erphost.Server("main", { name: "by hand" }, { import: "srv_2" });\nexport const web = 1;\n';
    writeFileSync(join(out, "own.ts"), own);
    emulator.createObjects("server", [{ name: "by hand" }, { name: "Main" }, { name: "web" }]);
    expect(await run(BOTH)).toMatchObject({ code: 0 });
    expect(file("own.ts")).toBe(own);
    expect(file("servers.ts").startsWith(first)).toBe(true);
    const added = file("servers.ts").slice(first.length);
    const names = added.matchAll(/new erphost\.Server\(\n {2}"([^"]+)"/g);
    expect([...names].map(([, name]) => name)).toEqual(["main-2", "web-2"]);
    expect(file("index.ts")).toBe('import "./servers";\nimport "./instances";\n');
    expect(file("instances.ts")).toContain("serverId: servers.erpZurich.id");
    expect(await run(BOTH)).toMatchObject(NOTHING);
  });

  test("a program reads back as what the account holds, whatever its names", async () => {
    const imported = await importing({}, "pulumi-typescript");
    const count = plantAnyAccount(imported.emulator);
    expect(await imported.run(["--property", "note"])).toMatchObject({ code: 0 });
    const made = evaluated(imported);
    expect(made).toHaveLength(count);
    const objects = ["server", "team"].flatMap((kind) => imported.emulator.objects(kind));
    const shown = new Map(objects.map((each) => [each["id"], each]));
    for (const { title, inputs, id } of made) {
      if (title !== "Server" && title !== "Team") continue;
      const { note } = (inputs["properties"] ?? {}) as { note?: unknown };
      expect(inputs["name"]).toBe(shown.get(id)?.["name"]);
      expect(note).toBe(title === "Server" ? shown.get(id)?.["note"] : undefined);
    }
    expect(new Set(made.map(({ title, name }) => `${title} ${name}`)).size).toBe(count);
  });
});

describe("the file of `pulumi import`", () => {
  const name = "import.json";
  const entry = { type: "aws:s3/bucket:Bucket", name: "b", id: "b" };

  /** What `run` makes of this file, in an account with one server. */
  async function imported(own: string): Promise<Importing> {
    const here = await importing({}, "pulumi-typescript");
    here.emulator.createObjects("server", { name: "a" });
    writeFiles(here.out, { [name]: own });
    expect(await here.run(SERVERS)).toMatchObject({ code: 0 });
    return here;
  }

  const OWN = ['{"vendor":"mine"}\n', '{"resources": ["a"]}', "[]", "not JSON"];
  test.each(OWN)("%j is somebody's own file of that name, and stays as it is", async (own) => {
    const { file } = await imported(own);
    expect(file(name)).toBe(own);
    expect(file("servers.ts")).toContain('import: "srv_1"');
  });

  test("resources that are in it stay, before those that are new", async () => {
    const { file } = await imported(JSON.stringify({ nameTable: {}, resources: [entry] }));
    const added = { type: "erphost:index:Server", name: "a", id: "srv_1" };
    expect(JSON.parse(file(name))).toEqual({ nameTable: {}, resources: [entry, added] });
  });
});

interface Made {
  readonly title: string;
  readonly name: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly id: string;
}

/** Runs the program with an SDK that only notes what is declared. */
function evaluated(imported: Importing): Made[] {
  const made: Made[] = [];
  const resource = (title: string) =>
    class {
      readonly id: string;
      constructor(name: string, inputs: Made["inputs"], options: { readonly import: string }) {
        this.id = options.import;
        made.push({ title, name, inputs, id: this.id });
      }
    };
  const sdk = new Proxy({}, { get: (_, title) => resource(String(title)) });
  expect(imported.names()).toContain("index.ts");
  running(imported, { "@erphost/pulumi-native": sdk })("./index");
  return made;
}

describe("erphost import --to pulumi-yaml", () => {
  test("an account becomes one file, in which texts are never expressions", async () => {
    const { emulator, run, file } = await planted("pulumi-yaml");
    emulator.createObjects("server", [{ name: "${a} $${b} $c $$" }, { name: "\u2028🙂\u0085" }]);
    expect(await run(OF)).toMatchObject({ code: 0 });
    const text = file("Pulumi.yaml");
    expect(text).toContain(`name: "program"
runtime: yaml
resources:
  erp-zurich-server:
    type: erphost:Server
    properties:
      name: "ERP Zürich"
      properties:
        region: "eu"
    # "db_password" may be a secret, so it is not written: give it in secretProperties to manage it.
    options:
      import: "srv_1"
`);
    expect(text).toContain('name: "$${a} $$$${b} $c $$$"');
    expect(text).toContain('name: "\\u2028🙂\\u0085"');
    expect(text).toContain("serverId: ${erp-zurich-server.id}");
    expect(text).toContain('        - email: "ada@example.com"\n          role: "admin"\n');
  });

  test("a second run adds to the resources of the file, as they are indented, and keeps its other parts", async () => {
    const { emulator, out, run, file } = await planted("pulumi-yaml");
    expect(await run(SERVERS)).toMatchObject({ code: 0 });
    const own = `# ours
name: ours
runtime: yaml
resources: # all of them
    web:
        type: erphost:Server
        properties: { name: web }
    erp-zurich-server:
        type: erphost:Server
        options:
            import: "srv_1"

outputs:
    id: \${web.id}
`;
    writeFileSync(join(out, "Pulumi.yaml"), own);
    emulator.createObjects("server", { name: "web" });
    expect(await run(BOTH)).toMatchObject({ code: 0 });
    expect(file("Pulumi.yaml")).toBe(
      own.replace(
        '            import: "srv_1"\n',
        `            import: "srv_1"
    web-2-server:
      type: erphost:Server
      properties:
        name: "web"
      options:
        import: "srv_2"
    erp-instance:
      type: erphost:Instance
      properties:
        name: "erp"
        serverId: \${erp-zurich-server.id}
        version: "17.0"
      options:
        import: "ins_1"
`,
      ),
    );
  });

  test("a free field that the language would run as a function is left out, with a comment", async () => {
    const { emulator, run, file } = await importing({}, "pulumi-yaml");
    emulator.createObjects("server", { name: "a", made: { "fn::join": ["", ["b"]] }, tier: 1 });
    expect(await run(["--kind", "server", "--property", "*"])).toMatchObject({ code: 0 });
    expect(file("Pulumi.yaml")).toContain("        tier: 1\n");
    expect(file("Pulumi.yaml")).not.toContain("fn::");
    expect(file("Pulumi.yaml")).toContain('# "made" is not written');
  });
});

describe("erphost import --to pulumi-python", () => {
  test("an account becomes a module per kind, with references in place of ids", async () => {
    const { emulator, run, file } = await planted("pulumi-python");
    expect(await run(OF)).toMatchObject({ code: 0 });
    expect(file("__main__.py")).toBe("import servers\nimport instances\nimport teams\n");
    expect(file("instances.py")).toBe(
      `import pulumi
import pulumi_erphost as erphost
import servers

erp = erphost.Instance(
    "erp",
    name="erp",
    server_id=servers.erp_zurich.id,
    version="17.0",
    opts=pulumi.ResourceOptions(import_="ins_1"),
)
`,
    );
    expect(file("teams.py")).toContain('class_ = erphost.Team(\n    "class",\n');
    const first = file("servers.py");
    emulator.createObjects("server", { name: "servers" });
    expect(await run(SERVERS)).toMatchObject({ code: 0 });
    expect(file("servers.py")).toBe(
      `${first}
servers_ = erphost.Server(
    "servers",
    name="servers",
    opts=pulumi.ResourceOptions(import_="srv_2"),
)
`,
    );
  });
});
