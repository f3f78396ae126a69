/** `--rules` and `--rego`: rules of one's own, which a pull request can neither weaken nor slow down. */
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { snippet } from "../../../e2e/support/guide";
import { creating, Pipeline, SECRET } from "../support";

const pipeline = Pipeline.ofTests();
const RULES = ["--rules", "policy/rules.ts"];
const us = creating("web", { properties: { region: "us" }, secret_properties: { a: SECRET } });
const eu = creating("web", { properties: { region: "eu" } });

/** A module with one rule, whose body is this. */
const moduleOf = (body: string, level = "refuse", head = "") => `${head}
import type { Plan, Rules } from "erphost/policies";
export const rules: Rules = { "own-rule": { level: "${level}", check(plan: Plan) { ${body} } } };
`;
const noUs = moduleOf(
  `
  return plan.objects
    .filter(({ after }) => isFar(after?.["properties"]))
    .map(({ address }) => ({ address, why: "is far away: @acme/team" }));
`,
  "refuse",
  `import { isFar } from "./far.ts";`,
);
const FAR = `export const isFar = (properties: any): boolean => properties?.region === "us";`;

/** The rules of the main branch, which the next pull request begins at. */
function given(text: string, more: Readonly<Record<string, string>> = {}): void {
  pipeline.base = pipeline.commit("rules", {
    "policy/rules.ts": text,
    "policy/far.ts": FAR,
    "policy/far.cjs": "exports.far = 1;",
    ...more,
  });
}
const planned = (words: readonly string[] = RULES) =>
  pipeline.refused({ pull: 1 }, ["plan", ...words]);
const body = (): string => pipeline.github.pulls[0]?.comments[0]?.body ?? "";

beforeEach(() => pipeline.planned(us));

const opened = (files: Readonly<Record<string, string>> = {}) =>
  pipeline.github.open(1, pipeline.commit("two", files));

