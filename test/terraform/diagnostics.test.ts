/** Where a message points, what it calls things, and which summary it has. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { startEmulator, type Emulator } from "../../emulator";
import { message, sentence } from "../../provider/messages";
import { sayWithBlocks, voice } from "../../provider/terraform/voice";
import * as m from "../../provider/terraform/wire/messages.gen";
import type { Raw } from "../../provider/terraform/wire/msgpack";
import { placeOf, encoded, TestProvider, type Held } from "./support/provider";

const DAY_MS = 86_400_000;

let emulator: Emulator;
let provider: TestProvider;

beforeAll(async () => {
  emulator = await startEmulator({ provisionMs: 0 });
});
afterAll(() => emulator.close());
beforeEach(async () => {
  emulator.reset();
  provider = new TestProvider({});
  await provider.configure({ api_key: emulator.adminKey, base_url: emulator.baseUrl });
});
afterEach(() => provider.close());

const validate = async (type_name: string, config: Record<string, Raw>) =>
  (
    await provider.call("ValidateResourceConfig", m.typedConfigRequest, m.diagnosed, {
      type_name,
      config: encoded(config),
    })
  ).diagnostics.map((each) => ({ place: placeOf(each), detail: each.detail }));

const key = (config: Record<string, Raw>) =>
  validate("erphost_api_key", { name: "ci", permissions: ["servers:read"], ...config });

describe("a mistake in a set", () => {
  test("a member of a set of objects is named by its key, because Terraform sorts sets", async () => {
    const members = [{ email: "ada@example.com" }, { email: "bob" }];
    expect(await validate("erphost_team", { name: "ops", members })).toEqual([
      { place: "members", detail: 'members["bob"].email is not a valid email address.' },
    ]);
  });

  test("a member of a set of strings is named by its value", async () => {
    const [issue] = await key({ ip_whitelist: ["10.0.0.0/8", "203.0.113.300"] });
    expect(issue?.place).toBe("ip_whitelist");
    expect(issue?.detail).toMatch(/^ip_whitelist\["203\.0\.113\.300"\] must be an IPv4 address/);
  });

  test("two members with the same key are reported with that key", async () => {
    const members = [
      { email: "ada@example.com", role: "admin" },
      { email: "ada@example.com", role: "viewer" },
    ];
    expect(await validate("erphost_team", { name: "ops", members })).toEqual([
      {
        place: "members",
        detail: "members has more than one member with the email ada@example.com; keep one.",
      },
    ]);
  });
});

describe("a mistake in an attribute", () => {
  test("a write-only value of the wrong type is reported at the write-only attribute", async () => {
    const [issue] = await key({ secret_properties_wo: ['"string"', "x"] });
    expect(issue?.place).toBe("secret_properties_wo");
    expect(issue?.detail).toMatch(/^secret_properties_wo /);
  });

  test("a property that only the service sets is not said to be settable elsewhere", async () => {
    const properties: Raw = ['["object",{"status":"string"}]', { status: "x" }];
    expect(await validate("erphost_server", { name: "web", properties })).toEqual([
      {
        place: "properties",
        detail: "properties.status is decided by the service and cannot be set.",
      },
    ]);
  });

  test("a property that is also a field points to that field", async () => {
    const properties: Raw = ['["object",{"name":"string"}]', { name: "x" }];
    const [issue] = await validate("erphost_server", { name: "web", properties });
    expect(issue?.detail).toBe("properties.name belongs to the field name; set that instead.");
  });

  test("a bad timeout points at its place in the timeouts block", async () => {
    const [issue] = await validate("erphost_server", { name: "web", timeouts: { create: "x" } });
    expect(issue?.place).toBe("timeouts.create");
  });
});

describe("summaries", () => {
  test("warnings about different objects have the same summary, so that Terraform folds them", async () => {
    const teams = await Promise.all(
      ["ops", "dev"].map((name) => provider.apply("erphost_team", { name })),
    );
    const plans = await Promise.all(teams.map((team) => provider.plan("erphost_team", null, team)));
    const warnings = plans.flatMap(({ diagnostics }) => diagnostics);
    expect(warnings.map(({ summary }) => summary)).toEqual([
      "Object is retained",
      "Object is retained",
    ]);
    const details = warnings.map(({ detail }) => detail).join();
    for (const id of ["team_1", "team_2"]) expect(details).toContain(`Team ${id} (`);
  });

  test("a due rotation is announced as one, and names the key", async () => {
    const made = await provider.apply("erphost_api_key", {
      name: "ci",
      permissions: ["servers:read"],
      rotate_after: "1d",
    });
    emulator.advance(2 * DAY_MS);
    const fresh = new TestProvider({});
    await fresh.configure({ api_key: emulator.adminKey, base_url: emulator.baseUrl });
    const read = await fresh.read("erphost_api_key", made);
    const { diagnostics } = await fresh.plan(
      "erphost_api_key",
      { name: "ci", permissions: ["servers:read"], rotate_after: "1d" },
      read,
    );
    await fresh.close();
    expect(diagnostics).toMatchObject([
      {
        severity: m.Severity.warning,
        summary: "Key will be rotated",
        detail: expect.stringMatching(
          /^API key key_\d+ \(ci\) will be rotated: .*rotate_after is 1d/,
        ),
      },
    ]);
  });

  test("an error that the service causes has a summary without an id", async () => {
    const { diagnostics } = await provider.apply("erphost_instance", {
      name: "erp",
      server_id: "srv_none",
    });
    expect(diagnostics.map(({ summary }) => summary)).toEqual(["Creating erphost_instance failed"]);
  });
});

describe("an import", () => {
  const detailOf = async (type_name: string, id: string): Promise<string> => {
    const { diagnostics } = await provider.call(
      "ImportResourceState",
      m.importRequest,
      m.importResponse,
      { type_name, id },
    );
    return diagnostics.map(({ detail }) => detail).join();
  };

  test("an import of a kind without names by name asks for an id", async () => {
    expect(await detailOf("erphost_backup", "name=foo")).toMatch(
      /^A backup has no name, so it cannot be imported by name\. Use its id/,
    );
  });

  test("an import of an unknown name asks to check the name", async () => {
    expect(await detailOf("erphost_server", "name=foo")).toMatch(/Check the name and the account/);
  });
});

test("the warning about an existing name ends with an import block that can be pasted", async () => {
  emulator.createObjects("server", { name: "web", status: "running" });
  const { diagnostics } = await provider.plan("erphost_server", { name: "web" });
  expect(diagnostics.map(({ detail }) => detail.split("\n\n")[1])).toEqual([
    'import {\n  to = erphost_server.NAME\n  id = "srv_1"\n}',
  ]);
});

test("warnings about existing names differ in their summaries, so that an engine folds none of them", async () => {
  emulator.createObjects("server", [{ name: "web" }, { name: "db" }]);
  const plans = await Promise.all(
    ["web", "db"].map((name) => provider.plan("erphost_server", { name })),
  );
  const summaries = plans.flatMap(({ diagnostics }) => diagnostics.map(({ summary }) => summary));
  expect(summaries).toEqual(["Name already in use: srv_1", "Name already in use: srv_2"]);
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

describe("the names of settings", () => {
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
});

describe("what other objects meet alike", () => {
  const heldServers = async (): Promise<readonly Held[]> => [
    await provider.apply("erphost_server", { name: "one" }),
    await provider.apply("erphost_server", { name: "two" }),
  ];
  const withKey = async (permissions: readonly string[]): Promise<void> => {
    const { value } = emulator.createKey({ name: "narrow", permissions: [...permissions] });
    await provider.configure({ api_key: value, base_url: emulator.baseUrl });
  };

  test("a key that the service refuses fails the configuration, and so does an address that answers nothing", async () => {
    const base_url = emulator.baseUrl;
    const wrong = await provider.configure({ api_key: "erp_test_00000000000000", base_url });
    expect(wrong.diagnostics.map(({ summary }) => summary)).toEqual([
      "Configuring the provider failed",
    ]);
    const closed = { api_key: emulator.adminKey, base_url: "http://127.0.0.1:1/v1" };
    const { diagnostics } = await provider.configure(closed);
    expect(diagnostics.map(({ detail }) => detail).join()).toContain("ECONNREFUSED");
  });

  test("a scope that a refresh lacks is reported by the first object, and the others keep their state in silence", async () => {
    const [one, two] = await heldServers();
    if (!one || !two) throw new Error("two servers were made");
    await withKey(["servers:write"]);
    const first = await provider.read("erphost_server", one);
    expect(first.diagnostics.map(({ detail }) => detail).join()).toContain("servers:read");
    expect(await provider.read("erphost_server", two)).toMatchObject({
      state: two.state,
      private: two.private,
      diagnostics: [],
    });
  });

  test("a scope that an apply lacks is an error of every object, in full for the first", async () => {
    const [one, two] = await heldServers();
    await withKey(["servers:read"]);
    const first = await provider.apply("erphost_server", { name: "new" }, one);
    const second = await provider.apply("erphost_server", { name: "other" }, two);
    expect(first.diagnostics.map(({ detail }) => detail).join()).toMatch(
      /servers:write.* Use a key/,
    );
    expect(second.diagnostics).toMatchObject([{ severity: 1, summary: "Failed as before" }]);
    expect(second.diagnostics[0]?.detail).toMatch(
      /^PATCH \/servers\/srv_2 → 403 insufficient_permissions: same failure as before: (?!.*same failure).*servers:write/,
    );
    expect(second.state).toEqual(two?.state);
  });

  test("a run of another account is refused once, and the next run is refused again", async () => {
    const [one, two] = await heldServers();
    const other = await startEmulator({ provisionMs: 0 });
    try {
      for (let run = 1; run <= 2; run += 1) {
        await provider.configure({ api_key: other.adminKey, base_url: other.baseUrl });
        const plans = [
          await provider.plan("erphost_server", { name: "new" }, one),
          await provider.plan("erphost_server", { name: "new" }, two),
        ];
        expect(plans.map(({ diagnostics }) => diagnostics.length)).toEqual([1, 0]);
      }
    } finally {
      await other.close();
    }
  });
});
