/** The rules, on plans that the real engines made: each is broken once, and kept once it is mended. */
import { describe, expect, test } from "@jest/globals";
import { HIDDEN, risksOf } from "../../provider/plans";
import {
  checkPlan,
  checkResource,
  InvalidInput,
  ruleNames,
  type PlannedObject,
} from "../../provider/plans/policies";
import { BACKED_UP, CASES, HARD, NOW_MS, recordedPolicy, UNFINISHED } from "./policy-cases";

describe("the functions", () => {
  test("every rule has a case", () => {
    expect([...new Set(CASES.map(({ rule }) => rule))].toSorted()).toEqual(ruleNames.toSorted());
  });

  test.each(CASES)("a plan of $engine is refused by $rule alone, and passes when mended", (one) => {
    const broken = checkPlan(recordedPolicy(one, "broken"), { nowMs: NOW_MS });
    const found = broken.map(({ rule, address }) => [rule, address.split(".").at(-1)]);
    expect(found).toEqual([[one.rule, one.object]]);
    expect(checkPlan(recordedPolicy(one, "mended"), { nowMs: NOW_MS })).toEqual([]);
    const others = ruleNames.filter((name) => name !== one.rule);
    expect(checkPlan(recordedPolicy(one, "broken"), { nowMs: NOW_MS, rules: others })).toEqual([]);
  });

  test.each([
    ["is managed", false],
    ["is imported", true],
  ])("a key that %s is old one day later than the given age, and not before", (_, importing) => {
    const one = { rule: "old-key", engine: "terraform", object: "ci" } as const;
    const plan = recordedPolicy(one, "broken");
    const after = (days: number) =>
      checkPlan(importing ? plan.replaceAll('"actions":', '"importing":{"id":"key_2"},$&') : plan, {
        nowMs: Date.parse("2025-01-01T00:10:00Z") + days * 86_400_000,
        keyDaysMax: 30,
      });
    expect(after(29)).toEqual([]);
    expect(after(31).map(({ text }) => text)).toEqual([
      "erphost_api_key.ci has had its secret for more than 30 days, and the plan does not rotate it.",
    ]);
  });

  test.each(BACKED_UP)("a backup %s by an action serves for an upgrade: %s", (_, is, plan) => {
    expect(checkPlan(plan, { nowMs: NOW_MS })).toHaveLength(is ? 0 : 1);
  });

  test.each(HARD)("rules are broken by %s", (what, plan, rules) => {
    const broken = checkPlan(plan, { nowMs: NOW_MS });
    expect(broken.map(({ rule }) => rule).toSorted()).toEqual(rules);
    // Of what is hidden nobody knows what it is.
    if (!what.startsWith("a hidden")) return;
    for (const { text } of broken) expect(text).toContain(" hides ");
  });

  test.each(UNFINISHED)("%s is invalid input, not a plan that breaks no rule", (_, plan) => {
    expect(() => checkPlan(plan, { nowMs: NOW_MS })).toThrow(InvalidInput);
  });

  test.each([
    ["permissions", { permissions: HIDDEN }, { permissions: HIDDEN }, "grows"],
    ["one permission", { permissions: [] }, { permissions: [HIDDEN] }, "grows"],
    ["addresses", { ip_whitelist: HIDDEN }, { ip_whitelist: [] }, "opens"],
    ["none", { ip_whitelist: ["::1"] }, { ip_whitelist: ["0.0.0.0/1", "128.0.0.0/1"] }, "opens"],
    ["a member", { members: [] }, { members: [HIDDEN] }, "grants"],
  ])("people look first at what a plan hides, or opens in parts: %s", (_, had, has, what) => {
    const [before, after] = [had, has].map((each) => ({ expires_at: "2027-01-01", ...each }));
    const of = { kind: what === "grants" ? "team" : "api_key", action: "update", before, after };
    // Nothing else of an object is looked at.
    expect(risksOf(of as unknown as PlannedObject).map((risk) => risk.what)).toEqual([what]);
  });

  test.each([
    [["servers:*"], ["servers:read"], []],
    [["admin"], ["write", "servers:*", "unheard:of"], []],
    [["read"], ["servers:read", "read"], []],
    [["servers:read"], ["read"], ["read"]],
    [["servers:read", "servers:write", "servers:delete"], ["servers:*"], ["servers:*"]],
    [["write"], ["admin", "unheard:of"], ["admin", "unheard:of"]],
  ])(
    "of a key that had %j and gets %j, what it could not do before grows: %j",
    (had, has, grows) => {
      const [before, after] = [had, has].map((all) => ({ permissions: all, rotate_after: "30d" }));
      const of = { kind: "api_key", action: "update", before, after };
      // Nothing else of an object is looked at.
      const found = risksOf(of as unknown as PlannedObject);
      expect(found).toEqual(grows.length === 0 ? [] : [{ what: "grows", values: grows }]);
    },
  );

  test("text and parsed JSON are the same plan, and anything else is invalid input", () => {
    const boss = { rule: "admin-key", engine: "terraform", object: "boss" } as const;
    const text = recordedPolicy(boss, "broken");
    const options = { nowMs: NOW_MS };
    expect(checkPlan(JSON.parse(text), options)).toEqual(checkPlan(text, options));
    for (const wrong of ["", "{}", [], undefined]) {
      expect(() => checkPlan(wrong, options)).toThrow(InvalidInput);
    }
  });

  test("an age that would accept every key is invalid input", () => {
    for (const keyDaysMax of [0, -1, Number.NaN, Infinity]) {
      expect(() => checkPlan({ steps: [] }, { nowMs: NOW_MS, keyDaysMax })).toThrow(/keyDaysMax/);
    }
  });
});

