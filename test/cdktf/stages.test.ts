/** Stages: the same stacks in several environments, each with accounts, names and states of its own. */
import { describe, expect, test } from "@jest/globals";
import { LocalBackend, Testing, type TerraformStack } from "cdktf";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Instance, Server, Team, ApiKey, SealedApiKey } from "../../cdktf-bindings";
import { BackedUpInstance, ErpInstallation, ServerFleet } from "../../cdktf-bindings";
import { ErphostProvider, ErphostStack, ErphostStage } from "../../cdktf-bindings";
import { ProtectFromDeletion, type ErphostStageProps } from "../../cdktf-bindings";
import {
  allOf,
  EU,
  LIVE,
  neverNull,
  newStack,
  only,
  providersOf,
  RECIPIENT,
  synth,
} from "./support/stack";

/** A stack as a program has it, in every environment. */
class Erp extends ErphostStack {
  constructor(scope: ErphostStage, id: string) {
    super(scope, id);
    new Server(this, "web");
  }
}

const stageOf = (id: string, props?: ErphostStageProps, app = Testing.app()) =>
  new ErphostStage(app, id, props);

describe("a stage", () => {
  test("the same stack in two stages has two states, identities and names", () => {
    const app = Testing.app();
    const [staging, live] = ["staging", "live"].map((id) => new Erp(stageOf(id, {}, app), "erp"));
    app.synth();
    const manifest = JSON.parse(readFileSync(join(app.outdir, "manifest.json"), "utf8")) as {
      stacks: Record<string, { workingDirectory: string }>;
    };
    expect(Object.values(manifest.stacks).map((each) => each.workingDirectory)).toEqual([
      "stacks/live-erp",
      "stacks/staging-erp",
    ]);
    expect([staging, live].flatMap((stack) => allOf(stack as Erp, "server"))).toEqual([
      { name: "staging-web", idempotency_token: "staging-erp/web of ${terraform.workspace}" },
      { name: "live-web", idempotency_token: "live-erp/web of ${terraform.workspace}" },
    ]);
  });

  test("every name that a construct has by default begins with the stage's, and a given one does not", () => {
    const stack = new ErphostStack(stageOf("live"), "erp");
    const server = new Server(stack, "web", { name: "given" });
    new Instance(stack, "erp", { server });
    new BackedUpInstance(stack, "safe", { server, version: "17.0" });
    new Team(stack, "team");
    new ApiKey(stack, "key", { permissions: ["read"] });
    new SealedApiKey(stack, "sealed", { permissions: ["read"], recipient: RECIPIENT });
    new ErpInstallation(stack, "all", { members: [] });
    new ServerFleet(stack, "fleet", { servers: ["a", { name: "b" }, { id: "c" }] });
    const names = Object.values(synth(stack).resource ?? {})
      .flatMap((blocks) => Object.values(blocks))
      .flatMap(({ name }) => (name === undefined ? [] : [name]));
    expect(names.sort()).toEqual([
      ...["b", "given", "live-a", "live-all", "live-all", "live-all-operations", "live-c"],
      ...["live-erp", "live-key", "live-safe", "live-sealed", "live-team"],
    ]);
  });

  test("a stage can leave names as they are, and a stage in a stage is named after both, and knows its stacks", () => {
    const nameIn = (stage: ErphostStage) => allOf(new Erp(stage, "erp"), "server")[0]?.["name"];
    expect(nameIn(stageOf("live", { namePrefix: "" }))).toBe("web");
    const outer = stageOf("live");
    const next = new Erp(outer, "erp");
    const inner = new ErphostStage(outer, "eu");
    expect(nameIn(inner)).toBe("live-eu-web");
    expect([inner.name, inner.stacks[0]?.node.id]).toEqual(["live-eu", "live-eu-erp"]);
    expect(outer.stacks).toEqual([next, ...inner.stacks]);
    const nameWithin = (namePrefix: string, props?: ErphostStageProps) =>
      nameIn(new ErphostStage(stageOf("live", { namePrefix }), "eu", props));
    // What is undefined is left out: a stage in a stage has its backend, and so its states.
    const backend = (stack: TerraformStack) => new LocalBackend(stack, { path: "/states/erp" });
    expect(
      new ErphostStage(stageOf("a", { backend }), "b", { backend: undefined as never }).settings,
    ).toMatchObject({ backend });
    // In one that leaves names as they are, a stage has its own id alone in front of them.
    expect(nameWithin("")).toBe("eu-web");
    expect(nameWithin("prod-")).toBe("prod-eu-web");
    expect(nameWithin("", { namePrefix: "" })).toBe("web");
  });

  test("each state has a scope of its own, made of the one that is given", () => {
    const stage = stageOf("live", { account: { scope: "github.com/acme/infra" } });
    const stacks = ["erp", "keys"].map((id) => new ErphostStack(stage, id));
    for (const stack of stacks) new Server(stack, "web");
    expect(stacks.map(providersOf)).toEqual([
      [{ scope: "github.com/acme/infra/live-erp/${terraform.workspace}" }],
      [{ scope: "github.com/acme/infra/live-keys/${terraform.workspace}" }],
    ]);
    expect(providersOf(new Erp(stageOf("live"), "erp"))).toEqual([{}]);
  });

  test("the Aspects of a stage apply to each of its stacks, and to no other", () => {
    const app = Testing.app();
    const live = stageOf("live", { aspects: [new ProtectFromDeletion()] }, app);
    const stacks = [new Erp(live, "erp"), new Erp(stageOf("staging", {}, app), "erp")];
    const servers = stacks.flatMap((stack) => allOf(stack, "server"));
    expect(servers.map((each) => each["deletion_protection"])).toEqual([true, undefined]);
  });
});