describe("rules of one's own", () => {
  test("refuse a plan by the files before the pull request, whatever it makes of them", async () => {
    given(noUs);
    opened({
      "policy/rules.ts": moduleOf("return [];"),
      "policy/far.ts": "export const isFar = () => false;",
      "policy/package.json": '{"imports": {}}',
      "node_modules/erphost/policies.js": "throw 1",
    });
    expect(await planned()).toContain("own-rule: erphost_server.web is far away: @acme/team.");
    expect(body()).toContain(
      "#### Refused by policies\n\n- `own-rule`: `erphost_server.web` `is far away: @acme/team`\n",
    );
    expect(pipeline.kept).toEqual([]);
  });

  test("let a plan pass that they say nothing of, and one that they only warn of", async () => {
    given(snippet("policies", "ts", "only-eu"));
    opened();
    expect(await planned()).toContain("only-eu: erphost_server.web is not in the region eu.");
    pipeline.planned(eu);
    expect(await pipeline.run(["plan", ...RULES], { pull: 1 })).toMatchObject({ code: 0 });
    expect(body()).not.toContain("only-eu");
    given(noUs.replace('"refuse"', '"warn"'));
    pipeline.planned(us);
    expect(await pipeline.run(["plan", ...RULES], { pull: 1 })).toMatchObject({ code: 0 });
    expect(body()).toContain("#### Policies warn\n\n- `own-rule`: `erphost_server.web`");
    expect(body()).toContain("applies this and nothing else");
  });

  test.each([
    ["throw", "throw new Error('no')", /--rules failed \(1\)\. Error: no/],
    ["answer with nothing", "", /answered in another form/],
    ["answer with a text", "return 'all is well';", /answered in another form/],
    ["print an answer of their own", "console.warn(1); return [];", undefined],
    ["read the job's files", "return import('node:fs');", /may import erphost\/policies and files/],
    ["import a package", "return import('zod');", /may import erphost\/policies and files next/],
    ["import a whole path", "return import('file:///etc/hosts');", /may import erphost\/policies/],
    ["load a built-in", "return module.constructor._load('net');", /module is not defined|not net/],
    ["are not ES modules", "return import('./far.cjs');", /far\.cjs is not an ES module/],
    ["ask for the job's variables", "return process.env;", /process is not defined/],
    ["call somebody", "return fetch('http://127.0.0.1');", /fetch is not defined/],
    ["change the plan for others", "plan.objects.length = 0; return [];", undefined],
  ])("that %s never let a plan pass by it", async (_, code, why) => {
    const second = `, "second": { level: "refuse", check: (plan) => plan.objects.map(({ address }) => ({ address, why: "is seen" })) } };`;
    given(moduleOf(code).replace(/ };\n$/, second));
    opened();
    expect(await planned()).toMatch(why ?? /second: erphost_server\.web is seen\./);
    expect(pipeline.kept).toEqual([]);
  });

  test("see no field that is secret, and where another one has its value, nothing shows what they say of it", async () => {
    const region = `${"x".repeat(110)}${SECRET}`;
    pipeline.planned(creating("web", { properties: { region }, secret_properties: { a: SECRET } }));
    const body = "const [{ after }] = plan.objects; return [{ address: after.properties.region,";
    given(moduleOf(`${body} why: JSON.stringify(after) }];`));
    opened();
    const said = await planned();
    expect(said).toContain('"secret_properties":(secret)');
    expect([said, pipeline.github.posted].join()).not.toContain(SECRET.slice(0, 8));
  });

  test("that do not end are ended after ten seconds, and refuse", async () => {
    given(moduleOf("for (;;);"));
    opened();
    const after = (work: () => void) => void setTimeout(work, 1_000);
    const said = await pipeline.refused({ pull: 1, after }, ["plan", ...RULES]);
    expect(said).toContain("--rules did not answer within 10 s.");
  });

  const linked = () => join(pipeline.repository, "policy/linked.ts");
  test.each([
    ["a link", () => symlinkSync("/etc/hosts", linked()), "linked.ts"],
    ["no file", () => undefined, "missing.ts"],
  ])("that are %s are missing, and refuse", async (_, make, name) => {
    given(noUs);
    make();
    pipeline.base = pipeline.commit("more");
    opened(name === "missing.ts" ? { "policy/missing.ts": noUs } : {});
    expect(await planned(["--rules", `policy/${name}`])).toContain(
      `policy/${name} in --rules is not in ${pipeline.base.slice(0, 12)}`,
    );
    pipeline.git("rm", "-q", "--force", "--ignore-unmatch", "policy/linked.ts");
  });

  test("of a commit that is not in the checkout refuse, and the error says what to fetch", async () => {
    opened();
    pipeline.base = "f".repeat(40);
    expect(await planned()).toContain("fetch-depth: 0 on GitHub, GIT_DEPTH: 0 on GitLab");
  });

  const OUTSIDE = ["../rules.ts", "/etc/rules.ts", "a/../../b.ts", "C:\\rules.ts"];
  test.each(OUTSIDE)("outside of the repository are invalid input: %s", async (path) => {
    expect(await pipeline.run(["plan", "--rules", path])).toMatchObject({ code: 2 });
    expect(pipeline.engine).toEqual([]);
  });
});

