import { describe, expect, test } from "@jest/globals";
import { message, sentence } from "../../provider/messages";
import { warning } from "../../provider/terraform/diagnostics";
import { sayWithBlocks, voice } from "../../provider/terraform/voice";
import * as m from "../../provider/terraform/wire/messages.gen";
import type { RawObject } from "../../provider/terraform/wire/msgpack";
import { given } from "../support/given";
import { dynamic, emulator, placeOf, provider, restarted, said, setUp } from "./support/provider";
import type { Held } from "./support/provider";

setUp();

describe("a mistake", () => {
  const ADA = "ada@example.com";
  const team = (...members: RawObject[]) => ["team", { name: "ops", members }] as const;
  const key = (config: RawObject) =>
    ["api_key", { name: "ci", permissions: ["servers:read"], ...config }] as const;
  const server = (config: RawObject) => ["server", { name: "web", ...config }] as const;
  test.each<[string, readonly [kind: string, config: RawObject], string, RegExp]>([
    [
      "a member of a set of objects is named by its key, because Terraform sorts sets",
      team({ email: ADA }, { email: "bob" }),
      "members",
      /^members\["bob"\]\.email is not a valid email address\.$/,
    ],
    [
      "a member of a set of strings is named by its value",
      key({ ip_whitelist: ["10.0.0.0/8", "203.0.113.300"] }),
      "ip_whitelist",
      /^ip_whitelist\["203\.0\.113\.300"\] must be an IPv4 address/,
    ],
    [
      "a write-only value of the wrong type is reported at the write-only attribute",
      key({ secret_properties_wo: ['"string"', "x"] }),
      "secret_properties_wo",
      /^secret_properties_wo must be an object\./,
    ],
    [
      "members whose addresses differ in case alone are one member",
      team({ email: "Ada@example.com" }, { email: "bob@example.com" }, { email: ADA }),
      "members",
      /^members has more than one member with the email ada@example\.com; keep one\.$/,
    ],
    [
      "a property that only the service sets is not said to be settable elsewhere",
      server({ properties: dynamic({ status: "x" }) }),
      "properties",
      /^properties\.status is decided by the service and cannot be set\.$/,
    ],
    [
      "a property that is also a field points to that field",
      server({ properties: dynamic({ name: "x" }) }),
      "properties",
      /^properties\.name belongs to the field name; set that instead\.$/,
    ],
    [
      "a bad timeout points at its place in the timeouts block",
      server({ timeouts: { create: "x" } }),
      "timeouts.create",
      /^timeouts\.create must be a duration/,
    ],
  ])("%s", async (_, [kind, config], place, detail) => {
    const { diagnostics } = await provider.validate(kind, config);
    expect(diagnostics.map(placeOf)).toEqual([place]);
    expect(diagnostics[0]?.detail).toMatch(detail);
  });
});

test("warnings about different objects have the same summary, so that Terraform folds them", async () => {
  const teams = await Promise.all(["ops", "dev"].map((name) => provider.apply("team", { name })));
  const plans = await Promise.all(teams.map((team) => provider.plan("team", null, team)));
  const warnings = plans.flatMap(({ diagnostics }) => diagnostics);
  const summaries = warnings.map(({ summary }) => summary);
  expect(summaries).toEqual(["Object is retained", "Object is retained"]);
  const details = said(warnings);
  for (const id of ["team_1", "team_2"]) expect(details).toContain(`Team ${id} (`);
});

test("an error that the service causes has a summary without an id, and points at the attribute that the service names", async () => {
  const config = { name: "erp", server_id: "srv_none" };
  const { diagnostics, state } = await provider.apply("instance", config);
  expect(state).toBeNull();
  expect(diagnostics.map(({ summary }) => summary)).toEqual(["Creating erphost_instance failed"]);
  expect(diagnostics.map(placeOf)).toEqual(["server_id"]);
  expect(said(diagnostics)).toContain("422");
});

