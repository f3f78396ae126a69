/** A refusal says what differs, and `--accept` is the way on: for this very plan, and for no other. */
import { describe, expect, test } from "@jest/globals";
import { complaint } from "../../support";
import { creating, PASSPHRASE, Pipeline, SECRET, type RunOptions } from "../support";

const pipeline = Pipeline.ofTests();
const passphrase = PASSPHRASE;
const web = (properties: object, more: object = {}) => creating("web", { properties, ...more });
const eu = web({ region: "eu" });

/** The hash that the refused job of the commit that is checked out shows. */
async function shown(env: Readonly<Record<string, string>> = {}): Promise<string> {
  const said = await pipeline.refused({ passphrase, env });
  return / with --accept ([0-9a-f]{64})$/.exec(said)?.[1] ?? said;
}
const ALICE = { GITHUB_ACTOR: "alice" };
const accepting = (hash: string, ...words: readonly string[]) =>
  pipeline.run(["apply", "--accept", hash, ...words], { passphrase, env: ALICE });

describe("a refusal", () => {
  test("names the fields that differ, as they were reviewed and as they are now, without secrets", async () => {
    pipeline.passphrase = PASSPHRASE;
    const sensitive = { after_sensitive: { note: true } };
    const one = web({ region: "eu" }, { note: "a", password: SECRET, version: "17" });
    const two = web({ region: "us" }, { note: "b", password: `${SECRET}-2`, version: "17" });
    await pipeline.reviewed({ ...one, change: { ...one.change, ...sensitive } }, creating("old"));
    pipeline.planned({ ...two, change: { ...two.change, ...sensitive } }, creating("new"));
    const said = await pipeline.refused();
    expect(said).toContain(
      'erphost_server.web (create; properties: reviewed {"region": "eu"}, now {"region": "us"}; note: reviewed (secret), now (secret); password: reviewed (secret), now (secret))',
    );
    expect(said).toContain("erphost_server.new (create, which nobody reviewed)");
    expect(said).toContain("erphost_server.old (create was reviewed, and is not planned now)");
    expect(said).not.toContain(SECRET);
    const [{ body } = { body: "" }] = pipeline.github.pulls[0]?.comments ?? [];
    expect(body).toMatch(/\*\*The apply job failed\*\* at [^]*now \{"region": "us"\}[^]*--accept/);
    const hash = /--accept ([0-9a-f]{64})/.exec(said)?.[1] ?? "";
    expect(await accepting(hash)).toMatchObject({ code: 0 });
    const [answer = ""] = pipeline.github.pulls[0]?.comments.map((each) => each.body) ?? [];
    expect(answer).toContain(`nobody had reviewed. \`alice\` accepted it as \`${hash}\`.`);
    expect(answer).not.toContain("The apply job failed");
    expect(answer).toContain("Planned at");
  });

  test("says that a provider has another address, although each change is the one that was reviewed", async () => {
    const at = (base_url: string) =>
      pipeline.plannedMore({ configuration: { provider_config: { erphost: { base_url } } } }, eu);
    at("https://one");
    await pipeline.merged(1, "two");
    at("https://two");
    expect(await pipeline.refused()).toContain("providers of prod are configured otherwise");
  });

  test("says where it cannot be said in the comment, and stays what it is", async () => {
    await pipeline.reviewed(eu);
    pipeline.planned(web({ region: "us" }));
    pipeline.github.faults = [{ match: /PATCH/, status: 403, times: 9 }];
    const { code, err } = await pipeline.run(["apply"]);
    expect(code).toBe(1);
    expect(err.at(-2)).toContain("403: the token may not do that.");
    expect(err.at(-1)).toContain("is not what was reviewed");
  });

  test("without a passphrase offers no hash, which anybody could make", async () => {
    pipeline.planned(eu);
    pipeline.commit("straight to main");
    expect(await pipeline.refused()).not.toContain("--accept");
  });
});

