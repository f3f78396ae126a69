/** Two accounts in one program of the plugin, each with a provider. */
import { beforeAll, describe, expect, test } from "@jest/globals";
import type { Emulator } from "../../../../emulator";
import type { PulumiStack } from "../../../harness/pulumi-stack";
import { opened, openedEmulator } from "../../support/opened";
import { expectDone } from "../../support/output";
import { openStack } from "../../support/pulumi-plugin";
import { server, yaml } from "../../pulumi-plugin/program";

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
