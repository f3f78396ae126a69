/** Every part of the service's contract, by hand: the definitions must say the same. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "@jest/globals";
import type { z } from "zod";
import * as contract from "../../provider/contract";
import type { Field, Resource } from "../../provider/contract";

const { errorCodes, keyClasses, levels, listParameters, plans, resources } = contract;
const { scopeNames, scopes, wildcards, allows, expandScopes, isScope, parseApiKey } = contract;

const all: Readonly<Record<string, Resource>> = resources;

const KEY_FIELDS = [
  ...["id", "name", "permissions", "ip_whitelist", "expires_at", "notification_email", "value"],
  ...["auto_rotate", "rotation_enabled", "rotation_period", "grace_period"],
];

describe("part 2: resources and fields", () => {
  test.each([
    ["server", "/servers", ["name", "status"]],
    ["instance", "/instances", ["status", "version", "edition"]],
    ["backup", "/backups", ["created_at"]],
    ["cloud_provider", "/providers", ["created_at"]],
    ["team", "/teams", ["created_at"]],
    ["invoice", "/invoices", ["created_at"]],
    ["api_key", "/api-keys", KEY_FIELDS],
  ])("%s at %s has its documented fields", (name, path, documented) => {
    const resource = all[name];
    expect(resource?.path).toBe(path);
    const marked = Object.entries(resource?.fields ?? {})
      .filter(([, field]: [string, Field]) => field.source === "documented")
      .map(([field]) => field);
    expect(marked.sort()).toEqual([...new Set([...documented, "created_at"])].sort());
    expect(Object.keys(resource?.fields ?? {})).toContain("id");
  });

  test("a key's value is secret and comes from the service alone", () => {
    expect(resources.api_key.fields.value).toMatchObject({ secret: true, use: "output" });
  });

  test("the envelope and the pagination of the contract are read", () => {
    const meta = { timestamp: "2026-01-01T00:00:00Z", request_id: "req_1" };
    const pagination = {
      ...{ current_page: 1, per_page: 20, total_pages: 1, total_items: 0 },
      ...{ has_next: false, has_previous: false },
    };
    const answer = { success: true, data: [], meta, pagination };
    expect(contract.envelopeSchema.parse(answer)).toEqual(answer);
    expect(contract.envelopeSchema.safeParse({ ...answer, success: false }).success).toBe(false);
  });
});

describe("part 4: operations and parameters", () => {
  test.each([
    ["server", ["create", "list", "update", "delete"]],
    ["instance", ["create", "list", "update", "delete"]],
    ["backup", ["create", "list"]],
    ["cloud_provider", ["list"]],
    ["team", ["create", "list", "update"]],
    ["invoice", ["list"]],
    ["api_key", []],
  ])("%s offers by the contract %j", (name, documented) => {
    const offered = Object.entries(all[name]?.operations ?? {}).filter(
      ([, source]) => source === "documented",
    );
    expect(offered.map(([operation]) => operation).sort()).toEqual([...documented].sort());
  });

  test("list parameters have the defaults and bounds of the contract", () => {
    const of = (name: keyof typeof listParameters) => listParameters[name];
    expect(of("page").default).toBe(1);
    expect(of("per_page").default).toBe(20);
    expect([of("sort").default, of("order").default]).toEqual(["created_at", "desc"]);
    expect(of("per_page").schema.safeParse(100).success).toBe(true);
    for (const bad of [0, 101, 1.5])
      expect(of("per_page").schema.safeParse(bad).success).toBe(false);
    expect(of("order").schema.safeParse("up").success).toBe(false);
  });

  test("the filters of each list are those of the contract", () => {
    expect(resources.server.fields["status"]?.filter).toBe("equality");
    expect(resources.instance.fields["version"]?.filter).toBe("service");
    expect(resources.instance.fields["edition"]?.filter).toBe("service");
    const filters = Object.keys(resources.backup.filters ?? {});
    expect(filters).toEqual(["created_after", "created_before"]);
    for (const good of ["2026-01-31", "2026-01-31T10:00:00Z"]) {
      expect(contract.dateBound.safeParse(good).success).toBe(true);
    }
    expect(contract.dateBound.safeParse("31.1.2026").success).toBe(false);
  });

  test("the key test, the rotation and the debug headers are read", () => {
    const time = "2026-01-01T00:00:00Z";
    const rate_limit = { limit: 1, remaining: 1, reset: time };
    const answer = { authenticated: true, key_id: "k", permissions: ["servers:read"], rate_limit };
    contract.authTestSchema.parse(answer);
    const shown = (limit: number) =>
      contract.authView({ ...answer, rate_limit: { ...rate_limit, limit } }).rateLimit;
    // Some say unlimited like this.
    expect([1, 0, -1].map(shown)).toEqual([rate_limit, undefined, undefined]);
    const new_key = { id: "b", value: "v", created_at: time };
    contract.rotationSchema.parse({ old_key: { id: "a", expires_at: time }, new_key });
    const headers = ["Key-ID", "Permissions", "IP-Check", "Rate-Limit"];
    expect(Object.keys(contract.debugHeaders)).toEqual(headers.map((name) => `X-Auth-${name}`));
  });
});

describe("part 5: keys and scopes", () => {
  const documented = [
    ...["servers:read", "servers:write", "servers:delete"],
    ...["instances:read", "instances:write", "instances:delete"],
    ...["backups:read", "backups:write", "teams:read", "teams:write", "billing:read"],
  ];

  test("documented scopes and wildcards are marked so, all others as assumed", () => {
    const marked = (list: readonly { name: string; source: string }[]) =>
      list.filter(({ source }) => source === "documented").map(({ name }) => name);
    expect(marked(scopes)).toEqual(documented);
    expect(marked(wildcards)).toEqual(["servers:*", "instances:*", "backups:*", "teams:*"]);
    expect(Object.keys(levels)).toEqual(["read", "write", "delete", "admin"]);
    expect(scopeNames.every(isScope)).toBe(true);
    expect(isScope("servers:admin")).toBe(false);
  });

  test("a wildcard grants all of its resource and nothing else", () => {
    for (const { name } of wildcards) {
      const [area] = name.split(":");
      const own = scopes.map((scope) => scope.name).filter((scope) => scope.startsWith(`${area}:`));
      expect([...expandScopes([name])]).toEqual(own);
    }
  });

  test("a level grants all of its kind, only admin includes billing, and a scope of a later release is kept as it is", () => {
    expect(expandScopes(["admin"])).toEqual(new Set(scopes.map(({ name }) => name)));
    for (const level of ["read", "write", "delete"]) {
      const own = scopeNames.filter((name) => name.endsWith(`:${level}`));
      const granted = own.filter((name) => name !== "billing:read");
      expect([...expandScopes([level])].sort()).toEqual(granted.sort());
    }
    expect(allows(["read"], "servers:write")).toBe(false);
    expect(allows(["write", "delete"], "servers:delete")).toBe(true);
    expect(allows([], "servers:read")).toBe(false);
    expect(allows(["domains:read"], "domains:read")).toBe(true);
  });

  test.each([
    ["erp_test_abcd1234", { prefix: "erp", environment: "test", unique: "abcd1234" }],
    ["a_b_live_x_test_y", { prefix: "a_b", environment: "live", unique: "x_test_y" }],
    ["erp_live_a.b+c=d~e/f", { prefix: "erp", environment: "live", unique: "a.b+c=d~e/f" }],
    ["erp_live_x", { prefix: "erp", environment: "live", unique: "x" }],
    ["erp_prod_abcd1234", undefined],
    ["erp_live_clé", undefined],
    ["erp_test_", undefined],
    ["_test_abcd1234", undefined],
    ["erp_test_abcd 1234", undefined],
    ["", undefined],
  ])("the key %j is taken apart", (text, parts) => expect(parseApiKey(text)).toEqual(parts));

  test("periods, addresses and ranges are validated", () => {
    expect(contract.periodMs("90d")).toBe(90 * 86_400_000);
    for (const bad of ["90x", "90", "d", "0d", "-1d", "1.5d", "90d "]) {
      expect(contract.period.safeParse(bad).success).toBe(false);
    }
    for (const good of ["10.0.0.1", "10.0.0.0/8", "::1", "2001:db8::/32"]) {
      expect(contract.addressOrRange.safeParse(good).success).toBe(true);
    }
    for (const bad of ["10.0.0.0/33", "10.0.0", "host", "2001:db8::/129", ""]) {
      expect(contract.addressOrRange.safeParse(bad).success).toBe(false);
    }
  });
});

test("an event of part 6 is read with its payload", () => {
  expect(Object.entries(contract.events).map(([name, { doc }]) => [name, doc])).toEqual([
    ["server.created", "server provisioned"],
    ["server.deleted", "server removed"],
    ["instance.deployed", "instance ready"],
    ["instance.stopped", "instance stopped"],
    ["backup.completed", "backup finished"],
    ["backup.failed", "backup errored"],
  ]);
  const data = { instance_id: "i", server_id: "s", status: "running" };
  const event = { event: "instance.deployed", timestamp: "2026-01-01T00:00:00Z", data };
  expect(contract.eventSchema.parse(event)).toEqual(event);
  expect(contract.eventSchema.safeParse({ ...event, event: "instance.lost" }).success).toBe(false);
  expect(contract.eventNames).toHaveLength(6);
});

describe("part 7: errors", () => {
  test.each([
    ["unauthorized", 401, "a", {}],
    ["forbidden", 403, "a", {}],
    ["not_found", 404, "a", {}],
    ["validation_error", 422, "a", { details: { field: "name", reason: "taken" } }],
    ["rate_limit_exceeded", 429, "a", { retry_after: 60 }],
    ["internal_error", 500, "a", {}],
    ["authentication_required", 401, "b", {}],
    ["invalid_token", 401, "b", {}],
    ["token_expired", 401, "b", { expired_at: "2026-01-01T00:00:00Z" }],
    ["insufficient_permissions", 403, "b", { required: ["a"], provided: ["b"] }],
    ["ip_not_allowed", 403, "b", { your_ip: "1.2.3.4", allowed_ips: ["5.6.7.8"] }],
  ] as const)("%s is a documented %i of form %s", (code, status, form, extra) => {
    expect(errorCodes[code]).toMatchObject({ status, form, source: "documented" });
    const error = { code, message: "no", ...(form === "b" && { status }), ...extra };
    const envelope = form === "a" ? { success: false as const, error } : { error };
    expect(contract.errorEnvelopeSchema.parse(envelope)).toEqual(envelope);
    const facts: { readonly status: number; readonly extra?: z.ZodType } = errorCodes[code];
    const schema = facts.extra;
    expect(schema === undefined).toBe(Object.keys(extra).length === 0);
    if (schema) expect(schema.parse(extra)).toEqual(extra);
  });

  test("no other error code counts as documented", () => {
    const documented = Object.values(errorCodes).filter(({ source }) => source === "documented");
    expect(documented).toHaveLength(11);
  });
});

test("the limits of part 8 are those of the plans and key types", () => {
  const table = (classes: typeof plans | typeof keyClasses) =>
    Object.entries(classes).map(([name, { windows }]) => [
      name,
      ...windows.map(({ requests, windowMs }) => `${requests}/${windowMs / 60_000}m`),
    ]);
  expect(table(plans)).toEqual([
    ["starter", "1000/60m", "100/1m"],
    ["professional", "5000/60m", "500/1m"],
    ["enterprise"],
  ]);
  expect(table(keyClasses)).toEqual([
    ["standard", "1000/60m", "100/1m"],
    ["high_volume", "10000/60m", "1000/1m"],
    ["limited", "100/60m", "10/1m"],
    ["unlimited"],
  ]);
  const headers = ["Limit", "Remaining", "Reset"].map((name) => `X-RateLimit-${name}`);
  expect(Object.values(contract.rateHeaders)).toEqual(headers);
});

const root = join(__dirname, "../..");
const topics = contract.assumptions.map(({ topic }) => topic);

/** What a comment says after the word, up to the end of the comment. */
const comments = (text: string): string[] =>
  text
    .split(/Assumptions?:\s+/)
    .slice(1)
    .map((after) => after.split(/\*\/|\n(?!\s*(?:\/\/|\*))/)[0] ?? "");