describe("a stack with provider blocks of its own", () => {
  test("a stack without a stage keeps its id, and its constructs' names theirs", () => {
    const stack = new ErphostStack(Testing.app(), "erp");
    new Server(stack, "web");
    const token = "erp/web of ${terraform.workspace}";
    expect(allOf(stack, "server")).toEqual([{ name: "web", idempotency_token: token }]);
  });

  test("each account is one provider block, which constructs and those below them name", () => {
    const accounts = { eu: EU, us: { apiKeyVariable: "us_key" } };
    const stack = new ErphostStack(Testing.app(), "erp", { accounts });
    new Server(stack, "web", { provider: stack.account("eu") }).addInstance("erp");
    new Team(stack, "team");
    expect(stack.account("eu")).toBe(stack.account("eu"));
    const block = { base_url: EU.baseUrl, api_key: neverNull("var.eu_key") };
    expect(providersOf(stack)).toEqual([{}, { alias: "eu", ...block }]);
    const { resource } = synth(stack);
    expect(only(resource, "erphost_instance")["provider"]).toBe("erphost.eu");
    expect(only(resource, "erphost_team")["provider"]).toBeUndefined();
  });

  test.each([
    [{}, "There is no account eu, because accounts is not set."],
    [{ accounts: { us: {} } }, "There is no account eu, only us."],
  ])("an account that nobody has set is refused: %j", (props, words) => {
    const stack = new ErphostStack(stageOf("live", props), "erp");
    expect(() => stack.account("eu")).toThrow(`[live-erp] ${words}`);
    expect(() => stack.account("toString")).toThrow(/There is no account toString/);
  });

  test("a stack in a stack has the accounts of the outer one, and provider blocks of its own", () => {
    const outer = new ErphostStack(stageOf("live"), "outer", { account: LIVE });
    const provider = new ErphostProvider(outer, "second", { alias: "second" });
    const inner = new ErphostStack(new Server(outer, "web", { provider }), "inner");
    new Server(inner, "below");
    expect(inner.node.id).toBe("live-outer-web-inner");
    const own = { base_url: LIVE.baseUrl, api_key: neverNull("var.live_key") };
    expect(providersOf(inner)).toEqual([own]);
    const block = only(synth(inner).resource, "erphost_server");
    expect(block["name"]).toBe("live-below");
    // The outer stack's block is not in this configuration.
    expect(block["provider"]).toBeUndefined();
  });

  test("a second provider block without an alias, or with a used one, is refused", () => {
    const stack = new ErphostStack(Testing.app(), "erp");
    new ErphostProvider(stack, "mine");
    expect(() => synth(stack)).toThrow(
      "erp/provider and erp/mine are provider blocks without an alias. Give each of them an alias",
    );
    const other = new ErphostStack(Testing.app(), "erp", { accounts: { eu: EU } });
    new ErphostProvider(other, "mine", { alias: "eu" });
    other.account("eu");
    expect(() => synth(other)).toThrow(/erp\/mine and erp\/provider-eu are .* the alias eu\./);
  });

  test.each([
    ["acount is not a setting. Use account.", { acount: LIVE }],
    ["baseURL is not a setting. Use baseUrl.", { account: { baseURL: "x" } }],
    ["scope is empty", { account: { scope: "" } }],
    ["shar is not a setting. Use share.", { account: { shar: 3 } }],
  ])("a misspelled or empty setting is refused: %s", (words, props: object) => {
    expect(() => synth(new Erp(stageOf("live", props), "erp"))).toThrow(words);
    const { account } = props as { account?: object };
    if (!account) return;
    const stack = newStack();
    new ErphostProvider(stack, "own", { alias: "own", ...account });
    expect(() => synth(stack)).toThrow(/\[erp\/own\] \w+ is (?:not a setting|empty)/);
  });

  test("what a stack of one's own takes besides is its own, but not what is like a setting", () => {
    const props = { size: 2, account: { ...LIVE, team: "a" } };
    expect(() => synth(new Erp(stageOf("live", props as object), "erp"))).not.toThrow();
    const account = { ...LIVE, apiKeyVariabel: "x" };
    expect(() => synth(new Erp(stageOf("live", { account }), "erp"))).toThrow(
      /Use apiKeyVariable\./,
    );
  });

  test("settings of a stage are checked where they are used", () => {
    const stack = new Erp(stageOf("live", { account: { timeout: "soon" } }), "erp");
    expect(() => synth(stack)).toThrow(/\[live-erp\/provider\] timeout /);
  });
});
