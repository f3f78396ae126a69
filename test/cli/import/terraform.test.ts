import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { importing, NOTHING, SERVERS } from "./support";

const BOTH = [...SERVERS, "--kind", "instance"];

describe("erphost import --to terraform", () => {
  test("an account becomes a file per kind, with references in place of ids", async () => {
    const { emulator, run, file, names } = await importing();
    emulator.createObjects("server", { name: "ERP Zürich", region: "eu" });
    emulator.createObjects("instance", { name: "erp", server_id: "srv_1", version: "17.0" });
    emulator.createObjects("backup", { instance_id: "ins_1" });
    emulator.createObjects("team", { name: "ops", members: [{ email: "ada@example.com" }] });
    expect(await run()).toMatchObject({ code: 0 });
    const kinds = ["api_keys", "backups", "instances", "servers", "teams"];
    const files = [...kinds, "imports", "versions"].map((name) => `${name}.tf`);
    expect(names()).toEqual([...files, "erphost-import.json"].sort());
    expect(file("servers.tf")).toBe(
      'resource "erphost_server" "erp_zurich" {\n  name = "ERP Zürich"\n}\n',
    );
    expect(file("instances.tf")).toBe(`resource "erphost_instance" "erp" {
  name      = "erp"
  server_id = erphost_server.erp_zurich.id
  version   = "17.0"
}
`);
    expect(file("backups.tf")).toMatch(
      /^resource "erphost_backup" "erp_\d{4}_\d\d_\d\d" \{\n {2}instance_id = erphost_instance\.erp\.id\n\}\n$/,
    );
    expect(file("teams.tf")).toContain('  members = [{ email = "ada@example.com" }]\n');
    expect(file("imports.tf")).toContain(
      'import {\n  to = erphost_server.erp_zurich\n  id = "srv_1"\n}\n',
    );
  });

  test("what is alike is one resource, and objects of one name stay apart", async () => {
    const { emulator, run, file } = await importing();
    emulator.createObjects(
      "server",
      ["web-1", "web-2", "web-4", "web-5", "web-5", "dup", "dup", "dup"].map((name) => ({ name })),
    );
    expect(await run(["--for-each"])).toMatchObject({ code: 0 });
    const servers = file("servers.tf");
    expect(servers).toContain('toset([\n    "web-1",\n    "web-2",\n    "web-4",\n  ])');
    expect(servers.match(/name = "(?:dup|web-5)"/g)).toHaveLength(5);
  });

  test("a second run adds what is new, and leaves what people wrote and earlier runs as it is", async () => {
    const { emulator, out, run, file } = await importing();
    emulator.createObjects("server", [{ name: "main" }, { name: "by hand" }]);
    expect(await run(["--name", "main"])).toMatchObject({ code: 0 });
    const first = file("servers.tf");
    const own = [
      'resource "erphost_server" "main_2" {\n  name = "by hand"\n}\n',
      'import {\n  to = erphost_server.main_2\n  id = "srv_2"\n}\n',
    ].join("\n");
    writeFileSync(join(out, "own.tf"), own);
    emulator.createObjects("server", { name: "main" });
    emulator.createObjects("instance", { name: "erp", server_id: "srv_2" });
    expect(await run(BOTH)).toMatchObject({ code: 0 });
    expect(file("own.tf")).toBe(own);
    expect(file("servers.tf")).toBe(
      `${first}\nresource "erphost_server" "main_3" {\n  name = "main"\n}\n`,
    );
    expect(file("instances.tf")).toContain("server_id = erphost_server.main_2.id");
    expect(file("imports.tf").match(/srv_\d/g)).toEqual(["srv_1", "srv_3"]);
    expect(await run(BOTH)).toMatchObject(NOTHING);
  });
});