describe("a plan that is accepted", () => {
  test("is applied as it was made again and compared, and its record says who accepted it", async () => {
    pipeline.planned(eu);
    pipeline.commit("straight to main");
    const { out } = await pipeline.run(["apply"], { passphrase });
    expect(out.join("\n")).toContain("`erphost_server.web`: server `web`");
    const hash = await shown();
    // No secret that its digits hold by chance makes it of no use.
    expect(await shown({ PIN_TOKEN: hash.slice(9, 13) })).toBe(hash);
    const { code, err } = await accepting(hash);
    expect({ code, err }).toMatchObject({ code: 0 });
    expect(err.join("\n")).toContain(`alice accepted the plan ${hash} of prod.`);
    expect(pipeline.applies).toEqual([expect.stringMatching(/plan\.bin$/)]);
    const payload = { accepted: hash, by: "alice" };
    expect(pipeline.github.deployments).toMatchObject([{ payload, states: [{}, "success"] }]);
    // What it builds on is another state now.
    expect(await accepting(hash)).toMatchObject({ code: 1 });
    expect(pipeline.applies).toHaveLength(1);
  });

  const changing = (more: object) => () =>
    pipeline.planned({ ...eu, change: { ...eu.change, ...more } });
  const adding = (more: object) => () => pipeline.plannedMore(more, eu);
  const inB = { address: eu.address, provider_config_key: "erphost.b" };
  const applying = (): void => {
    const run = pipeline.github.begin("push", "0");
    pipeline.github.deploy(run, "prod", { states: ["success"] });
  };

  test.each([
    ["a value", () => pipeline.planned(web({ region: "us" }))],
    ["an object", () => pipeline.planned(eu, creating("db"))],
    ["an unknown value", changing({ after_unknown: { id: true } })],
    ["an import", changing({ importing: { id: "srv_1" } })],
    ["a move", () => pipeline.planned({ ...eu, previous_address: "erphost_server.old" })],
    ["an action", adding({ action_invocations: [{ address: "action.a.b", type: "a" }] })],
    ["an output", adding({ output_changes: { a: { actions: ["create"], after: "b" } } })],
    ["an account", adding({ configuration: { root_module: { resources: [inB] } } })],
    ["a version of the engine", adding({ terraform_version: "1.15.1" })],
    ["a commit", () => void pipeline.commit("one more")],
    ["a stack", () => undefined, { stack: "test" }],
    ["an apply", applying],
  ])("is another one after a change of %s", async (_, change, options: RunOptions = {}) => {
    pipeline.planned(eu);
    pipeline.commit("straight to main");
    const hash = await shown();
    expect(await shown()).toBe(hash);
    change();
    const said = await pipeline.refused({ passphrase, ...options }, ["apply", "--accept", hash]);
    expect(said).toContain("The hash in --accept is that of another plan. Make the change");
    expect(/[0-9a-f]{64}$/.exec(said)?.[0]).not.toBe(hash);
  });

  test("stays the same where only what describes it is another text, and steps with URNs come in another order", async () => {
    const [one, two] = [eu, creating("db")].map((each, at) => ({ ...each, urn: `urn:${at}` }));
    pipeline.planned(one, two);
    pipeline.commit("straight to main");
    const hash = await shown();
    pipeline.plannedMore({ timestamp: "2026-11-22T00:00:00Z", resource_drift: [] }, two, one);
    expect(await shown()).toBe(hash);
  });

  test("is another one where the state of Pulumi alone has an object elsewhere", async () => {
    const of = { urn: "urn:pulumi:prod::shop::erphost:index:Server::web", inputs: {}, outputs: {} };
    const state = (name: string) => ({ ...of, provider: `${of.urn}::${name}::1` });
    pipeline.commit("straight to main");
    const hashOf = (name: string): Promise<string> => {
      const step = { op: "same", urn: of.urn, oldState: state("a"), newState: state(name) };
      const more = { op: "create", urn: `${of.urn}2`, newState: { ...of, urn: `${of.urn}2` } };
      pipeline.set("plan.json", JSON.stringify({ steps: [step, more] }));
      return shown();
    };
    const hash = await hashOf("a");
    expect(await hashOf("b")).not.toBe(hash);
    expect(await hashOf("a")).toBe(hash);
  });

  test("is for the newest commit of the default branch alone", async () => {
    pipeline.planned(eu);
    pipeline.commit("straight to main");
    const hash = await shown();
    pipeline.github.newest = "f".repeat(40);
    const alone = "a plan is accepted for the newest commit of main alone";
    const words = ["apply", "--accept", hash];
    expect(await pipeline.refused({ passphrase }, words)).toContain(alone);
    pipeline.github.newest = undefined;
    const env = { GITHUB_REF_NAME: "mallory" };
    expect(await pipeline.refused({ passphrase, env }, words)).toContain(alone);
  });

  test("is judged by policies all the same", async () => {
    const key = { ...creating("ci"), address: "erphost_api_key.ci", type: "erphost_api_key" };
    pipeline.planned({ ...key, change: { ...key.change, after: { permissions: ["servers:*"] } } });
    pipeline.commit("straight to main");
    const { err } = await accepting(await shown(), "--policies", "all");
    expect(err.at(-1)).toContain("wildcard-scope");
    expect(pipeline.applies).toEqual([]);
  });

  const HASH = "a".repeat(64);
  test.each([
    [["--accept", "a".repeat(63)], {}, "must be the hash that a refused job shows"],
    [["--accept", HASH, "--allow-unreviewed"], {}, "cannot be used with --allow-unreviewed"],
    [["--accept", HASH], { passphrase: undefined }, "needs ERPHOST_PLAN_PASSPHRASE"],
  ])("is not named by %j", async (words, options, why) => {
    const given: RunOptions = { passphrase, ...options };
    expect(await complaint(2, pipeline.run(["apply", ...words], given))).toContain(why);
    expect(pipeline.engine).toEqual([]);
  });
});