describe("an apply with rules of one's own", () => {
  /** A pull request that was planned with these words, and merged with these files. */
  async function merged(words: readonly string[], files = {}): Promise<void> {
    const pull = opened(files);
    expect(await pipeline.run(["plan", ...words], { pull: 1 })).toMatchObject({ code: 0 });
    pull.merged = pipeline.git("rev-parse", "HEAD");
    pipeline.github.history.push(pipeline.base ?? "", pull.merged);
  }
  const other = "judged by other rules than those of";

  test("judges by those that the pull request was planned against, and not by those that it brought", async () => {
    given(noUs);
    pipeline.planned(eu);
    const [old, base] = [pipeline.base ?? "", pipeline.commit("another merge")];
    await merged(RULES, { "policy/rules.ts": moduleOf("for (;;);") });
    pipeline.github.history.splice(0, 9, old, base);
    pipeline.base = base;
    expect(await pipeline.run(["apply", ...RULES])).toMatchObject({ code: 0 });
  });

  test.each([
    ["no rules", [], RULES],
    ["rules that the apply knows nothing of", RULES, []],
  ])("refuses a plan that was judged by %s", async (_, before, now) => {
    given(noUs);
    pipeline.planned(eu);
    await merged(before);
    expect(await pipeline.refused({}, ["apply", ...now])).toContain(other);
  });

  test("refuses a plan that was judged by rules of the pull request itself", async () => {
    given(noUs);
    const base = pipeline.base ?? "";
    // Whoever edits the plan's job can name another base.
    pipeline.base = pipeline.commit("weaker", { "policy/rules.ts": moduleOf("return [];") });
    await merged(RULES);
    pipeline.base = base;
    pipeline.github.history.splice(0, 9, base);
    expect(await pipeline.refused({}, ["apply", ...RULES])).toContain(other);
  });

  test("judges by those before the merge as well, which may be stricter than those of the plan", async () => {
    given(moduleOf("return [];"));
    const old = pipeline.base ?? "";
    const base = pipeline.commit("stricter", { "policy/rules.ts": noUs });
    await merged(RULES);
    pipeline.github.history.splice(0, 9, old, base);
    pipeline.base = base;
    expect(await pipeline.refused({}, ["apply", ...RULES])).toContain("is far away");
  });

  test("takes none of a commit outside of the history, such as before a forced push", async () => {
    given(noUs);
    pipeline.git("checkout", "--quiet", "-b", "mallory");
    pipeline.base = pipeline.commit("weaker", { "policy/rules.ts": moduleOf("return [];") });
    pipeline.git("checkout", "--quiet", "main");
    pipeline.commit("straight to main");
    const said = await pipeline.refused({}, ["apply", ...RULES, "--allow-unreviewed"]);
    expect(said).toContain("is far away");
  });

  const allowed = () => pipeline.refused({}, ["apply", ...RULES, "--allow-unreviewed"]);
  const weaker = { "policy/rules.ts": moduleOf("return [];") };

  test.each([false, true])(
    "judges by those of the last apply where no push started the job, also once its own has failed: %s",
    async (hasFailed) => {
      given(noUs);
      pipeline.planned();
      expect(await pipeline.run(["apply", ...RULES])).toMatchObject({ code: 0 });
      pipeline.planned(us);
      pipeline.commit("weaker", weaker);
      const ref = pipeline.commit("straight to main");
      pipeline.base = undefined;
      const [last] = pipeline.github.deployments;
      if (!last) throw new Error("nothing was applied");
      const id = last.id + 1_000;
      if (hasFailed) pipeline.github.deployments.push({ ...last, id, ref, states: ["failure"] });
      expect(await allowed()).toContain("is far away");
    },
  );

  test("judges a commit by none of its own in a shallow checkout", async () => {
    given(noUs);
    const shallow = join(pipeline.repository, ".git/shallow");
    writeFileSync(shallow, pipeline.commit("straight to main", weaker));
    const said = [await allowed()];
    pipeline.base = undefined;
    said.push(await allowed());
    rmSync(shallow);
    expect(said[0]).toContain("is far away");
    expect(said[1]).toMatch(/The commit \w{12}\^, .* is not in the checkout/);
  });

  test("lets no --allow-unreviewed and no acceptance get past them", async () => {
    given(noUs);
    pipeline.commit("straight to main");
    expect(await allowed()).toContain("own-rule: erphost_server.web is far away");
  });
});

describe("rules in Rego", () => {
  const REGO = ["--rego", "rego"];
  /** In the place of Conftest: it answers this, and ends so. */
  const conftest = (answer: unknown, code = 0): void => {
    const script = `#!/bin/sh\nenv > "\${0%/*}/rego-env"\necho '${JSON.stringify(answer)}'\nexit ${code}\n`;
    writeFileSync(join(pipeline.folder, "bin/conftest"), script, { mode: 0o755 });
  };
  beforeEach(() => given(noUs, { "rego/a.rego": "package main" }));

  test("refuse and warn by what Conftest says, which gets none of the job's variables", async () => {
    opened();
    const failures = [{ msg: `too far: ${SECRET}` }];
    conftest([{ successes: 1, failures, warnings: [{ msg: "old" }] }], 1);
    expect(await planned(REGO)).toContain("rego: too far: (secret)");
    expect(body()).toContain("#### Policies warn\n\n- `rego`: `rego` `old`");
    const names = pipeline
      .read("rego-env")
      .split("\n")
      .map((line) => line.split("=")[0]);
    expect(names.filter((name) => /ERPHOST|GITHUB|TOKEN/.test(name ?? ""))).toEqual([]);
  });

  test("refuse where Conftest is missing, fails, or judges nothing", async () => {
    opened();
    const none = { PATH: `${join(pipeline.folder, "bin")}:/usr/bin:/bin` };
    const missing = await pipeline.refused({ pull: 1, env: none }, ["plan", ...REGO]);
    expect(missing).toContain("--rego needs conftest, which is missing (ENOENT)");
    conftest([{ successes: 0 }]);
    expect(await planned(REGO)).toContain("--rego found no rule in the package main");
    conftest({}, 2);
    expect(await planned(REGO)).toContain("--rego failed (2)");
    conftest({ well: true });
    expect(await planned(REGO)).toContain("--rego answered in another form");
  });
});
