/** `--policies`: the rules of `erphost/policies` in the jobs of plan and apply. */
import { describe, expect, test } from "@jest/globals";
import { complaint } from "../support";
import { creating, Pipeline } from "./support";

const pipeline = Pipeline.ofTests();
const web = creating("web");
const provider_name = "registry.terraform.io/erphost/erphost";

/** A key of the plan, as Terraform prints it. */
const key = (
  address: string,
  permissions: readonly string[],
  before: Readonly<Record<string, unknown>> | null = null,
) => ({
  ...{ address, mode: "managed", type: "erphost_api_key", provider_name },
  change: {
    actions: [before === null ? "create" : "no-op"],
    before: before && { name: "ci", permissions, ...before },
    after: { name: "ci", permissions, ...before },
    after_unknown: before === null ? { id: true, value: true } : {},
  },
});
const wide = key("erphost_api_key.ci", ["servers:*"]);
const narrow = key("erphost_api_key.ci", ["servers:read"]);
const old = key("erphost_api_key.ci", ["servers:read"], {
  ...{ id: "key_1", rotated_at: new Date(Date.now() - 40 * 86_400_000).toISOString() },
});

const ALL = ["--policies", "all"];
const comments = (): string[] =>
  pipeline.github.pulls.flatMap((pull) => pull.comments).map(({ body }) => body);

describe("a plan that policies refuse", () => {
  test("fails its job, says so in its comment, and is not kept for the apply", async () => {
    pipeline.planned(web, wide);
    pipeline.github.open(1, pipeline.commit("two"));
    expect(await pipeline.refused({ pull: 1 }, ["plan", ...ALL])).toBe(
      "error: Policies refuse the plan of prod, and nothing of it is applied. wildcard-scope: erphost_api_key.ci is a key with servers:*: name each scope. Change the program, or the rules in --policies.",
    );
    const [body = "", ...more] = comments();
    expect(more).toEqual([]);
    expect(body).toContain(
      "#### Refused by policies\n\n- `wildcard-scope`: `erphost_api_key.ci` `is a key with servers:*: name each scope`\n",
    );
    expect(body).toContain("the apply job applies nothing while policies refuse it.");
    expect(pipeline.kept).toEqual([]);

    pipeline.planned(web, narrow);
    expect(await pipeline.run(["plan", ...ALL], { pull: 1 })).toMatchObject({ code: 0 });
    expect(comments()).toEqual([expect.not.stringContaining("Refused")]);
    const alone = expect.stringContaining("the apply job applies this and nothing else.");
    expect(comments()).toEqual([alone]);
    expect(pipeline.kept).toHaveLength(1);
  });

  test("is refused by the named rules alone, and by an age that is given", async () => {
    const judged = async (...words: readonly string[]): Promise<number> =>
      (await pipeline.run(["plan", ...words])).code;
    pipeline.planned(wide);
    expect(await judged()).toBe(0);
    expect(await judged("--policies", "none")).toBe(0);
    expect(await judged("--policies", "old-key", "admin-key")).toBe(0);
    expect(await judged("--policies", "old-key", "wildcard-scope")).toBe(1);
    pipeline.planned(old);
    expect(await judged("--policies", "old-key")).toBe(0);
    expect(await judged("--policies", "old-key", "--key-days-max", "41")).toBe(0);
    expect(await judged("--policies", "old-key", "--key-days-max", "39")).toBe(1);
  });

  test("has a comment that a forge takes, however much is wrong, and whatever objects are called", async () => {
    const address = (index: number) =>
      `erphost_api_key.each["@acme/team ${index} ${"`*".repeat(200)}"]`;
    const keys = Array.from({ length: 1_000 }, (_, index) => key(address(index), ["servers:*"]));
    pipeline.planned(...keys);
    pipeline.github.open(1, pipeline.commit("two"));
    const said = await pipeline.refused({ pull: 1 }, ["plan", ...ALL]);
    expect(said).toContain(" And 990 more. ");
    const [body = ""] = comments();
    expect(body.length).toBeLessThan(65_536);
    expect(body).toContain("\n- … and 990 more\n");
    // In code, where no forge notifies anybody.
    expect(body).toMatch(/: `+ ?erphost_api_key\.each\["@acme\/team 0 /);
  });
});

