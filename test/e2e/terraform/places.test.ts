/**
 * Other places on the real engines: a service that has moved to another address, and a twin of the
 * account on which a program is planned and applied.
 */
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { writeFileSync } from "node:fs";
import { startEmulator, type Emulator } from "../../../emulator";
import {
  buildMirror,
  hasEngine,
  HEADER,
  ONE_ENGINE,
  TerraformWorkspace,
  type EngineName,
} from "../../harness/terraform-workspace";
import { movedTo, twinOf, writesTo } from "../support/places";
import { unwrapped } from "../support/output";

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

describe.each<EngineName>(["tofu", "terraform"])("%s", (engine) => {
  const testWithEngine = hasEngine(engine) ? test : test.skip;
  const testOnOneEngine = engine === ONE_ENGINE ? testWithEngine : undefined;
  let account: Emulator;
  let here: TerraformWorkspace;

  beforeAll(async () => {
    if (!hasEngine(engine)) return;
    buildMirror();
    account = await startEmulator({ provisionMs: 5 });
    here = await TerraformWorkspace.create(
      { engine, env: { ERPHOST_API_KEY: account.adminKey, ERPHOST_BASE_URL: account.baseUrl } },
      configuration(),
    );
    expect(await here.apply()).toMatchObject({ code: 0 });
  }, 300_000);
  afterAll(async () => {
    if (!hasEngine(engine)) return;
    here.remove();
    await account.close();
  });

  /** Another folder with a copy of the state. */
  const copy = async (env: Readonly<Record<string, string>>): Promise<TerraformWorkspace> => {
    const there = await TerraformWorkspace.create({ engine, env }, configuration());
    writeFileSync(there.stateFile, here.stateText());
    return there;
  };

  testOnOneEngine?.(
    `a program is planned and applied by ${engine} on a twin of its account, which sees reads alone`,
    async () => {
      const [before, ids] = [here.stateText(), await idsOf(here)];
      account.clearJournal();
      await twinOf(account, async (env) => {
        const there = await copy(env);
        const planned = await there.plan();
        expect(planned).toMatchObject({ code: 0 });
        expect(unwrapped(planned.output)).toContain(
          `nothing changes in the account at ${account.baseUrl}`,
        );
        there.write(
          "main.tf",
          configuration("renamed", 'resource "erphost_server" "new" {\n  name = "new"\n}\n'),
        );
        expect(await there.apply()).toMatchObject({ code: 0 });
        expect(await idsOf(there)).toEqual({ ...ids, "erphost_server.new": "srv_twin_1" });
        expect(await there.plan()).toMatchObject({ code: 0 });
        // The copy is of no use for the account, nor for the twin without the setting.
        for (const changed of [
          { ERPHOST_BASE_URL: account.baseUrl, ERPHOST_API_KEY: account.adminKey },
          {},
        ]) {
          const { output, code } = await there.start(["plan", "-input=false"], {
            ...changed,
            ERPHOST_TWIN_OF: "",
          }).finished;
          expect(code).toBe(1);
          expect(unwrapped(output)).toContain("was written by a run on a twin of");
        }
        // The state of the account itself is not to be written, even where nobody made a copy.
        const own = await here.start(["apply", "-auto-approve", "-input=false"], env).finished;
        expect(own.code).toBe(1);
        expect(unwrapped(own.output)).toContain("seems to be the account's own");
        there.remove();
      });
      expect(here.stateText()).toBe(before);
      expect(writesTo(account)).toEqual([]);
    },
    300_000,
  );

  testWithEngine(
    `a state moves to another address by one apply of ${engine}, and nothing is written to the service`,
    async () => {
      const moved = movedTo(account);
      here.env["ERPHOST_BASE_URL"] = moved;
      account.clearJournal();
      const refused = await here.plan();
      expect(refused.code).toBe(1);
      expect(unwrapped(refused.output)).toContain(
        `set former_base_url (ERPHOST_FORMER_BASE_URL) to ${account.baseUrl} for one run`,
      );
      here.env["ERPHOST_FORMER_BASE_URL"] = account.baseUrl;
      const unrefreshed = await here.plan("-refresh=false");
      expect(unrefreshed.code).toBe(1);
      expect(unwrapped(unrefreshed.output)).toContain("Let this run refresh the state.");
      const planned = await here.plan();
      expect(planned).toMatchObject({ code: 0 });
      expect(unwrapped(planned.output)).toContain(`moves from ${account.baseUrl} to ${moved}`);
      expect(unwrapped(planned.output)).toContain(`and ${COUNT - 1} more similar warnings`);
      here.write("main.tf", configuration("renamed"));
      const changing = await here.plan();
      expect(changing.code).toBe(1);
      expect(unwrapped(changing.output)).toContain("This run only moves states");
      here.write("main.tf", configuration());
      const ids = await idsOf(here);
      expect(await here.apply()).toMatchObject({ code: 0 });
      delete here.env["ERPHOST_FORMER_BASE_URL"];
      expect(addressesIn(here.stateText())).toEqual(new Set([moved]));
      expect(await here.plan()).toMatchObject({ code: 0 });
      expect(await idsOf(here)).toEqual(ids);
      here.env["ERPHOST_BASE_URL"] = account.baseUrl;
      const former = await here.plan();
      expect(former.code).toBe(1);
      expect(unwrapped(former.output)).toContain(`belongs to the account at ${moved}`);
      expect(writesTo(account)).toEqual([]);
    },
    300_000,
  );
});

async function idsOf(workspace: TerraformWorkspace): Promise<Readonly<Record<string, unknown>>> {
  const state = await workspace.state();
  return Object.fromEntries(Object.entries(state).map(([address, { id }]) => [address, id]));
}

/** The addresses that the provider's metadata in a state has. */
const addressesIn = (state: string): Set<string> =>
  new Set(
    [...state.matchAll(/"private": "([^"]+)"/g)].flatMap(([, text = ""]) =>
      [
        ...Buffer.from(text, "base64")
          .toString()
          .matchAll(/"baseUrl":"([^"]+)"/g),
      ].map(([, address = ""]) => address),
    ),
  );