test.each([
  [
    "a kind without names by name asks for an id",
    "backup",
    /^A backup has no name, so it cannot be imported by name\. Use its id/,
  ],
  ["an unknown name asks to check the name", "server", /Check the name and the account/],
])("an import of %s", async (_, kind, wanted) => {
  const { diagnostics } = await provider.import(kind, "name=foo");
  expect(diagnostics.map(({ detail }) => detail).join()).toMatch(wanted);
});

test("the warning about an existing name ends with an import block that can be pasted", async () => {
  emulator.createObjects("server", { name: "web", status: "running" });
  const { diagnostics } = await provider.plan("server", { name: "web" });
  expect(diagnostics.map(({ detail }) => detail.split("\n\n")[1])).toEqual([
    'import {\n  to = erphost_server.NAME\n  id = "srv_1"\n}',
  ]);
});

test("warnings about existing names differ in their summaries, so that an engine folds none of them", async () => {
  emulator.createObjects("server", [{ name: "web" }, { name: "db" }]);
  const plans = await Promise.all(["web", "db"].map((name) => provider.plan("server", { name })));
  const summaries = plans.flatMap(({ diagnostics }) => diagnostics.map(({ summary }) => summary));
  expect(summaries).toEqual(["Name already in use: srv_1", "Name already in use: srv_2"]);
});

test("a scope that is missing, and an object that moves, are in the summary, so that an engine shows each", () => {
  const subject = { kind: "server", id: "srv_1" };
  const parts = { kind: "server", action: "create", scope: "servers:write", provided: [] };
  const missing = { code: "not_permitted", parts };
  const moves = message("state_moves", { from: "a", to: "b" }, { subject });
  expect([missing, moves].map((each) => warning([], each).summary)).toEqual([
    "Scope missing: servers:write",
    "State moves to another address: srv_1",
  ]);
});

describe("a plan without a change", () => {
  test("it tells in every run what the service keeps though the program gives it no more, and how to clear it", async () => {
    const bare = { name: "ci", permissions: ["servers:read"] };
    const left = {
      ...{ ip_whitelist: ["10.0.0.0/8"], expires_at: "2030-01-01T00:00:00Z" },
      ...{ rotation_enabled: true, rotation_period: "90d", grace_period: "7d" },
      notification_email: "ops@example.com",
    };
    const made = await provider.apply("api_key", { ...bare, ...left });
    for (let run = 1; run <= 2; run += 1) {
      const read = await provider.read("api_key", made);
      const { planned, diagnostics } = await provider.plan("api_key", bare, read);
      expect(planned).toEqual(read.state);
      expect(diagnostics.map(({ summary }) => summary.split(": ")[1])).toEqual(
        Object.keys(left).map((field) => `${field} of key_2`),
      );
      expect(said(diagnostics)).toMatch(/ip_whitelist was taken .* set it to \[\]\..* to false\./);
      expect(said(diagnostics).match(/clear it in the service/g)).toHaveLength(4);
    }
  });

  test("it says nothing of what was never given, is cleared, or is replaced", async () => {
    emulator.createObjects("server", [{ name: "one" }, { name: "two" }]);
    const config = { name: "erp", server_id: "srv_1" };
    const made = await provider.apply("instance", { ...config, version: "17.0" });
    const found = await provider.import("instance", "ins_1");
    const team = await provider.apply("team", { name: "ops", members: [] });
    const plans = [
      await provider.plan("instance", { ...config, server_id: "srv_2" }, made),
      await provider.plan("instance", config, found),
      await provider.plan("team", { name: "ops" }, team),
    ];
    expect(plans.flatMap(({ diagnostics }) => diagnostics)).toEqual([]);
  });

  test("it tells in every run of an object that has failed", async () => {
    const made = await provider.apply("server", { name: "web" });
    emulator.changeObject("server", "srv_1", { status: "failed" });
    let held: Held = made;
    for (let run = 1; run <= 2; run += 1) {
      const read = await (await restarted(emulator)).read("server", held);
      expect(read.diagnostics.map(({ summary }) => summary)).toEqual(["Object has failed"]);
      held = read;
    }
  });
});

