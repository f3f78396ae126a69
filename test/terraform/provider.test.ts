import { readdirSync } from "node:fs";
import { describe, expect, test } from "@jest/globals";
import { UNKNOWN } from "../../provider/resources";
import { typeJson } from "../../provider/terraform/schema/types";
import * as m from "../../provider/terraform/wire/messages.gen";
import type { Raw, RawObject } from "../../provider/terraform/wire/msgpack";
import { dynamic, emulator, encoded, placeOf, provider, said, setUp } from "./support/provider";
import type { Held } from "./support/provider";
import { strike } from "../support/ask";
import { until } from "../support/wait";

setUp();

const intentFiles = (): string[] =>
  readdirSync(provider.intents, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".json"),
  );

describe("validation", () => {
  const faultsIn = async (config: RawObject, kind = "server") =>
    (await provider.validate(kind, { name: "a", ...config })).diagnostics;

  test("validation reports each mistake at its attribute", async () => {
    const given = { name: "", permissions: ["servers:read"], grace_period: "soon" };
    const both: RawObject = {
      secret_properties: { a: "x" },
      secret_properties_wo: dynamic({ b: "y" }),
    };
    const places = (await faultsIn({ ...given, ...both }, "api_key")).map(placeOf);
    expect(places).toEqual(["secret_properties_wo", "name", "grace_period"]);
    const faults = await faultsIn({ permissions: ["servers:read", null] }, "api_key");
    expect(said(faults)).toBe("Wrong form: permissions must not contain null.");
  });

  test.each([
    [2n ** 60n, "1152921504606846976"],
    ["123456789012345678901234567890", "123456789012345678901234567890"],
    ["1e400", "1e400"],
  ])(
    "validation refuses the number %s, which would come back as another one",
    async (number, shown) => {
      const type = typeJson(["object", { n: ["tuple", ["number"]] }]);
      const faults = await faultsIn({ properties: [type, { n: [number] }] });
      expect(faults).toHaveLength(1);
      expect(said(faults)).toContain(
        `properties contains the whole number ${shown} beyond 2^53, which erphost, like`,
      );
    },
  );

  test("validation does not repeat a number of a value that no log may hold", async () => {
    const type = typeJson(["object", { pin: "number" }]);
    const faults = await faultsIn({ secret_properties_wo: [type, { pin: 2n ** 60n }] });
    expect(faults.map(placeOf)).toEqual(["secret_properties_wo"]);
    expect(said(faults)).toContain("contains a whole number beyond 2^53, which");
    expect(said(faults)).not.toMatch(/\d{4}/);
  });

  test("validation passes numbers that JSON carries exactly, and any digits in a string", async () => {
    const type = typeJson(["object", { n: "number", f: "number", b: "number", s: "string" }]);
    const exact = { n: "1180591620717411300000", f: "0.25", b: 2n ** 53n, s: "12345678901234" };
    expect(await faultsIn({ properties: [type, exact] })).toEqual([]);
  });

  test("validation passes values that are not yet known", async () => {
    const triggers: RawObject = { a: UNKNOWN };
    const late: RawObject = { instance_id: UNKNOWN, triggers, properties: UNKNOWN };
    expect((await provider.validate("backup", late)).diagnostics).toEqual([]);
  });

  test.each<[string, Raw]>([
    ["null", null],
    ["not known yet", UNKNOWN],
  ])(
    "a secret can be given while its write-only form is %s, whatever its type",
    async (_, other) => {
      const secret_properties = { pin: "1" };
      const secret_properties_wo: Raw = [typeJson(["map", "string"]), other];
      const config = { name: "a", secret_properties, secret_properties_wo };
      expect((await provider.validate("server", config)).diagnostics).toEqual([]);
      const planned = { secret_properties };
      expect(await provider.plan("server", config)).toMatchObject({ planned, diagnostics: [] });
    },
  );
});

