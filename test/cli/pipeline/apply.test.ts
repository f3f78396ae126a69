import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { artifactName } from "../../../cli/pipeline/forge/forge";
import { ACTIONS } from "../../e2e/support/forge/github";
import { BEGIN } from "../../e2e/support/forge/github-project";
import { until } from "../../support/wait";
import { complaint } from "../support";
import { creating, PASSPHRASE, Pipeline, SECRET, unrecorded } from "./support";

const pipeline = Pipeline.ofTests();
const eu = { properties: { region: "eu" } };
const web = creating("web", eu);
const deletion = { ...web, change: { actions: ["delete"], before: { id: "srv_1" }, after: null } };

describe("what was reviewed", () => {
  test("a merge plans again, applies that plan where it is what was reviewed, and records its begin and its end", async () => {
    pipeline.passphrase = PASSPHRASE;
    const commit = await pipeline.reviewed(web);
    const { code, out, err } = await pipeline.run(["apply"]);
    expect(code).toBe(0);
    expect(err.join("\n")).toMatch(/has every scope that is needed\.\nThe service names no quota/);
    expect(out).toEqual([`Applied prod at ${commit}.`]);
    expect(pipeline.applies).toEqual([
      expect.stringMatching(/^apply -no-color -input=false -lock-timeout=10m \S+plan\.bin$/),
    ]);
    expect(pipeline.plans).toHaveLength(2);
    const task = expect.stringMatching(/^erphost:prod-[0-9a-f]{8}$/);
    const states = ["in_progress", "success"];
    const recorded = [{ environment: "prod", task, ref: commit, states }];
    expect(
      pipeline.github.pulls.flatMap(({ comments }) => comments).map(({ body }) => body),
    ).toEqual([expect.stringMatching(/\*\*Applied\*\* at `[0-9a-f]{12}` by \[this run/)]);
    expect(pipeline.github.deployments).toMatchObject(recorded);
  });

  test("a merge whose tree is not that of its pull request is applied where each change is the one that was reviewed", async () => {
    await pipeline.reviewed(web);
    const pull = pipeline.github.pulls[0];
    if (pull) pull.merged = pipeline.commit("somebody else's change as well");
    expect(await pipeline.run(["apply"])).toMatchObject({ code: 0 });
    expect(pipeline.states).toEqual([["in_progress", "success"]]);
  });

  const flagged = (deletion_protection: boolean) => creating("web", { ...eu, deletion_protection });

  test.each([
    ["another value", [web], [creating("web", { properties: { region: "us" } })]],
    ["one change more", [web], [web, creating("db")]],
    ["a deletion", [web], [deletion]],
    ["a flag that was set", [web], [flagged(true)]],
    ["a flag that is not set any more", [flagged(true)], [flagged(false)]],
    ["one change less", [web, creating("db")], [web]],
  ])("a plan with %s since the review is refused, and none applied", async (_, then, now) => {
    await pipeline.reviewed(...then);
    pipeline.planned(...now);
    expect(await pipeline.refused()).toMatch(
      /^error: Nothing was applied, .* is not what was reviewed at [0-9a-f]{12}: erphost_server\.\w+/,
    );
    expect(pipeline.states).toEqual([]);
  });

  describe("a plan that another pull request may have left", () => {
    const SAME = /pull request 2 as well, so that nobody can tell whose plan it is\. Make the/;
    const EARLIER = "2026-01-01T00:00:00Z";
    /** The one that is reviewed is merged; a second one has the same commit. */
    const second = async (of: object): Promise<void> => {
      await pipeline.reviewed(web);
      const { github } = pipeline;
      Object.assign(github.open(2, github.pulls[0]?.head ?? ""), { base: "mallory" }, of);
    };

    test.each([
      ["open", {}],
      ["from the same branch, closed by now", { branch: "change-1", closedAt: BEGIN }],
      ["from the same branch, closed before the run", { branch: "change-1", closedAt: EARLIER }],
      ["that has another last commit by now", { branch: "change-1", head: "0".repeat(40) }],
    ])("is not the reviewed one where it is %s", async (_, of) => {
      await second(of);
      expect(await pipeline.refused()).toMatch(SAME);
    });

    test("is the reviewed one where the other had ended before its run began", async () => {
      await second({ branch: "change-1", closedAt: EARLIER, head: "0".repeat(40) });
      expect(await pipeline.run(["apply"])).toMatchObject({ code: 0 });
    });

    test("is not the reviewed one where its branch has more pull requests than one answer shows", async () => {
      await second({ branch: "change-1", closedAt: EARLIER, head: "0".repeat(40) });
      const [, other] = pipeline.github.pulls;
      if (other) pipeline.github.pulls.push(...Array.from({ length: 98 }, () => other));
      expect(await pipeline.refused()).toContain("has too many pull requests to tell whose plan");
    });

    test("is not the reviewed one where two pull requests brought the commit", async () => {
      await second({ base: "main" });
      for (const pull of pipeline.github.pulls) pull.merged = pipeline.git("rev-parse", "HEAD");
      expect(await pipeline.refused()).toContain("no pull request alone brought commit");
    });

    test.each([
      ["by another workflow", { path: ".github/workflows/mallory.yml" }],
      ["from another branch", { branch: "mallory" }],
      ["of a fork", { isFork: true }],
    ])("is not the reviewed one where its run is %s", async (_, of) => {
      await pipeline.reviewed(web);
      Object.assign(pipeline.github.runs[0] ?? {}, of);
      expect(await pipeline.refused()).toContain("no run of this workflow planned the last commit");
    });

    test("is not the reviewed one where the pull request went to another branch then", async () => {
      await pipeline.reviewed(web);
      Object.assign(pipeline.github.pulls[0] ?? {}, { rebasedAt: BEGIN });
      expect(await pipeline.refused()).toContain("pull request 1 was planned for another branch");
    });
  });

  test("a newer run of the same commit takes the place of an older one, whether it left a plan or not", async () => {
    await pipeline.reviewed(web);
    const { github } = pipeline;
    const again = github.begin("pull_request", github.pulls[0]?.head ?? "");
    expect(await pipeline.refused()).toContain("the newest plan run of pull request 1 left none");
    for (const each of github.artifacts) each.run = again.id;
    const [name] = github.artifacts.map((each) => each.name);
    github.keep(again.id, name ?? "", new Uint8Array());
    expect(await pipeline.refused()).toContain("the newest plan of pull request 1 failed, or");
    github.artifacts.pop();
    expect(await pipeline.run(["apply"])).toMatchObject({ code: 0 });
  });

  test("a merge that only changes an output is applied", async () => {
    const planned = (does: string) => {
      const address = { actions: [does], before: null, after: "a" };
      pipeline.plannedMore({ output_changes: { address } });
    };
    planned("create");
    await pipeline.merged(1, "two");
    expect(await pipeline.run(["apply"])).toMatchObject({ code: 0 });
    expect(pipeline.applies).toHaveLength(1);
    planned("no-op");
    expect(await pipeline.run(["apply"])).toMatchObject({ out: ["Nothing to change in prod."] });
    expect(pipeline.applies).toHaveLength(1);
  });

  test("the plan of another folder's stack of the same name is not what was reviewed", async () => {
    await pipeline.reviewed(web);
    mkdirSync(join(pipeline.repository, "b"), { recursive: true });
    const name = artifactName({ stack: "prod", dir: "b/" });
    const { artifacts } = pipeline.github;
    for (const each of artifacts.splice(0)) artifacts.push({ ...each, name });
    const said = await pipeline.refused({ dir: "b" });
    expect(said).toContain("is of another program (terraform, prod)");
  });

  test("a pull request that was merged into another branch does not count as a review", async () => {
    await pipeline.reviewed(web);
    for (const pull of pipeline.github.pulls) pull.base = "mallory";
    expect(await pipeline.refused()).toContain("no pull request alone brought commit");
  });

  test("only an apply locks the state: a plan may be given one that it can only read", async () => {
    await pipeline.reviewed(web);
    await pipeline.run(["apply"]);
    const locks = pipeline.plans.map((line) => /-lock\S+/.exec(line)?.[0]);
    expect(locks).toEqual(["-lock=false", "-lock-timeout=10m"]);
  });

  test("a push without a pull request applies nothing, unless that is allowed", async () => {
    pipeline.planned(web);
    pipeline.commit("straight to main");
    expect(await pipeline.refused()).toMatch(
      /nobody reviewed this plan of prod: no pull request alone brought commit/,
    );
    expect(await pipeline.run(["apply", "--allow-unreviewed"])).toMatchObject({ code: 0 });
    expect(pipeline.applies).toHaveLength(1);
  });

  test("a merge that changes nothing needs no review, and is recorded as the newest", async () => {
    pipeline.planned();
    pipeline.commit("a README");
    const nothing = { code: 0, out: ["Nothing to change in prod."] };
    expect(await pipeline.run(["apply"])).toMatchObject(nothing);
    expect(pipeline.applies).toEqual([]);
    expect(pipeline.states).toEqual([["in_progress", "success"]]);
  });
});

describe("what an apply may do", () => {
  test("a stack of OpenTofu is planned by its own program, and one of CDKTF by the one that its job names", async () => {
    const line = `echo "$1 in \${PWD##*/}" >> "\${0%/*}/of-tofu"`;
    const program = `#!/bin/sh\n${line}\nexec "\${0%/*}/terraform" "$@"\n`;
    writeFileSync(join(pipeline.folder, "bin/tofu"), program, { mode: 0o755 });
    const synth = ["--synth", "mkdir -p cdktf.out/stacks/prod"];
    pipeline.planned(web);
    const places = { repository: ["tofu"], prod: ["cdktf", ...synth] };
    for (const [place, words] of Object.entries(places)) {
      const env = { TERRAFORM_BINARY_NAME: "tofu" };
      const { code, err } = await pipeline.run(["plan", "--tool", ...words], { env });
      expect({ code, err }).toMatchObject({ code: 0 });
      const commands = ["init", "plan", "show", "show"].map((each) => `${each} in ${place}\n`);
      expect(pipeline.read("of-tofu")).toBe(commands.join(""));
      pipeline.unset("of-tofu");
    }
  });

  test("a key that may only read is refused with the scopes that it lacks", async () => {
    await pipeline.reviewed(web);
    const { value } = pipeline.emulator.createKey({ permissions: ["servers:read"] });
    const said = await pipeline.refused({ env: { ERPHOST_API_KEY: value } });
    expect(said).toContain("so nothing was applied: it lacks servers:write.");
    expect(said).not.toContain(value);
  });

  test("a plan that another passphrase encrypted, or none, counts as one that nobody reviewed", async () => {
    pipeline.passphrase = PASSPHRASE;
    await pipeline.reviewed(web);
    const other = { passphrase: "x".repeat(20) };
    const said = await pipeline.refused(other);
    expect(said).toMatch(/nobody reviewed this plan of prod: the saved plan cannot be decrypted, /);
    const accepting = ["apply", "--accept", said.slice(-64)];
    expect(await pipeline.run(accepting, other)).toMatchObject({ code: 0 });
    pipeline.passphrase = undefined;
    await pipeline.run(["plan"], { pull: 1 });
    const plain = pipeline.github.artifacts.at(-1);
    for (const each of pipeline.github.artifacts) each.bytes = plain?.bytes ?? each.bytes;
    const plainly = await pipeline.refused({ passphrase: PASSPHRASE });
    expect(plainly).toContain("the saved plan is not encrypted, and");
    expect(await pipeline.run(["apply"])).toMatchObject({ code: 0 });
  });

  test("a saved plan is not written through a link that the checkout has", async () => {
    const [kept, out] = ["kept", "erphost.plan"].map((name) => join(pipeline.folder, name));
    writeFileSync(kept ?? "", "kept");
    symlinkSync(kept ?? "", out ?? "");
    await pipeline.reviewed(web);
    expect(readFileSync(kept ?? "", "utf8")).toBe("kept");
    expect(await pipeline.run(["apply"])).toMatchObject({ code: 0 });
  });

  test("a saved plan shows nothing of its secrets, and a short passphrase is refused", async () => {
    pipeline.passphrase = PASSPHRASE;
    await pipeline.reviewed(creating("web", { secret_properties: { password: SECRET } }));
    const [artifact] = pipeline.github.artifacts;
    expect(Buffer.from(artifact?.bytes ?? []).toString("latin1")).toContain("erphost.plan");
    expect(pipeline.github.posted.join("\n")).not.toContain(SECRET);
    const short = pipeline.run(["plan"], { pull: 1, passphrase: "short" });
    expect(await complaint(2, short)).toContain("must have at least 20 characters");
  });

  test("an engine gets the scope and none of the forge's secrets", async () => {
    pipeline.passphrase = PASSPHRASE;
    await pipeline.reviewed(web);
    const others = {
      CI_JOB_TOKEN: "job",
      CI_REPOSITORY_URL: "https://gitlab-ci-token:job@gitlab.example/acme/infra.git",
      ERPHOST_VARIABLES_TOKEN: "maintainer",
    };
    const env = { ...others, GITHUB_TOKEN: ACTIONS.token, ERPHOST_FORGE_TOKEN: undefined };
    await pipeline.run(["apply"], { env });
    const environment = pipeline.read("environment");
    expect(environment).toContain("ERPHOST_SCOPE=github.example/acme/infra/prod\n");
    expect(environment).toContain("ERPHOST_SAME_NAME=error\n");
    expect(environment).not.toMatch(/PASSPHRASE|TOKEN|ci-token|ERPHOST_RESUME/);
    expect(environment).toContain("GITHUB_RUN_ID=");
  });
});

describe("after an apply that did not succeed", () => {
  test("an apply that was cut off is resumed by the next one, in one process, with the rest of what was reviewed", async () => {
    await pipeline.reviewed(web, creating("db"));
    await pipeline.spoilt("killed");
    expect(pipeline.states).toEqual([["in_progress"]]);
    pipeline.planned(web);
    expect(await pipeline.applied()).toContain("The last apply of prod was cut off (https://log)");
    const resumed = "apply -no-color -input=false -lock-timeout=10m -auto-approve";
    expect(pipeline.applies.at(-1)).toBe(resumed);
    expect(pipeline.read("environment")).toContain("ERPHOST_RESUME=true\n");
    expect(pipeline.states).toEqual([["in_progress"], ["in_progress", "success"]]);
    pipeline.planned(creating("unreviewed"));
    pipeline.github.deployments.at(-1)?.states.pop();
    expect(await pipeline.run(["apply"])).toMatchObject({ code: 1 });
  });

  test("an apply that was cut off is resumed even after another one that failed", async () => {
    await pipeline.reviewed(web);
    await pipeline.spoilt("killed");
    await pipeline.spoilt("failing");
    expect(await pipeline.applied()).toContain("The last apply of prod was cut off");
    expect(pipeline.states.at(-1)).toEqual(["in_progress", "success"]);
    expect((await pipeline.run(["apply"])).err.join("\n")).not.toContain("cut off");
  });

  test("a job that is cancelled interrupts its engine, and records that the apply failed", async () => {
    await pipeline.reviewed(web);
    pipeline.set("waiting");
    const stop = new AbortController();
    const running = pipeline.run(["apply"], { stopped: stop.signal });
    await until(() => pipeline.has("begun"));
    stop.abort();
    expect(await running).toMatchObject({ code: 1 });
    expect(pipeline.states).toEqual([["in_progress", "failure"]]);
  });

  test("an apply that failed is not resumed, and its rest is applied without another review", async () => {
    await pipeline.reviewed(web, creating("db"));
    await pipeline.spoilt("failing");
    pipeline.planned(web);
    expect(await pipeline.run(["apply"])).toMatchObject({ code: 0 });
    expect(pipeline.read("environment")).not.toContain("ERPHOST_RESUME");
    expect(pipeline.states.flat()).toEqual(["in_progress", "failure", "in_progress", "success"]);
  });

  test("after an apply that failed, one with nothing left to do is recorded, so that reviews are strict again", async () => {
    await pipeline.reviewed(web);
    await pipeline.spoilt("failing");
    pipeline.planned();
    expect(await pipeline.run(["apply"])).toMatchObject({ code: 0 });
    expect(pipeline.states.at(-1)).toEqual(["in_progress", "success"]);
    await pipeline.reviewed(web, creating("db"));
    pipeline.planned(web);
    expect(await pipeline.run(["apply"])).toMatchObject({ code: 1 });
  });

  test("an apply that failed says why, even where the forge takes no record of it", async () => {
    await pipeline.reviewed(web);
    pipeline.set("failing");
    pipeline.github.faults = unrecorded();
    const { err } = await pipeline.run(["apply"]);
    expect(err.at(-1)).toContain("terraform apply failed with exit code 1");
    expect(err.at(-2)).toContain("403: the token may not do that.");
  });
});