test("an import block quotes an id so that none of it is a template or another block", () => {
  const subject = { kind: "server", id: '"\n}\n${file("/etc/passwd")}%{ if true }' };
  const { detail } = sayWithBlocks(message("state_without_metadata", { subject }));
  const [, block = ""] = /\n\n(import \{[\s\S]*)$/.exec(detail) ?? [];
  expect(block.split("\n")).toEqual([
    "import {",
    "  to = erphost_server.NAME",
    String.raw`  id = "\"�}�$${"$"}{file(\"/etc/passwd\")}%%{ if true }"`,
    "}",
  ]);
});

test.each([
  ["no_answer", { detail: "no answer within 30000 ms" }, "raise timeout (ERPHOST_TIMEOUT)"],
  [
    "mass_gone",
    { subject: { kind: "server", id: "srv_1" }, gone: 11, known: 12 },
    "set allow_mass_gone (ERPHOST_ALLOW_MASS_GONE) to true",
  ],
])("the message %s names the setting as the provider block writes it", (code, parts, text) => {
  expect(sentence(voice, { code, parts })).toContain(text);
});

describe("what other objects meet alike", () => {
  const heldServers = async (): Promise<readonly [Held, Held]> => [
    await provider.apply("server", { name: "one" }),
    await provider.apply("server", { name: "two" }),
  ];
  const withKey = async (permission: string, more: RawObject = {}): Promise<void> => {
    const { value } = emulator.createKey({ name: "narrow", permissions: [permission] });
    await provider.use(emulator, { api_key: value, ...more });
  };

  test("a key that the service refuses fails the configuration, and so does an address that answers nothing", async () => {
    const base_url = emulator.baseUrl;
    const wrong = await provider.configure({ api_key: "erp_test_00000000000000", base_url });
    expect(wrong.diagnostics).toMatchObject([{ summary: "Configuring the provider failed" }]);
    const closed = { api_key: emulator.adminKey, base_url: "http://127.0.0.1:1/v1" };
    const { diagnostics } = await provider.configure(closed);
    expect(said(diagnostics)).toContain("ECONNREFUSED");
  });

  test("a scope that a refresh lacks is reported by the first object, and the others keep their state in silence", async () => {
    const [one, two] = await heldServers();
    await withKey("servers:write");
    expect(said((await provider.read("server", one)).diagnostics)).toContain("servers:read");
    const kept = await provider.read("server", two);
    expect(kept).toMatchObject({ state: two.state, private: two.private, diagnostics: [] });
  });

  test("a scope that an apply lacks is an error of every object, in full for the first", async () => {
    const [one, two] = await heldServers();
    await withKey("servers:read");
    const first = await provider.apply("server", { name: "new" }, one);
    const second = await provider.apply("server", { name: "other" }, two);
    expect(said(first.diagnostics)).toMatch(/servers:write.* Use a key/);
    expect(second.diagnostics).toMatchObject([{ severity: 1, summary: "Failed as before" }]);
    expect(second.diagnostics[0]?.detail).toMatch(
      /^PATCH \/servers\/srv_2 → 403 insufficient_permissions: same failure as before: (?!.*same failure).*servers:write/,
    );
    expect(second.state).toEqual(two.state);
  });

  test.each([
    ["a warning", "warn", "Scope missing: servers:write"],
    ["an error", "error", "Scope missing"],
  ])("a scope that a plan lacks is %s of the first object alone", async (_, preflight, summary) => {
    await withKey("servers:read", { preflight });
    const first = await provider.plan("server", { name: "new" });
    const second = await provider.plan("server", { name: "other" });
    expect([first.diagnostics, second.diagnostics]).toMatchObject([[{ summary }], []]);
  });

  test("a run of another account is refused once, and the next run is refused again", async () => {
    const [one, two] = await heldServers();
    const { emulator: other } = await given();
    for (let run = 1; run <= 2; run += 1) {
      await provider.use(other);
      const first = await provider.plan("server", { name: "new" }, one);
      const second = await provider.plan("server", { name: "new" }, two);
      expect(first.diagnostics).toMatchObject([{ severity: m.Severity.error }]);
      expect(second.diagnostics).toEqual([]);
      expect(said(first.diagnostics)).toMatch(/belongs to .* but this run/);
    }
  });
});