test("a plan knows all that can be known, and replaces an object only where it must", async () => {
  const id = (await provider.apply("server", { name: "a" })).state?.["id"] ?? null;
  const made = await provider.apply("instance", { name: "i", server_id: id });
  const same = await provider.plan("instance", { name: "i", server_id: id }, made);
  expect(same.planned).toEqual(made.state);
  const edited = await provider.plan("instance", { name: "j", server_id: id }, made);
  expect(edited.planned).toMatchObject({ ...made.state, name: "j" });
  expect(edited.requires_replace).toEqual([]);
  const moved = await provider.plan("instance", { name: "i", server_id: UNKNOWN }, made);
  expect(moved.requires_replace?.map(({ steps }) => steps[0]?.attribute_name)).toEqual([
    "server_id",
  ]);
  expect(moved.planned).toMatchObject({ id: UNKNOWN, created_at: UNKNOWN });
});

test("a plan keeps the idempotency token of a created object, and gives a new object a new one", async () => {
  const identity = async (token: string | null, prior?: Held) =>
    (await provider.plan("server", { name: "a", idempotency_token: token }, prior)).planned?.[
      "idempotency_token"
    ];
  const named = await provider.apply("server", { name: "a", idempotency_token: "one" });
  const plain = await provider.apply("server", { name: "a" });
  expect([await identity("two", named), await identity(null, named)]).toEqual(["one", "one"]);
  expect([await identity("two", plain), await identity(null, plain)]).toEqual(["two", null]);
  expect([await identity("two"), await identity(null)]).toEqual(["two", null]);
});

test("an apply returns every digit and type that the program wrote", async () => {
  const properties: Raw = [
    typeJson(["object", { third: "number", tags: ["list", "string"], n: "number" }]),
    { third: "0.33333333333333333333333333", tags: ["b", "a"], n: 9007199254740991 },
  ];
  const made = await provider.apply("server", { name: "a", properties });
  expect(made.diagnostics).toEqual([]);
  const [, sent] = properties as [Raw, Record<string, Raw>];
  const [, got] = made.state?.["properties"] as [Raw, Record<string, Raw>];
  expect(got).toEqual(sent);
  expect((await provider.read("server", made)).state).toEqual(made.state);
});

test("an apply keeps an object that exists but failed, and warns when it stops waiting", async () => {
  strike(emulator, "POST /servers", { type: "provision", outcome: "failed" }, { times: 1 });
  const failed = await provider.apply("server", { name: "a" });
  expect(failed.diagnostics).toMatchObject([{ severity: m.Severity.error }]);
  expect(failed.state).toMatchObject({ id: "srv_1", status: "failed" });
  strike(emulator, "POST /servers", { type: "provision", outcome: "never" }, { times: 1 });
  const slow = await provider.apply("server", { name: "b", timeouts: { create: "300ms" } });
  expect(slow.diagnostics).toMatchObject([{ severity: m.Severity.warning }]);
  expect(slow.state).toMatchObject({ id: "srv_2", status: "provisioning" });
});

test("an apply that is stopped ends its wait and keeps the object", async () => {
  strike(emulator, "POST /servers", { type: "provision", outcome: "never" });
  const applying = provider.apply("server", { name: "a" });
  await until(() => emulator.objects("server").length > 0);
  await provider.call("StopProvider", m.empty, m.stopResponse, {});
  const stopped = await applying;
  expect(stopped.state).toMatchObject({ id: "srv_1" });
  expect(stopped.diagnostics).toMatchObject([{ severity: m.Severity.warning }]);
});

test("an apply that is stopped while it waits for the quota creates nothing and leaves no intent", async () => {
  strike(emulator, "POST /servers", { type: "status", status: 429, retry_after: 60 });
  const applying = ["a", "b"].map((name) => provider.apply("server", { name }));
  await until(() => emulator.journal().some(({ status }) => status === 429));
  await provider.call("StopProvider", m.empty, m.stopResponse, {});
  for (const { state, diagnostics } of await Promise.all(applying)) {
    expect(state).toBeNull();
    expect(said(diagnostics)).toContain("interrupted before this call changed anything");
  }
  expect(emulator.objects("server")).toHaveLength(0);
  await provider.session.close();
  expect(intentFiles()).toEqual([]);
});

test("a provider that was stopped works again once it is configured for the next run", async () => {
  await provider.call("StopProvider", m.empty, m.stopResponse, {});
  await provider.use(emulator);
  const { state, diagnostics } = await provider.apply("server", { name: "a" });
  expect(diagnostics).toEqual([]);
  expect(state).toMatchObject({ id: "srv_1", status: "running" });
});

