import { describe, expect, test } from "@jest/globals";
import * as cdktf from "cdktf";
import * as bindings from "../../../cdktf-bindings";
import { isRecord } from "../../../provider/contract";
import { plantAnyAccount } from "../../e2e/support/any-account";
import { importing, running, type Importing } from "./support";

const OF = ["--kind", "server", "--kind", "instance", "--kind", "backup"];

describe("erphost import --to cdktf", () => {
  test("an account becomes constructs in a file per kind, which refer to each other", async () => {
    const { emulator, run, file, names } = await importing({}, "cdktf");
    emulator.createObjects("server", [{ name: "ERP Zürich" }, { name: "${a} $${b}" }]);
    emulator.createObjects("instance", { name: "erp", server_id: "srv_1", version: "17.0" });
    emulator.createObjects("backup", { server_id: "srv_1", created_at: "2026-01-31T00:00:00Z" });
    expect(await run(OF)).toMatchObject({ code: 0 });
    const own = ["account.ts", "backups.ts", "instances.ts", "main.ts", "servers.ts", "stack.ts"];
    const project = ["cdktf.json", "package.json", "tsconfig.json"];
    expect(names()).toEqual([...own, ...project, "erphost-import.json"].sort());
    expect(file("servers.ts")).toBe(
      `import * as erphost from "erphost/cdktf";
import { stack } from "./stack";

export const erpZurich = new erphost.Server(stack, "erp-zurich-server", {
  name: "ERP Zürich",
});
erpZurich.resource.importFrom("srv_1");

export const aB = new erphost.Server(stack, "a-b-server", {
  name: "$\${a} \${\\"\\\\u0024\\"}\${\\"\\\\u0024\\"}{b}",
});
aB.resource.importFrom("srv_2");
`,
    );
    expect(file("instances.ts")).toContain("  server: servers.erpZurich,\n");
    expect(file("instances.ts")).toContain("erp.resource.resetBackupBeforeUpgrade();\n");
    expect(file("backups.ts")).toContain(
      'new erphost.Backup(stack, "erp-zurich-2026-01-31-backup", {\n  server: servers.erpZurich,\n});',
    );
  });

  test("a second run adds what is new, also where the calls of importFrom were deleted", async () => {
    const { emulator, run, file } = await importing({}, "cdktf");
    emulator.createObjects("server", { name: "main" });
    expect(await run(OF)).toMatchObject({ code: 0 });
    const first = file("servers.ts");
    emulator.createObjects("server", { name: "main" });
    emulator.createObjects("instance", { name: "erp", server_id: "srv_1" });
    expect(await run(OF)).toMatchObject({ code: 0 });
    expect(file("servers.ts")).toBe(
      `${first}
export const main2 = new erphost.Server(stack, "main-2-server", {
  name: "main",
});
main2.resource.importFrom("srv_2");
`,
    );
    expect(file("instances.ts")).toContain("  server: servers.main,\n");
    expect(file("account.ts")).toBe('import "./servers";\nimport "./instances";\n');
  });

  test("an object that no construct of the program declares is referred to by its id", async () => {
    const { emulator, run, file } = await importing({}, "cdktf");
    emulator.createObjects("server", { name: "main" });
    emulator.createObjects("instance", { name: "erp", server_id: "srv_1" });
    expect(await run(["--kind", "instance"])).toMatchObject({ code: 0 });
    expect(file("instances.ts")).toContain(
      '  server: erphost.Server.fromServerId(stack, "erp-instance-server-ref", "srv_1"),\n',
    );
  });

  test("a program is synthesised whatever the names in it, and reads back as what the account holds", async () => {
    const imported = await importing({}, "cdktf");
    const { emulator } = imported;
    const count = plantAnyAccount(emulator);
    expect(await imported.run(["--property", "*"])).toMatchObject({ code: 0 });
    expect(imported.file("servers.ts")).toContain("export const exports_ = new ");
    expect(imported.file("servers.ts")).toContain("export const require_ = new ");
    const { imports, servers } = synthesised(imported);
    expect(imports).toHaveLength(count);
    const shown = emulator.objects("server").map((each) => each["name"]);
    expect(new Set(servers)).toEqual(new Set(shown.filter((name) => name !== "")));
  });

  test("the construct of a reference has an id that no object of the account can take", async () => {
    const imported = await importing({}, "cdktf");
    const { emulator } = imported;
    emulator.createObjects("server", [{ name: "elsewhere" }, { name: "dangling-instance" }]);
    emulator.createObjects("instance", { name: "dangling", server_id: "srv_1" });
    expect(await imported.run(["--name", "dangling*", ...OF])).toMatchObject({ code: 0 });
    expect(synthesised(imported).imports).toHaveLength(2);
  });
});

/** Runs the program with the library's own constructs; names of servers are as Terraform reads them. */
function synthesised(imported: Importing) {
  const load = running(imported, { cdktf, "erphost/cdktf": bindings });
  load("./account");
  const { stack } = load("./stack") as { readonly stack: cdktf.TerraformStack };
  const made = JSON.parse(cdktf.Testing.synth(stack)) as {
    readonly import: readonly unknown[];
    readonly resource: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
  const servers = Object.values(made.resource["erphost_server"] ?? {}).flatMap((server) =>
    isRecord(server) ? [asRead(String(server["name"]))] : [],
  );
  return { imports: made.import, servers };
}

/** A text as Terraform reads it: doubled signs, and expressions of one character. */
const asRead = (text: string): string =>
  text.replace(/\$\{"\\u([\da-f]{4})"\}|([$%])\2\{/g, (_, hex?: string, sign?: string) =>
    hex === undefined ? `${sign ?? ""}{` : String.fromCharCode(Number.parseInt(hex, 16)),
  );
