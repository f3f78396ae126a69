/** Other places on a real engine: a service that has moved, and a twin of the account. */
import { writeFileSync } from "node:fs";
import { beforeAll, expect, test } from "@jest/globals";
import { HEADER, type TerraformWorkspace } from "../../../harness/terraform-workspace";
import { ALONE, describeOn, ONE, withSettings } from "../../support/engines";
import { snippet } from "../../support/guide";
import { expectDone, refusal, unwrapped } from "../../support/output";
import { movedTo, twinOf, writesTo } from "../../support/places";

const configuration = (main = "main", more = ""): string => `${HEADER}
resource "erphost_server" "main" {
  name       = "${main}"
  properties = { tier = 1 }
}
resource "erphost_server" "spare" {
  name = "spare"
}
resource "erphost_instance" "erp" {
  name      = "erp"
  server_id = erphost_server.main.id
}
resource "erphost_backup" "first" {
  instance_id = erphost_instance.erp.id
}
resource "erphost_team" "ops" {
  name = "ops"
}
resource "erphost_api_key" "ci" {
  name        = "ci"
  permissions = ["servers:read"]
}
${more}`;

const COUNT = 6;

describeOn(ONE, (ground) => {
  let here: TerraformWorkspace;

  beforeAll(async () => {
    here = await ground.attach(configuration());
    expectDone(await here.apply());
  });

  test("a program is planned and applied on a twin of its account, which sees reads alone", async () => {
    const { emulator: account, env: own } = ground;
    const [before, ids] = [here.stateText(), await idsOf(here)];
    account.clearJournal();
    await twinOf(account, async (env) => {
      const there = await ground.open(configuration(), env);
      writeFileSync(there.stateFile, before);
      const planned = expectDone(await there.plan());
      expect(unwrapped(planned.output)).toContain(
        `nothing changes in the account at ${account.baseUrl}`,
      );
      const more = 'resource "erphost_server" "new" {\n  name = "new"\n}\n';
      there.write("main.tf", configuration("renamed", more));
      expectDone(await there.apply());
      expect(await idsOf(there)).toEqual({ ...ids, "erphost_server.new": "srv_twin_1" });
      expectDone(await there.plan());
      // The copy is of no use for the account, nor for the twin without the setting.
      for (const changed of [own, {}]) {
        const env = { ...changed, ERPHOST_TWIN_OF: "" };
        const refused = await there.start(["plan", "-input=false"], env).finished;
        expect(refusal(refused)).toContain("was written by a run on a twin of");
      }
      // The guide's override binds the folder, whatever the shell says.
      const [, override = ""] =
        /<< 'EOF'\n([^]*?)^EOF$/m.exec(snippet("rehearse", "sh", "rehearsal_override.tf")) ?? [];
      const bound = override
        .replace("http://127.0.0.1:4010/v1", env["ERPHOST_BASE_URL"] ?? "")
        .replace("https://erp.example.com/v1", account.baseUrl);
      there.write("rehearsal_override.tf", bound);
      expectDone(await there.run("init"));
      const shell = { ...own, ERPHOST_TWIN_OF: "" };
      const unsent = await there.start(["apply", "-auto-approve", "-input=false"], shell).finished;
      expect(refusal(unsent)).toContain(`Check that api_key (ERPHOST_API_KEY) belongs to`);
      const key = { ...shell, ERPHOST_API_KEY: env["ERPHOST_API_KEY"] ?? "" };
      expectDone(await there.start(["plan", "-input=false"], key).finished);
      // The state of the account itself is not to be written, even where nobody made a copy.
      const apply = ["apply", "-auto-approve", "-input=false"];
      const written = await here.start(apply, { ...ALONE, ...env }).finished;
      expect(refusal(written)).toContain("seems to be the account's own");
    });
    expect(here.stateText()).toBe(before);
    expect(writesTo(account)).toEqual([]);
  });

  test("a state moves to another address by one apply, and nothing is written to the service", async () => {
    const { emulator: account } = ground;
    const moved = movedTo(account);
    const write = (base_url: string, more: Record<string, string> = {}, main = "main"): void =>
      here.write("main.tf", withSettings(configuration(main), { base_url, ...more }));
    account.clearJournal();
    write(moved);
    expect(refusal(await here.plan())).toContain(
      `set former_base_url (ERPHOST_FORMER_BASE_URL) to ${account.baseUrl} for one run`,
    );
    const former = { former_base_url: account.baseUrl };
    write(moved, former, "renamed");
    expect(refusal(await here.plan())).toContain("This run only moves states");
    write(moved, former);
    const unrefreshed = await here.plan("-refresh=false");
    expect(refusal(unrefreshed)).toContain("Let this run refresh the state.");
    const planned = unwrapped(expectDone(await here.plan()).output);
    expect(planned).toContain(`moves from ${account.baseUrl} to ${moved}`);
    expect(planned.match(/Warning: State moves to another address: /g)).toHaveLength(COUNT);
    const ids = await idsOf(here);
    expectDone(await here.apply());
    expect(addressesIn(here.stateText())).toEqual(new Set([moved]));
    write(moved);
    expectDone(await here.plan());
    expect(await idsOf(here)).toEqual(ids);
    write(account.baseUrl);
    expect(refusal(await here.plan())).toContain(`belongs to the account at ${moved}`);
    expect(writesTo(account)).toEqual([]);
  });
});

async function idsOf(workspace: TerraformWorkspace): Promise<Readonly<Record<string, unknown>>> {
  const state = await workspace.state();
  return Object.fromEntries(Object.entries(state).map(([address, { id }]) => [address, id]));
}

/** The addresses that the provider's metadata in a state has. */
function addressesIn(state: string): Set<string> {
  const metadata = [...state.matchAll(/"private": "([^"]+)"/g)].map(([, text = ""]) =>
    Buffer.from(text, "base64").toString(),
  );
  const found = metadata.flatMap((text) => [...text.matchAll(/"baseUrl":"([^"]+)"/g)]);
  return new Set(found.map(([, address = ""]) => address));
}