test("no hash of a write-only value is stored, even if the service returns another value", async () => {
  emulator.setFaults([{ match: { method: "POST" }, effect: { type: "normalise" } }]);
  const { state, private: own } = await provider.apply("server", {
    name: "a",
    secret_properties_wo: dynamic({ pin: " 1 2 " }),
  });
  expect(emulator.objects("server")[0]?.["pin"]).not.toBe(" 1 2 ");
  expect(state).toMatchObject({ secret_properties: null });
  expect(own.toString()).not.toMatch(/secret_properties\./);
});

test("a write-only value is sent when it is new or its version changes, and is stored nowhere", async () => {
  const config = (secret: string, version: string): RawObject => ({
    name: "a",
    secret_properties_wo: dynamic({ token: secret }),
    secret_properties_wo_version: version,
  });
  const made = await provider.apply("server", config("one", "1"));
  const inService = () => emulator.objects("server")[0]?.["token"];
  expect(inService()).toBe("one");
  expect((await provider.plan("server", config("two", "1"), made)).planned).toEqual(made.state);
  const changed = await provider.apply("server", config("two", "2"), made);
  expect(inService()).toBe("two");
  const held = JSON.stringify([made.state, changed.state, changed.private.toString()]);
  expect(held).not.toMatch(/"(one|two)"/);
});

test("a provider that exits cleanly keeps the intents of objects with a token, because the state is written later", async () => {
  await provider.apply("server", { name: "a" });
  await provider.apply("server", { name: "b", idempotency_token: "b" });
  expect(intentFiles()).toHaveLength(2);
  await provider.session.close();
  expect(intentFiles()).toHaveLength(1);
});

test.each([429, 500])(
  "a refresh that meets a %i without end is over once the provider is stopped, and keeps the object",
  async (status) => {
    const made = await provider.apply("server", { name: "a" });
    await provider.use(emulator);
    strike(emulator, "GET", { type: "status", status, retry_after: 60 });
    const reading = provider.read("server", made);
    await until(() => emulator.journal().some((each) => each.status === status));
    await provider.call("StopProvider", m.empty, m.stopResponse, {});
    const { state, diagnostics } = await reading;
    expect(state).toEqual(made.state);
    expect(said(diagnostics)).toContain("aborted the call");
  },
);

test("functions split keys and periods, and refuse other strings without repeating them", async () => {
  const run = (name: string, argument: Raw) =>
    provider.call("CallFunction", m.callRequest, m.callResponse, {
      name,
      arguments: [encoded(argument)],
    });
  const period = await run("parse_period", "90d");
  expect(period.result?.msgpack?.toString("latin1")).toContain("seconds");
  const refused = await run("parse_api_key", "hunter2");
  // The engines put a full stop after it.
  expect(refused.error?.text).toMatch(/^key is not a valid API key.*[^.]$/);
  expect(refused.error?.text).not.toContain("hunter2");
});

describe("a data source", () => {
  test("a value that is known only later passes in a plan, and counts as given", async () => {
    for (const [source, given] of [
      ["backup", { instance_id: UNKNOWN }],
      ["backups", { created_after: UNKNOWN }],
    ] as const) {
      const validated = await provider.validate(source, given, "ValidateDataResourceConfig");
      expect(validated.diagnostics).toEqual([]);
    }
  });

  test.each(["bare", "rich"])(
    "what it reads of a server that is %s has no secret, and plans no change once it is imported",
    async (name) => {
      const rich = { name: "rich", region: "eu", db_password: "hunter2" };
      emulator.createObjects("server", [{ name: "bare" }, rich]);
      const read = await provider.data("server", { name });
      const { properties = null } = read ?? {};
      const shown = JSON.stringify([read, await provider.data("servers")]);
      expect(shown).toContain("region");
      expect(shown).not.toContain("hunter2");
      const held = await provider.import("server", `name=${name}`);
      const { planned, diagnostics } = await provider.plan("server", { name, properties }, held);
      expect({ planned, diagnostics }).toEqual({ planned: held.state, diagnostics: [] });
    },
  );
});
