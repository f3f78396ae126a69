import { randomUUID } from "node:crypto";
import { expect, test } from "@jest/globals";
import { changesOf, differences } from "../../../cli/pipeline/changes";
import { driftText, summaryIn } from "../../../cli/pipeline/review";
import { commentOf, PullRequest, reviewed } from "../../plans/comments";

const URN = "urn:pulumi:prod::shop::erphost:index:Server::web";

/** A preview of a server that stays as it is, but for its protection. */
function preview(op: string, before: boolean, after: boolean): string {
  const values = { inputs: { name: "web" }, outputs: { name: "web" } };
  const object = { urn: URN, id: "srv_1", type: "erphost:index:Server", ...values };
  const state = (protect: boolean) => ({ ...object, protect });
  const steps = [{ op, urn: URN, oldState: state(before), newState: state(after) }];
  return JSON.stringify({ steps, changeSummary: { same: 1 } });
}

const comment = (json: string, changesOutputs = false): Promise<string> =>
  commentOf(reviewed(json, "", changesOutputs));

test("a plan that only ends Pulumi's protection names the object that loses it", async () => {
  const json = preview("same", true, false);
  const text = await comment(json);
  expect(text).toContain(": 1 to unprotect.\n");
  expect(text).toContain(
    "#### Look at these first\n\n- `web`: server loses its protection against deletion\n",
  );
  const named = "- `web`: server `web` `srv_1`; protected; loses its protection";
  expect(text).toContain(`#### Protected no more\n\n${named}`);
  expect(text).not.toContain("Nothing to do");
  expect(summaryIn(json, "prod")).toMatchObject({ changes: true, calls: { writes: 0 } });
});

test.each([
  ["is protected as before", "same", true, true],
  ["is protected from now on", "same", false, true],
  ["was never protected", "same", false, false],
])("a plan whose object %s ends no protection", async (_, op, before, after) => {
  const json = preview(op, before, after);
  expect(await comment(json)).toMatch(/: Nothing to do[^\n]*; 1 without a change\.\n/);
  expect(summaryIn(json, "prod")).toMatchObject({ changes: false, plans: [{ objects: [] }] });
});

/** As states name one. Its id is another one after each replacement. */
const providerOf = (name: string, of = ""): string =>
  `urn:pulumi:prod::shop::${of}pulumi:providers:erphost::${name}::${randomUUID()}`;

/** Whether a preview with one step changes what the state alone holds. */
function changesState(before: object, after: object): boolean | undefined {
  const state = { urn: URN, protect: false, inputs: {}, outputs: {} };
  const step = { op: "same", urn: URN, oldState: { ...state, ...before } };
  const json = JSON.stringify({ steps: [{ ...step, newState: { ...state, ...after } }] });
  return summaryIn(json, "prod").plans[0]?.changesState;
}

test.each([
  ["is protected from now on", {}, { protect: true }],
  ["is retained from now on", {}, { retainOnDelete: true }],
  ["has another name by an alias", { urn: URN.replace("web", "old") }, {}],
  ["is in another provider", { provider: providerOf("default") }, { provider: providerOf("eu") }],
])("a preview whose object %s changes the state", (_, before, after) => {
  expect(changesState(before, after)).toBe(true);
});

test("a preview whose object stays as it is changes nothing, wherever the program has moved it", () => {
  expect(changesState({ sourcePosition: "a:1" }, { sourcePosition: "a:2" })).toBe(false);
  expect(changesState({}, { protect: undefined })).toBe(false);
  const names = ["default_0_2_0", "default_github_/api.github.com/erphost/erphost"];
  const [old, next] = names.map((name) => ({ provider: providerOf(name) }));
  expect(changesState(old ?? {}, next ?? {})).toBe(false);
});

const empty = { format_version: "1.2", resource_changes: [] };
const moved = {
  address: "erphost_server.shop",
  previous_address: "erphost_server.web",
  type: "erphost_server",
  change: { actions: ["no-op"], before: { name: "web" }, after: { name: "web" } },
};
const ONLY_STATE =
  ": Nothing to do in the service; only the state changes (outputs, addresses, providers or protection)";

