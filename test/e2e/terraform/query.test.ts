import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { ask } from "../../support/ask";
import { HEADER } from "../../harness/terraform-workspace";
import { plantAnyAccount } from "../support/any-account";
import { describeSince } from "../support/engines";
import { snippet } from "../support/guide";
import { expectDone } from "../support/output";

const KINDS = ["server", "team", "api_key"];

const list = (kind: string): string =>
  `list "erphost_${kind}" "all" {\n  provider = erphost\n  limit = 1000\n}\n`;

describeSince("1.14", ["terraform"], (ground) => {
  test("a query of an account writes a configuration that imports all of it, and then changes nothing", async () => {
    const { emulator } = ground;
    plantAnyAccount(emulator);
    for (const kind of ["server", "team"]) {
      // The last one has no name, so that no program can declare it.
      emulator.removeObject(kind, String(emulator.objects(kind).at(-1)?.["id"]));
    }
    const count = KINDS.reduce((sum, kind) => sum + emulator.objects(kind).length, 0);
    const { id } = emulator.createKey({ name: "rotated", permissions: ["servers:read"] });
    await ask(emulator, `POST /api-keys/${id}/rotate`);
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    emulator.createKey({ name: "expired", permissions: ["read"], expires_at: soon });
    emulator.advance("2h");
    emulator.clearJournal();
    const here = await ground.attach(HEADER);
    here.write("all.tfquery.hcl", KINDS.map(list).join(""));
    expectDone(await here.run("query", "-generate-config-out=found.tf"));
    const found = readFileSync(join(here.folder, "found.tf"), "utf8");
    expect(found).not.toMatch(/correct horse|idempotency_token|status|created_at|false|\[\]/);
    expect(found).toContain(snippet("import", "terraform", "identity = {"));
    const applied = expectDone(await here.apply());
    expect(applied.output).toContain(`${count + 1} imported, 0 added, 0 changed, 0 destroyed`);
    expectDone(await here.plan());
    expect(emulator.journal().every(({ method }) => method === "GET")).toBe(true);
  });
});