/** Comments that name no topic of the list. */
const unlisted = (text: string): string[] =>
  comments(text).filter((said) => !topics.some((topic) => said.startsWith(`${topic}.`)));

describe("assumptions", () => {
  test("every comment that calls something an assumption names a topic of the list", () => {
    const files = ["provider", "emulator", "cli", "cdktf-bindings"].flatMap((room) =>
      readdirSync(join(root, room), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ts"))
        .map((name) => join(room, name))
        // The list itself explains how.
        .filter((name) => !name.endsWith("profile/assumptions.ts")),
    );
    const texts = files.map((file) => [file, readFileSync(join(root, file), "utf8")] as const);
    expect(texts.flatMap(([, text]) => comments(text)).length).toBeGreaterThan(20);
    const stray = texts.flatMap(([file, text]) => unlisted(text).map((said) => `${file}: ${said}`));
    expect(stray).toEqual([]);
  });

  test("a comment with an assumption of its own is found", () => {
    expect(unlisted("/** Assumption: Webhooks. */")).toEqual([]);
    expect(unlisted("/** Assumption: any size will do. */")).toHaveLength(1);
    expect(unlisted("// Assumptions: none is listed.\n")).toHaveLength(1);
  });

  test("no two assumptions have one topic, and none begins like another", () => {
    const alike = topics.filter((topic) =>
      topics.some((other) => other !== topic && `${other}.`.startsWith(`${topic}.`)),
    );
    expect(alike).toEqual([]);
    expect(new Set(topics).size).toBe(topics.length);
  });
});

test("everything that the contract leaves open is listed with its assumption", () => {
  const open = ["Item path", "Item GET", "Idempotency: misuse", "Webhooks", "Grace period"];
  expect(topics).toEqual(expect.arrayContaining(open));
});