const deleting = (kind: string) => ({
  ...{
    address: `erphost_${kind}.nightly`,
    mode: "managed",
    type: `erphost_${kind}`,
    provider_name,
  },
  change: { actions: ["delete"], before: { id: "a_1", deletion_protection: true }, after: null },
});
const profileOf = (kind: string, isDeleted: boolean): string =>
  JSON.stringify({ resources: { [kind]: { operations: { delete: isDeleted } } } });

test("what the service deletes by a profile is a delete to the comment, policies and the key's check", async () => {
  pipeline.planned(deleting("backup"));
  const profile = profileOf("backup", true);
  const infra = pipeline.commit("two", { "infra/profile.json": profile });
  pipeline.github.open(1, infra);
  const run = { env: { ERPHOST_PROFILE: "profile.json" }, dir: "infra" };
  const said = await pipeline.refused({ ...run, pull: 1 }, ["plan", ...ALL]);
  const why = "protected-destroyed: erphost_backup.nightly is protected, and the plan deletes it";
  expect(said).toContain(why);
  expect(comments()).toEqual([
    expect.stringMatching(/1 to delete\.[^]*scopes: .*`backups:delete`/),
  ]);
  const words = ["apply", "--allow-unreviewed"];
  const { value } = pipeline.emulator.createKey({ permissions: ["read"] });
  const env = { ...run.env, ERPHOST_API_KEY: value };
  expect(await pipeline.refused({ ...run, env }, words)).toContain("it lacks backups:delete");
});

test("what a profile says is not deleted counts where no pull request can change it", async () => {
  pipeline.planned(deleting("server"));
  const profile = profileOf("server", false);
  pipeline.github.open(1, pipeline.commit("two", { "profile.json": profile }));
  const inFile = { env: { ERPHOST_PROFILE: "profile.json" }, pull: 1 };
  expect(await pipeline.refused(inFile, ["plan", ...ALL])).toContain("protected-destroyed");
  expect(comments()).toEqual([expect.stringContaining("1 to delete.")]);
  const inline = { env: { ERPHOST_PROFILE: profile } };
  expect(await pipeline.run(["plan", ...ALL], inline)).toMatchObject({ code: 0 });
});

test("no name is a command to the runner of a job, in what it shows and why it fails", async () => {
  const named = (name: string) => ({
    ...creating("web", { name: "##[add-mask]production" }),
    address: `erphost_server.each["${name}"]`,
  });
  const hostile = key('erphost_api_key.each["##[error]a"]', ["servers:*"]);
  pipeline.planned(hostile);
  const judged = await pipeline.run(["plan", ...ALL]);
  await pipeline.reviewed(named("##[error]a"));
  pipeline.planned(named("##[error]b"));
  const applied = await pipeline.run(["apply"]);
  const said = [judged, applied].flatMap(({ out, err }) => [...out, ...err]).join("\n");
  expect(said).toContain("## [error]b");
  expect(said).not.toContain("##[");
});

describe("an apply with policies", () => {
  test("applies nothing that they refuse, neither what was reviewed nor what needs no review", async () => {
    await pipeline.reviewed(web, wide);
    for (const words of [[], ["--allow-unreviewed"]]) {
      expect(await pipeline.refused({}, ["apply", ...ALL, ...words])).toContain(
        "Policies refuse the plan of prod, and nothing of it is applied.",
      );
    }
    expect(pipeline.applies).toEqual([]);
    expect(pipeline.github.deployments).toEqual([]);
    expect(await pipeline.run(["apply", "--policies", "admin-key"])).toMatchObject({ code: 0 });
    expect(pipeline.applies).toHaveLength(1);
  });

  test("resumes nothing that they refuse", async () => {
    await pipeline.reviewed(web, wide);
    await pipeline.spoilt("killed");
    expect(await pipeline.refused({}, ["apply", ...ALL])).toContain("wildcard-scope");
  });
});

test.each([
  [["--policies", "wildcards"], "wildcards"],
  [["--policies"], "--policies"],
  [["--policies", "all", "--key-days-max", "0"], "must be a whole number of days, at least 1"],
  [["--key-days-max", "30"], "--key-days-max needs --policies"],
])("unknown policies are refused before anything is planned: %j", async (words, why) => {
  for (const command of ["plan", "apply"]) {
    expect(await complaint(2, pipeline.run([command, ...words]))).toContain(why);
  }
  expect(pipeline.engine).toEqual([]);
});
