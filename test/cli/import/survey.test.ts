import { describe, expect, test } from "@jest/globals";
import { writers } from "../../../cli/import/write";
import { pulumiTypescriptWriter } from "../../../cli/import/write/pulumi/typescript";
import { surveyOf } from "../../../cli/import/write/terraform/survey";
import { importing } from "./support";

const survey = (text: string, file = "main.tf") => {
  const { declared, imports } = surveyOf(new Map([[file, text]]));
  const servers = declared.flatMap(([kind, name]) => (kind === "server" ? [name] : []));
  return { servers, imports };
};
const importOf = (to: string, id: string): string => `import {\n  to = ${to}\n  id = ${id}\n}\n`;
const seen = (id: string, place?: object) => ({ kind: "server", id, place });

describe("what a Terraform program imports already", () => {
  const A = importOf("erphost_server.a", '"srv_2"');
  const seenA = [seen("srv_2", { name: "a" })];
  const prod = [seen("srv_2", { name: "prod" })];
  const keyed = seen("srv_2", { name: "prod", key: "a } ${b}" });
  const at = (key: string) => ({ name: "all", key });
  const forEach = 'for_each = {\n    "a" = "srv_1" # one\n    "b" = "srv_2"\n  }';

  test.each<readonly [string, string, ReturnType<typeof seen>[]]>([
    ["with comments behind values", importOf("erphost_server.prod # a", '"srv_2" // b'), prod],
    ["with a comment inside", importOf("erphost_server.prod /* the } old */", '"srv_2"'), prod],
    ["at a number", importOf("erphost_server.list[0]", '"srv_2"'), [seen("srv_2")]],
    ["in a module", importOf("module.m.erphost_server.prod", '"srv_2"'), [seen("srv_2")]],
    ["at a key", importOf('erphost_server.prod["a } $${b}"]', '"srv_2"'), [keyed]],
    ["by identity", A.replace(/id = .*/, "identity = { # one\n    $&\n  }"), seenA],
    ["in the wrong order", 'import {\n  id="srv_2"\n  to=erphost_server.a\n}', seenA],
    [
      "with for_each",
      `import {\n  ${forEach}\n  to = erphost_server.all[each.key]\n  id = each.value\n}\n`,
      [seen("a"), seen("srv_1", at("a")), seen("b"), seen("srv_2", at("b"))],
    ],
    ["after a comment that ends nowhere in a text", `x = "/*"\n${A}# */`, seenA],
    ["after a template in a text", `locals {\n  x = "\${f("}", "#")} // \\" {"\n}\n${A}`, seenA],
    ["after lines of text", `locals {\n  x = <<-EOT\n    } " /* {\n  EOT\n}\n${A}`, seenA],
    ["in a comment", `/*\n${A}*/\n# import {}`, []],
    ["in lines of text", `locals {\n  x = <<EOT\n${A}EOT\n}\n`, []],
    ["by an expression", importOf("erphost_server.a", "var.id"), []],
    ["of another provider", importOf("other_server.a", '"srv_2"'), []],
  ])("an import %s is seen as what it is", (_, text, imports) => {
    expect(survey(text).imports).toEqual(imports);
    expect(survey(text.replaceAll("\n", "\r\n")).imports).toEqual(imports);
  });

  test("a resource is seen with or without quotes, and not in a text or a comment", () => {
    const text = [
      'resource "erphost_server" "a" { # }',
      '  name = "resource \\"erphost_server\\" \\"no\\" {"',
      "}",
      "resource erphost_server b {}",
      'resource "erphost_server" /* "no" */ "c"{',
      "}",
      '# resource "erphost_server" "no" {',
      'data "erphost_server" "no" {}',
    ].join("\n");
    expect(survey(text).servers).toEqual(["a", "b", "c"]);
  });

  test("the JSON form is read as well", () => {
    const program = {
      resource: [{ erphost_server: { a: { name: "a" } } }, { erphost_server: [{ b: {} }] }],
      import: [
        { to: "erphost_server.a", id: "srv_1" },
        { to: "erphost_server.c", identity: { id: "srv_3" } },
        { to: "${erphost_server.b[each.key]}", id: "${each.value}", for_each: { x: "srv_2" } },
      ],
    };
    const { servers, imports } = survey(JSON.stringify(program), "main.tf.json");
    expect(servers).toEqual(["a", "b"]);
    expect(imports).toEqual([
      seen("srv_1", { name: "a" }),
      seen("srv_3", { name: "c" }),
      seen("x"),
      seen("srv_2", { name: "b", key: "x" }),
    ]);
    expect(() => survey("{", "main.tf.json")).toThrow(/main\.tf\.json.* is not JSON/);
  });

  test("the name of an object hides nothing of what an earlier run wrote", async () => {
    const { emulator, run, file } = await importing();
    emulator.createObjects("server", [{ name: "a /* b" }, { name: '${x} "}\\' }, { name: "c */" }]);
    expect(await run(["--kind", "server"])).toMatchObject({ code: 0 });
    const { imports } = survey(file("imports.tf"));
    expect(imports.map(({ id }) => id)).toEqual(["srv_1", "srv_2", "srv_3"]);
    expect(survey(file("servers.tf")).servers).toHaveLength(3);
  });
});

describe("what a TypeScript program imports already", () => {
  const idsIn = (text: string): string[] =>
    pulumiTypescriptWriter.survey(new Map([["own.ts", text]])).imports.map(({ id }) => id);
  const server = (id: string): string => `new erphost.Server("a", {}, { import: "${id}" });`;

  const nightly = '{ properties: { import: "nightly" } }';

  test.each<readonly [string, string, string[]]>([
    ["behind a comment in a text", `const a = "/*"; ${server("srv_1")} // */`, ["srv_1"]],
    ["behind an address in a text", `const a = "http://x"; ${server("srv_1")}`, ["srv_1"]],
    ["behind code", `const a = 1; // ${server("srv_1")}`, []],
    ["behind a field of that name", server("srv_1").replace("{}", nightly), ["srv_1"]],
    ["that is none, but a field", `new erphost.Server("a", ${nightly}); f({ import: "x" });`, []],
    ["after a text with a brace", server("srv_1").replace("{}", "{ name: '}{(' }"), ["srv_1"]],
    ["in a comment of several lines", `/*\n${server("srv_1")}\n*/ ${server("srv_2")}`, ["srv_2"]],
  ])("an import %s is seen as what it is", (_, text, ids) => {
    expect(idsIn(text)).toEqual(ids);
  });
});

test.each([
  ["pulumi-typescript", "own.ts", "new erphost.Server('\"a\"', {}, { import: 'srv_1' });"],
  ["pulumi-python", "own.py", "a = erphost.Server('a', opts=Options(import_='srv_1'))"],
  ["cdktf", "own.ts", "new erphost.Server(stack, 'a', {}).resource.importFrom('srv_1');"],
])("an import in single quotes is seen: %s", (format, file, text) => {
  const { imports } = writers[format]?.survey(new Map([[file, text]])) ?? {};
  expect(imports).toMatchObject([{ kind: "server", id: "srv_1" }]);
});
