/** A computed key is for one account: the same address and the same key, in whichever stack. */
import { describe, expect, test } from "@jest/globals";
import { Testing } from "cdktf";
import {
  ApiKey,
  deployKeyFor,
  ErphostStack,
  ErphostStage,
  scopesFor,
  Server,
  Team,
} from "../../cdktf-bindings";
import { synth } from "./support/stack";

const SERVER = ["servers:read", "servers:write", "servers:delete"];

describe("the scopes that a key needs", () => {
  const accounts = { eu: { baseUrl: "https://eu.example/v1", apiKeyVariable: "eu_key" } };

  test("of several accounts, one has to be named", () => {
    const stack = new ErphostStack(Testing.app(), "erp", { accounts });
    const provider = stack.account("eu");
    new Server(stack, "web");
    new Team(stack, "team", { provider });
    expect(() => scopesFor(stack)).toThrow(
      "Erp is in several accounts, those of erp/provider and erp/provider-eu, and a key belongs to one. Say which one: deployKeyFor(stack, { provider }).",
    );
    expect(scopesFor(stack, { provider })).toEqual(["teams:read", "teams:write"]);
    expect(scopesFor(stack, { provider: stack.provider })).toEqual(SERVER);
  });

  test("all in one further account is that account's", () => {
    const stack = new ErphostStack(Testing.app(), "erp", { accounts });
    new Team(stack, "team", { provider: stack.account("eu") });
    expect(scopesFor(stack)).toEqual(["teams:read", "teams:write"]);
  });

  test("the stacks of a stage are in one account where their address and their key are the same", () => {
    const account = { baseUrl: "https://erp.example/v1", apiKeyVariable: "live_key" };
    const live = new ErphostStage(Testing.app(), "live", { account, accounts });
    const [erp, ops] = [new ErphostStack(live, "erp"), new ErphostStack(live, "ops")];
    new Server(erp, "web", { deletionProtection: true });
    new Team(ops, "team");
    new Team(erp, "eu-team", { provider: erp.account("eu") });
    const reading = { for: "plan", provider: ops.provider } as const;
    expect(scopesFor(live, reading)).toEqual(["servers:read", "teams:read"]);
    expect(scopesFor(live, { ...reading, provider: erp.account("eu") })).toEqual(["teams:read"]);
  });

  test.each([
    ["address", { baseUrl: "https://other.example/v1", apiKeyVariable: "live_key" }],
    ["key", { apiKeyVariable: "other_key" }],
  ])("stacks of a stage with another %s are in several accounts", (_, account) => {
    const given = { baseUrl: "https://erp.example/v1", apiKeyVariable: "live_key" };
    const live = new ErphostStage(Testing.app(), "live", { account: given });
    const erp = new ErphostStack(live, "erp");
    const other = new ErphostStack(live, "other", { account });
    new Server(erp, "web");
    new Team(other, "team");
    expect(() => scopesFor(live)).toThrow(
      "Live is in several accounts, those of live-erp/provider and live-other/provider, and",
    );
    expect(scopesFor(live, { provider: other.provider })).toEqual(["teams:read", "teams:write"]);
    const key = new ApiKey(other, "key", deployKeyFor(erp, { provider: other.provider }));
    expect(() => synth(key.resource.cdktfStack)).toThrow(
      "Nothing in live-erp in the account of live-other/provider needs a scope",
    );
  });

  test("an override of a provider block decides about its account", () => {
    const live = new ErphostStage(Testing.app(), "live");
    const [erp, ops] = [new ErphostStack(live, "erp"), new ErphostStack(live, "ops")];
    new Server(erp, "web", { deletionProtection: true });
    new Team(ops, "team");
    expect(scopesFor(live, { for: "plan" })).toEqual(["servers:read", "teams:read"]);
    ops.provider.addOverride("base_url", "https://other.example/v1");
    expect(() => scopesFor(live)).toThrow(/Live is in several accounts/);
  });
});
