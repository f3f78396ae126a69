import { DiffResponse, ErrorResourceInitFailed } from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Emulator, EmulatorOptions } from "../../emulator";
import * as tokens from "../../provider/pulumi/plugin/values/tokens";
import type { CallFailure } from "../../provider/grpc";
import { lookups } from "../../provider/resources";
import { given } from "../support/given";
import { pause, until } from "../support/wait";
import {
  check,
  configure,
  create,
  decode,
  diff,
  encode,
  invoke,
  kindOf,
  openPlugin,
  read,
  remove,
  update,
  urnOf,
  type Plugin,
  type Properties,
} from "./support";
import { strike } from "../support/ask";

const { DIFF_NONE: NONE, DIFF_SOME: SOME } = DiffResponse.DiffChanges;
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
let emulator: Emulator;
let plugin: Plugin;

async function start(options?: EmulatorOptions): Promise<void> {
  ({ emulator } = await given(options));
  plugin = openPlugin({ baseUrl: emulator.baseUrl, apiKey: emulator.adminKey });
}

/** Ends this run, and starts another on the same service. */
async function nextRun(more: object = {}): Promise<void> {
  await plugin.close();
  plugin = openPlugin({ baseUrl: emulator.baseUrl, apiKey: emulator.adminKey, ...more });
}

beforeEach(() => start());
afterEach(() => plugin.close());

const serverExists = () => until(() => emulator.objects("server").length > 0);

/** @param more members of the request */
const creating = (name: string, properties: object, more: Properties = {}) =>
  create(plugin.session, { urn: urnOf(kindOf(name)), properties, ...more });

const createdBy = async (name: string, inputs: Properties) => {
  const response = await creating(name, inputs);
  return { id: response.getId(), outputs: decode(response.getProperties()) };
};

const reading = (name: string, id: string, outputs: Properties = {}, inputs: Properties = {}) =>
  read(plugin.session, {
    ...{ urn: urnOf(kindOf(name)), id, inputs },
    ...(Object.keys(outputs).length > 0 && { properties: outputs }),
  });

const removing = (name: string, id: string, outputs: Properties) =>
  remove(plugin.session, { urn: urnOf(kindOf(name)), id, properties: outputs });

const answered = async (tok: string, args: Properties) => {
  const response = await invoke(plugin.session, { tok, args });
  expect(response.getFailuresList()).toEqual([]);
  return decode(response.getReturn());
};
const warnings = () => plugin.messages.filter(({ severity }) => severity === "warning");

/** Pulumi configures the plugin first, which makes the one call. */
const firstCheck = async (more: Properties = {}) => {
  const args = { baseUrl: emulator.baseUrl, apiKey: emulator.adminKey, ...more };
  await nextRun(args);
  await configure(plugin.session, { args });
  return check(plugin.session, { urn: urnOf(kindOf("server")), news: { name: "web" } });
};

test.each([
  [
    "the key is wrong",
    { apiKey: "erp_test_0123456789abcdef" },
    /GET \/auth\/test → 401 invalid_token.* run `pulumi config set --secret erphost:apiKey`/,
  ],
  [
    "nothing listens at the address",
    { baseUrl: "http://127.0.0.1:9/v1" },
    /GET .*http:\/\/127\.0\.0\.1:9\/v1 .*ECONNREFUSED.* Check host and port in erphost:baseUrl/,
  ],
])(
  "the first check of a run fails, names the address and says what to do, where %s",
  async (_, more, why) => {
    await expect(firstCheck(more)).rejects.toThrow(why);
  },
);

test("the first check of a run succeeds where the service fails only now and then", async () => {
  strike(emulator, "/auth/test", 500);
  await expect(firstCheck()).resolves.toBeDefined();
});

test("the plugin's preview of a create shows the inputs, and reads one list to see whether its name is taken", async () => {
  const shown = await creating("instance", { name: "n", serverId: UNKNOWN }, { preview: true });
  const { values } = decode(shown.getProperties());
  expect(values).toMatchObject({ name: "n", serverId: UNKNOWN, status: UNKNOWN });
  expect(emulator.journal()).toMatchObject([{ method: "GET", path: "/instances" }]);
});

test("the plugin's preview of an update shows everything that it does not change", async () => {
  const { id, outputs } = await createdBy("server", { name: "n" });
  const given = { urn: urnOf(kindOf("server")), id, olds: outputs.values, preview: true };
  const shown = await update(plugin.session, { ...given, news: { name: "other" } });
  const { values } = decode(shown.getProperties());
  expect(values).toMatchObject({ name: "other", createdAt: outputs.values["createdAt"] });
});