describe("a resource of a Pulumi policy pack", () => {
  const check = (type: string, props: Readonly<Record<string, unknown>>) =>
    checkResource({ type, name: "one", props }, { nowMs: NOW_MS }).map(({ rule }) => rule);
  const KEY = "erphost:index:ApiKey";
  const INSTANCE = "erphost:index:Instance";

  /** As `@pulumi/policy` shows what a preview does not know yet: who reads it is thrown out. */
  const previewed = <T extends object>(of: T): T =>
    new Proxy(of, {
      get: (object, name) => {
        const value: unknown = Reflect.get(object, name);
        if (value === undefined && Object.hasOwn(object, name)) throw new Error(String(name));
        return value instanceof Object ? previewed(value) : value;
      },
    });
  const unknown = undefined;

  test.each([
    ["an admin key", KEY, { permissions: ["admin"] }, ["admin-key"]],
    ["a wildcard", KEY, { permissions: ["teams:*"] }, ["wildcard-scope"]],
    ["a secret", KEY, { permissions: "[secret]" }, ["admin-key", "wildcard-scope"]],
    ["a new one", KEY, previewed({ permissions: ["admin"], status: unknown }), ["admin-key"]],
    ["one of them", KEY, previewed({ permissions: [unknown, "admin"] }), ["admin-key"]],
    ["what is not known yet", KEY, previewed({ permissions: unknown, status: unknown }), []],
    ["a narrow key", KEY, { permissions: ["teams:read"] }, []],
    [
      "an old secret",
      "pulumi-nodejs:dynamic/erphost:ApiKey",
      { permissions: ["teams:read"], rotatedAt: "2020-01-01T00:00:00Z" },
      ["old-key"],
    ],
    ["an instance without a backup", INSTANCE, { version: "17.0" }, ["backup-before-upgrade"]],
    [
      "an instance whose backup is not known yet",
      INSTANCE,
      previewed({ version: "17.0", backupBeforeUpgrade: unknown }),
      [],
    ],
    ["an instance backed up", INSTANCE, { version: "17.0", backupBeforeUpgrade: true }, []],
    ["somebody else's key", "other:index:ApiKey", { permissions: ["admin"] }, []],
  ])("a resource is judged by what is declared: %s", (_, type, props, rules) => {
    expect(check(type, props)).toEqual(rules);
  });
});
