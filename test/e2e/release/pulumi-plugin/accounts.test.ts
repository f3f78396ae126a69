/** Which account a run is for: two in one program, a service that has moved, and a twin. */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "@jest/globals";
import type { Emulator } from "../../../../emulator";
import type { PulumiStack } from "../../../harness/pulumi-stack";
import { opened, openedEmulator } from "../../support/opened";
import { expectDone, unwrapped } from "../../support/output";
import { movedTo, twinOf, writesTo } from "../../support/places";
import { openStack } from "../../support/pulumi-plugin";
import { resourcesIn, server, yaml } from "../../pulumi-plugin/program";

describe("two accounts", () => {
  let first: Emulator;
  let second: Emulator;
  let stack: PulumiStack;
  beforeAll(async () => {
    [first, second] = [await openedEmulator(), await openedEmulator()];
    stack = opened(await openStack(first));
  });

  /** @param tier of both servers */
  const write = (tier: number, apiKey: string): void => {
    const timeout = "19s";
    const given = { baseUrl: second.baseUrl, apiKey: { "fn::secret": apiKey }, timeout };
    const properties = { properties: { tier } };
    const resources = {
      second: { type: "pulumi:providers:erphost", properties: given },
      ...server("ours", properties),
      ...server("theirs", properties, { provider: "${second}" }),
    };
    stack.write("Pulumi.yaml", yaml({ resources }));
  };
  const expectTier = (tier: number): void => {
    expect(first.objects("server")).toMatchObject([{ name: "ours", tier }]);
    expect(second.objects("server")).toMatchObject([{ name: "theirs", tier }]);
  };

  test("the default provider and an explicit one work for an account each, through changes, a new key and a refresh", async () => {
    write(1, second.adminKey);
    expectDone(await stack.up());
    expectTier(1);
    const { value } = second.createKey({ permissions: ["admin"] });
    write(2, value);
    expectDone(await stack.up("--refresh"));
    expectTier(2);
    expect(stack.stateText()).not.toContain("19s");
  });

  test("Pulumi's verbose log has a line for each call, and no key", async () => {
    const { output } = expectDone(await stack.destroy("-v=9", "--logtostderr"));
    expect(output).toMatch(/DELETE \/servers\/srv_\d+ -> 20\d in \d+ ms, attempt 1\/\d+, req_\w+/);
    expect([...first.objects("server"), ...second.objects("server")]).toEqual([]);
    expect(output).not.toContain(first.adminKey);
  });
});