test.each([
  ["an output", { output_changes: { url: { actions: ["create"] } } }],
  ["an address", { resource_changes: [moved] }],
])("a plan that only changes %s says that the state changes", async (_, changes) => {
  expect(await comment(JSON.stringify({ ...empty, ...changes }))).toContain(ONLY_STATE);
});

test("a plan that changes nothing, or only outputs that it does not name, says so", async () => {
  const json = JSON.stringify({ ...empty, output_changes: { url: { actions: ["no-op"] } } });
  expect(await comment(json)).toContain(": Nothing to do.\n");
  expect(await comment(json, true)).toContain(`${ONLY_STATE}.\n`);
  expect(await comment(preview("same", false, true))).toContain(ONLY_STATE);
});

test("a comment says that the apply does what it shows, and not that it is all or nothing", async () => {
  expect(await comment(JSON.stringify(empty))).toMatch(
    /^After the merge, the apply job applies this and nothing else\.$/m,
  );
});

test("an issue about drift does not say that outputs would follow it", async () => {
  const change = { actions: ["update"], before: { name: "web" }, after: { name: "shop" } };
  const drifted = { address: "erphost_server.web", type: "erphost_server", change };
  const output_changes = { name: { actions: ["update"] } };
  const json = JSON.stringify({ ...empty, resource_drift: [drifted], output_changes });
  expect(driftText(summaryIn(json, "prod"))).toContain("\nNothing to do; 1 drifted.\n");
  expect(await comment(json)).toContain(`${ONLY_STATE}; 1 drifted.`);
});

/** Two servers that nothing but their account tells apart, as engines print them. */
const NAMES = ["a", "b"];
const inputs = { name: "pipe" };
const inBlock = (key: string) => (there: string) => {
  const change = { actions: ["create"], after: inputs };
  const resources = NAMES.map((name) => {
    const provider_config_key = name === there ? key : "erphost";
    return { address: `erphost_server.${name}`, type: "erphost_server", provider_config_key };
  });
  const resource_changes = resources.map(({ address, type }) => {
    return { address: `module.m["${"x.y]".repeat(60)}"].${address}`, type, change };
  });
  const module_calls = { m: { module: { resources } } };
  return { ...empty, resource_changes, configuration: { root_module: { module_calls } } };
};
const inState = (stateOf: () => object) => (there: string) => ({
  steps: NAMES.map((name) => {
    const state = name === there ? stateOf() : { provider: providerOf("default_0_1_0") };
    return { op: "create", urn: URN.replace("web", name), newState: { inputs, ...state } };
  }),
});

test.each([
  ["a block with an alias", inBlock("erphost.b"), "erphost.b"],
  ["a block of a module", inBlock("module.m:erphost"), "module.m:erphost"],
  ["an explicit provider", inState(() => ({ provider: providerOf("default-b") })), "default-b"],
  ["a component's one", inState(() => ({ provider: providerOf("b", "my:Shop$") })), "my:Shop$b"],
  ["an account", inState(() => ({ inputs: { ...inputs, __account: "b" } })), "b"],
])("an object in %s is named with it, and elsewhere is another one", async (_, planOf, place) => {
  const [inA = "", inB = ""] = NAMES.map((there) => JSON.stringify(planOf(there)));
  const pull = new PullRequest();
  expect(await commentOf(reviewed(inB), pull)).toMatch(/a`: server `pipe`\n.*b \(in .*`pipe`$/m);
  expect(await commentOf(reviewed(inB), pull)).toContain("show it: the same changes.");
  expect(pull.body).toContain(`b (in ${place})\`: server`);
  const swapped = /: new: `.*a \(in .*`, `.*b`; no longer: `.*a`, `.*b \(in .*`\.$/m;
  expect(await commentOf(reviewed(inA), pull)).toMatch(swapped);
  for (const isRest of [true, false]) {
    const others = (now: string) => differences(changesOf(inB), changesOf(now), isRest);
    expect(others(inB)).toEqual([]);
    expect(JSON.stringify(others(inA))).toContain(`a (in ${place})`);
  }
});
