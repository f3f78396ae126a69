import { describe, expect, test } from "@jest/globals";
import { importing } from "./support";

const OF = ["--kind", "server", "--kind", "instance", "--kind", "backup"];

describe("erphost import --to cdktf", () => {
  test("an account becomes constructs in a file per kind, which refer to each other", async () => {
    const { service, run, file, names } = await importing({}, "cdktf");
    const { emulator } = service;
    emulator.createObjects("server", [{ name: "ERP Zürich" }, { name: "${a} $${b}" }]);
    emulator.createObjects("instance", { name: "erp", server_id: "srv_1", version: "17.0" });
    emulator.createObjects("backup", { server_id: "srv_1", created_at: "2026-01-31T00:00:00Z" });
    expect(await run(OF)).toMatchObject({ code: 0 });
    expect(names()).toEqual(
      [
        "account.ts",
        "backups.ts",
        "cdktf.json",
        "erphost-import.json",
        "instances.ts",
        "main.ts",
        "package.json",
        "servers.ts",
        "stack.ts",
        "tsconfig.json",
      ].sort(),
    );
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
    const { service, run, file } = await importing({}, "cdktf");
    const { emulator } = service;
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
    const { service, run, file } = await importing({}, "cdktf");
    service.emulator.createObjects("server", { name: "main" });
    service.emulator.createObjects("instance", { name: "erp", server_id: "srv_1" });
    expect(await run(["--kind", "instance"])).toMatchObject({ code: 0 });
    expect(file("instances.ts")).toContain(
      '  server: erphost.Server.fromServerId(stack, "erp-instance-server", "srv_1"),\n',
    );
  });
});