describe("other places", () => {
  const COUNT = 5;
  let account: Emulator;
  let stack: PulumiStack;
  beforeAll(async () => {
    account = await openedEmulator();
    stack = await open();
    expectDone(await stack.up());
  });

  const open = async (env: Readonly<Record<string, string>> = {}): Promise<PulumiStack> => {
    const one = opened(await openStack(account, env));
    edit(one, false);
    return one;
  };
  /** @param edited whether a server has another name, and another server is declared */
  const edit = (one: PulumiStack, edited: boolean): void => {
    const [main] = Object.values(server(edited ? "renamed" : "main", { properties: { tier: 1 } }));
    const resources = {
      main,
      erp: { type: "erphost:Instance", properties: { name: "erp", serverId: "${main.id}" } },
      first: { type: "erphost:Backup", properties: { instanceId: "${erp.id}" } },
      ops: { type: "erphost:Team", properties: { name: "ops" } },
      ci: { type: "erphost:ApiKey", properties: { name: "ci", permissions: ["servers:read"] } },
      ...(edited && server("new")),
    };
    one.write("Pulumi.yaml", yaml({ resources }));
  };
  /** Another project folder and backend with a copy of the state, whose secrets both can read. */
  const copy = async (env: Readonly<Record<string, string>>): Promise<PulumiStack> => {
    const there = await open(env);
    const settings = `Pulumi.${stack.stack}.yaml`;
    copyFileSync(join(stack.program, settings), join(there.program, settings));
    copyFileSync(stack.stateFile, there.stateFile);
    return there;
  };
  /** Ids of the service's objects by their names in the program. */
  const idsIn = (one: PulumiStack): Record<string, string> =>
    Object.fromEntries(
      resourcesIn(one).flatMap(({ urn, id = "" }) =>
        urn.includes("::pulumi:") ? [] : [[urn.split("::").at(-1) ?? "", id]],
      ),
    );
  /** In the text at the end of a run; Pulumi also prints a message at each step of its resource. */
  const count = (output: string, what: RegExp): number =>
    (unwrapped(output.split("Diagnostics:")[1] ?? "").match(what) ?? []).length;
  const expectRefused = async (one: PulumiStack, why: string): Promise<void> => {
    const { code, output } = await one.preview();
    expect(code).not.toBe(0);
    expect(unwrapped(output)).toContain(why);
  };

  test("with the plugin, a program is planned and applied on a twin of its account, which sees reads alone", async () => {
    const [before, ids] = [stack.stateText(), idsIn(stack)];
    account.clearJournal();
    await twinOf(account, async (env) => {
      const there = await copy(env);
      const { output } = expectDone(await there.preview());
      expect(unwrapped(output)).toContain(`nothing changes in the account at ${account.baseUrl}`);
      expect(count(output, /this copy of the state is marked/gi)).toBe(1);
      edit(there, true);
      const up = expectDone(await there.up("--refresh"));
      // The refresh marked what is not edited.
      expect(unwrapped(up.output)).toContain("+ 1 created ~ 1 updated 2 changes.");
      const { new: added, ...kept } = idsIn(there);
      expect({ added, kept }).toEqual({ added: "srv_twin_1", kept: ids });
      there.env["ERPHOST_BASE_URL"] = account.baseUrl;
      there.env["ERPHOST_API_KEY"] = account.adminKey;
      there.env["ERPHOST_TWIN_OF"] = "";
      await expectRefused(there, "was written by a run on a twin of");
      const own = { ...stack.env };
      Object.assign(stack.env, env);
      await expectRefused(stack, "seems to be the account's own");
      delete stack.env["ERPHOST_TWIN_OF"];
      Object.assign(stack.env, own);
    });
    expect(stack.stateText()).toBe(before);
    expect(writesTo(account)).toEqual([]);
  });

  test("with the plugin, a stack moves to another address by one up or one refresh, and nothing is written to the service", async () => {
    const moved = movedTo(account);
    const refreshed = await copy({});
    const ids = idsIn(stack);
    account.clearJournal();
    stack.env["ERPHOST_BASE_URL"] = moved;
    await expectRefused(stack, `set ERPHOST_FORMER_BASE_URL to ${account.baseUrl} for one run`);
    for (const each of [stack, refreshed]) {
      each.env["ERPHOST_BASE_URL"] = moved;
      each.env["ERPHOST_FORMER_BASE_URL"] = account.baseUrl;
    }
    const { output } = expectDone(await stack.run("up", "--yes"));
    const [planned = ""] = output.split("Updating (");
    expect(count(planned, /the state moves from/gi)).toBe(1);
    expect(unwrapped(planned)).toContain(`~ ${COUNT} to update`);
    expectDone(await refreshed.refresh());
    for (const each of [stack, refreshed]) {
      delete each.env["ERPHOST_FORMER_BASE_URL"];
      expectDone(await each.preview("--expect-no-changes"));
      expect(idsIn(each)).toEqual(ids);
    }
    expect(stack.stateText()).not.toContain(`\\"baseUrl\\":\\"${account.baseUrl}`);
    stack.env["ERPHOST_BASE_URL"] = account.baseUrl;
    await expectRefused(stack, `belongs to the account at ${moved}`);
    expect(writesTo(account)).toEqual([]);
  });
});