test("the plugin's outputs are secret where the definition or the program says so", async () => {
  const { outputs } = await createdBy("api_key", { name: "k", permissions: ["servers:read"] });
  expect(outputs.secrets).toContainEqual(["value"]);
  const inputs = { name: "n", properties: { open: "o", hidden: "h" } };
  const hidden = [["properties", "hidden"]];
  const made = await creating("server", encode(inputs, hidden));
  expect(decode(made.getProperties()).secrets).toEqual(hidden);
});

test.each([
  ["are secret where the value is", { secretProperties: { pin: " 1 2 " } }, true],
  ["are not secret where the value is not", { properties: { note: " a b " } }, false],
])("hashes of a value that the service changed %s", async (_, properties, secret) => {
  emulator.setFaults([{ match: { method: "POST" }, effect: { type: "normalise" } }]);
  const { outputs } = await createdBy("server", { name: "n", ...properties });
  expect(String(outputs.values["__state"])).toMatch(/"echo":\{"/);
  expect(outputs.secrets.some(([head]) => head === "__state")).toBe(secret);
});

describe("a create that takes a minute", () => {
  beforeEach(async () => {
    await plugin.close();
    await start({ provisionMs: 60_000 });
  });

  test("keeps the id and the state of an object that ends in a failed state, and reports the failure", async () => {
    const ended = creating("server", { name: "n" }).catch((thrown: unknown) => thrown);
    await serverExists();
    emulator.changeObject("server", "srv_1", { status: "failed" });
    const error = await ended;
    expect(error).toMatchObject({ message: expect.stringMatching(/ended in the state failed/) });
    const { details = Buffer.alloc(0) } = error as CallFailure;
    const [detail] = Status.deserializeBinary(details).getDetailsList();
    const bytes = detail?.getValue_asU8() ?? new Uint8Array();
    const failed = ErrorResourceInitFailed.deserializeBinary(bytes);
    expect(failed.getId()).toBe("srv_1");
    expect(decode(failed.getProperties()).values).toMatchObject({ name: "n", status: "failed" });
  });

  test("ends a wait at the time limit of customTimeouts with a warning, and keeps the object", async () => {
    expect((await creating("server", { name: "n" }, { timeout: 0.3 })).getId()).toBe("srv_1");
    expect(warnings()).toMatchObject([{ text: expect.stringMatching(/still provisioning/) }]);
  });

  test("is finished in a run that is cancelled meanwhile, which begins no other operation", async () => {
    const begun = creating("server", { name: "n" });
    await serverExists();
    await plugin.session.stop();
    expect((await begun).getId()).toBe("srv_1");
    const later = creating("server", { name: "later" });
    await expect(later).rejects.toThrow(/was cancelled before this operation began/);
    expect(emulator.objects("server")).toHaveLength(1);
  });
});

test("a run that is cancelled while it reads ends reads that wait for the rate limit at once, and reports no object as gone", async () => {
  const { id, outputs } = await createdBy("server", { name: "n" });
  await nextRun();
  emulator.clearJournal();
  strike(emulator, "/**", { type: "status", status: 429, retry_after: 60 });
  const begin = () => [
    reading("server", id, outputs.values, { name: "n" }),
    reading("server", id),
    invoke(plugin.session, { tok: tokens.AUTH_TOKEN }),
  ];
  const waiting = Promise.allSettled(begin());
  await until(() => emulator.journal().length > 0);
  await pause(100);
  const cancelledAt = performance.now();
  await plugin.session.stop();
  const outcomes = [...(await waiting), ...(await Promise.allSettled(begin()))];
  expect(performance.now() - cancelledAt).toBeLessThan(1_000);
  expect(outcomes.map((outcome) => outcome.status)).toEqual(Array(6).fill("rejected"));
  expect(emulator.objects("server")).toHaveLength(1);
});

describe("the plugin's read", () => {
  const ADA = { email: "ada@example.com", role: "admin" };
  const READ = ["servers:read"];

  test("answers an import by id or by name with the inputs that a program would need", async () => {
    emulator.createObjects("server", { name: "old", region: "eu", status: "running" });
    for (const reference of ["srv_1", "name=old"]) {
      const response = await reading("server", reference);
      expect(response.getId()).toBe("srv_1");
      expect(decode(response.getInputs()).values).toEqual({ name: "old" });
    }
  });

  test.each<[kind: string, object: Properties, inputs: Properties]>([
    ["server", { name: "old", status: "running" }, { name: "old" }],
    [
      "instance",
      { name: "old", server_id: "srv_1", version: "17.0", status: "running" },
      { name: "old", serverId: "srv_1", version: "17.0" },
    ],
    ["backup", { server_id: "srv_1", status: "completed" }, { serverId: "srv_1" }],
    ["team", { name: "old", members: [{ ...ADA, id: 1 }] }, { name: "old", members: [ADA] }],
    ["api_key", { name: "old", permissions: READ }, { name: "old", permissions: READ }],
  ])("answers an import of a %s with inputs that change nothing", async (kind, object, inputs) => {
    emulator.createObjects("server", { name: "main" });
    const made =
      kind === "api_key" ? emulator.createKey(object) : emulator.createObjects(kind, object)[0];
    const id = String(made?.["id"]);
    const response = await reading(kind, id);
    const news = response.getInputs();
    expect(decode(news).values).toEqual(inputs);
    const request = { urn: urnOf(kindOf(kind)), id, olds: response.getProperties(), news };
    expect((await diff(plugin.session, request)).getDiffsList()).toEqual([]);
  });

  test("answers a refresh with the inputs as the service has them", async () => {
    const inputs = { name: "n", properties: { region: "eu" }, wait: true };
    const { id, outputs } = await createdBy("server", inputs);
    emulator.changeObject("server", id, { name: "by hand", region: "us" });
    await nextRun();
    const response = await reading("server", id, outputs.values, inputs);
    const now = { name: "by hand", properties: { region: "us" }, wait: true };
    expect(decode(response.getInputs()).values).toEqual(now);
  });

  test("answers nothing for an object only once it is proved to be gone", async () => {
    const { id, outputs } = await createdBy("server", { name: "n" });
    emulator.removeObject("server", id);
    // Lists may miss an object that was just created, and are looked at again later.
    emulator.advance("1m");
    await nextRun();
    strike(emulator, "/servers", 403, { times: 1 });
    const again = () => reading("server", id, outputs.values, { name: "n" });
    await expect(again()).rejects.toThrow();
    expect((await again()).getId()).toBe("");
  });
});

describe("a refresh", () => {
  const planned = (kind: string, id: string, outputs: Properties, news: Properties) =>
    diff(plugin.session, { urn: urnOf(kindOf(kind)), id, olds: outputs, news });

  test("shows what somebody changed, and the plan after it refuses to change it back", async () => {
    const news = { name: "n", serverId: "srv_1", deletionProtection: true };
    for (const name of ["a", "b"]) emulator.createObjects("server", { name });
    const { id, outputs } = await createdBy("instance", news);
    emulator.changeObject("instance", id, { server_id: "srv_2" });
    await nextRun();
    const now = await reading("instance", id, outputs.values, news);
    const { values } = decode(now.getProperties());
    expect((await planned("instance", id, values, news)).getDiffsList()).toEqual(["serverId"]);
    await check(plugin.session, { urn: urnOf(kindOf("instance")), olds: news, news });
    await expect(planned("instance", id, values, news)).rejects.toThrow(/prevents replacing/);
  });

  test.each([
    ["lets nothing protected be replaced by --replace, which asks for no diff", {}],
    ["knows what the run may delete", { allowDelete: ["srv_1"] }],
  ])("%s", async (_, more) => {
    const news = { name: "n", deletionProtection: true };
    const { id, outputs } = await createdBy("server", news);
    await nextRun(more);
    await reading("server", id, outputs.values, news);
    await check(plugin.session, { urn: urnOf(kindOf("server")), olds: news, news });
    const replaced = Promise.all([
      creating("server", news, { preview: true }),
      creating("server", news),
    ]);
    if ("allowDelete" in more) await replaced;
    else await expect(replaced).rejects.toThrow(/deletionProtection prevents replacing .*srv_1/);
    expect(emulator.objects("server")).toHaveLength("allowDelete" in more ? 2 : 1);
  });

  test.each([true, false])("forgets no failure of its own updates: %s", async (own) => {
    const news = { name: "n" };
    const { id, outputs } = await createdBy("server", news);
    const state = String(outputs.values["__state"]);
    outputs.values["__state"] = state.replace("{", `{"failed":${own},`);
    emulator.changeObject("server", id, { status: "failed" });
    await nextRun();
    const { values } = decode((await reading("server", id, outputs.values, news)).getProperties());
    await nextRun();
    expect((await planned("server", id, values, news)).getChanges()).toBe(own ? SOME : NONE);
  });
});

test("an instance that is named like a field keeps its name in the plugin's warning, which has the command that imports it", async () => {
  const server = await createdBy("server", { name: "s" });
  const name = "backup_before_upgrade";
  emulator.createObjects("instance", { name, server_id: server.id, status: "running" });
  const urn = `${urnOf(kindOf("instance"))}'s`;
  await creating("instance", { name, serverId: server.id }, { preview: true, urn });
  expect(warnings()[0]?.text).toMatch(
    /named backup_before_upgrade already exists.*: pulumi import erphost:index:Instance 'it'\\''s' ins_1\./s,
  );
});

test("the plugin's delete reports that an object which the service cannot delete is retained", async () => {
  const { id, outputs } = await createdBy("team", { name: "t" });
  // In the same run the object counts as just created.
  await nextRun();
  await removing("team", id, outputs.values);
  expect(emulator.objects("team")).toHaveLength(1);
  expect(plugin.messages.map(({ text }) => text).join()).toMatch(/Team team_1 \(t\) is retained/);
});

test("a replacement with pulumi up --replace leaves no intent of its create once Pulumi deletes the replaced object", async () => {
  const { id, outputs } = await createdBy("server", { name: "n" });
  await nextRun();
  await createdBy("server", { name: "n" });
  expect(plugin.intentCount()).toBe(1);
  await removing("server", id, outputs.values);
  expect(plugin.intentCount()).toBe(0);
  expect(emulator.objects("server")).toHaveLength(1);
});

test.each([
  ["its own declaration", "it", {}],
  ["another declaration", "renamed", {}],
  ["its own declaration, and is protected", "it", { deletionProtection: true }],
])(
  "an object that %s imports is not deleted with the state that had it, and is with its new one",
  async (_, name, more) => {
    const news = { name: "n", ...more };
    const { id, outputs } = await createdBy("server", news);
    await nextRun();
    const urn = urnOf(kindOf("server")).replace(/it$/, name);
    const imported = (await read(plugin.session, { urn, id: "name=n" })).getProperties();
    await diff(plugin.session, { urn, id, olds: imported, news });
    await removing("server", id, outputs.values);
    expect(warnings()).toMatchObject([{ text: expect.stringMatching(/srv_1 .*not deleted/) }]);
    expect(emulator.objects("server")).toHaveLength(1);
    await nextRun();
    await removing("server", id, decode(imported).values);
    expect(emulator.objects("server")).toEqual([]);
  },
);

test.each([false, true])(
  "with a scope, and resume: %s, what is replaced by a trigger is refused with the advice to refresh, not to import it",
  async (resume) => {
    await nextRun({ scope: "prod" });
    const [news, urn] = [{ name: "n" }, urnOf(kindOf("server"))];
    const { id, outputs } = await createdBy("server", news);
    await nextRun({ scope: "prod", resume });
    await check(plugin.session, { urn, olds: news, news });
    const refused = /^(?!.*pulumi import).*run that with --refresh/;
    await expect(creating("server", news)).rejects.toThrow(refused);
    await reading("server", id, outputs.values);
    expect((await creating("server", news)).getId()).toBe("srv_2");
  },
);

describe("a lookup", () => {
  test("marks free fields as secret whose names say so", async () => {
    emulator.createObjects("server", { name: "n", db_password: "p", region: "eu" });
    const one = await answered("erphost:index:getServer", { id: "srv_1" });
    expect(one.values["properties"]).toMatchObject({ db_password: "p", region: "eu" });
    expect(one.secrets).toEqual([["properties", "db_password"]]);
    expect((await answered("erphost:index:getServers", {})).secrets).toEqual([["servers"]]);
  });

  const ask = async (token: string, args: Properties) => (await answered(token, args)).values;

  test.each(lookups)("of $plural answers the list, and one of it by its id", async (resource) => {
    // The account has a key from the start.
    if (resource.name !== "api_key") emulator.createObjects(resource.name, { odd: true });
    const { [tokens.listKey(resource)]: list } = await ask(tokens.listToken(resource), {});
    const [only, ...more] = list as Properties[];
    expect(more).toEqual([]);
    expect(await ask(tokens.oneToken(resource), { id: only?.["id"] })).toEqual(only);
    expect(JSON.stringify(only)).not.toMatch(/_test_/);
  });

  test("of the key in use answers its permissions", async () => {
    const own = { authenticated: true, permissions: ["admin"] };
    expect(await ask(tokens.AUTH_TOKEN, {})).toMatchObject(own);
  });
});
