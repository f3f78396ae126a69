/** The plugin's life cycle methods on the emulator. */
import {
  CreateRequest,
  DeleteRequest,
  ErrorResourceInitFailed,
  InvokeRequest,
  ReadRequest,
  UpdateRequest,
} from "@pulumi/pulumi/proto/provider_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Emulator, EmulatorOptions } from "../../emulator";
import {
  AUTH_TOKEN,
  listKey,
  listToken,
  oneToken,
} from "../../provider/pulumi/plugin/values/tokens";
import { CallFailure } from "../../provider/grpc";
import { lookups } from "../../provider/resources";
import { given } from "../support/given";
import { kindOf, openPlugin, urnOf, type Plugin, type Properties } from "./support";
import { create, decode, encode, invoke, read, remove, update } from "./wire";

const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
let emulator: Emulator;
let plugin: Plugin;

/** A service, and a plugin on it. */
async function start(options?: EmulatorOptions): Promise<void> {
  ({ emulator } = await given(options));
  plugin = openPlugin({ baseUrl: emulator.baseUrl, apiKey: emulator.adminKey });
}

/** Ends this run, and starts another on the same service. */
async function nextRun(): Promise<void> {
  await plugin.close();
  plugin = openPlugin({ baseUrl: emulator.baseUrl, apiKey: emulator.adminKey });
}

beforeEach(() => start());
afterEach(() => plugin.close());

/** Waits until the service has received the create. */
async function serverExists(): Promise<void> {
  for (let tries = 0; emulator.objects("server").length === 0 && tries < 200; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

function createRequest(
  name: string,
  inputs: Properties,
  more: { preview?: boolean; timeoutS?: number; secrets?: string[][] } = {},
) {
  const request = new CreateRequest();
  request.setUrn(urnOf(kindOf(name)));
  request.setProperties(encode(inputs, more.secrets));
  request.setPreview(more.preview ?? false);
  request.setTimeout(more.timeoutS ?? 0);
  return request;
}

const createdBy = async (name: string, inputs: Properties) => {
  const response = await create(plugin.session, createRequest(name, inputs));
  return { id: response.getId(), outputs: decode(response.getProperties()) };
};

function readRequest(name: string, id: string, outputs: Properties = {}, inputs: Properties = {}) {
  const request = new ReadRequest();
  request.setUrn(urnOf(kindOf(name)));
  request.setId(id);
  if (Object.keys(outputs).length > 0) request.setProperties(encode(outputs));
  request.setInputs(encode(inputs));
  return request;
}

describe("the plugin's preview", () => {
  test("of a create shows the inputs, and reads one list to see whether its name is taken", async () => {
    const request = createRequest("instance", { name: "n", serverId: UNKNOWN }, { preview: true });
    const { values } = decode((await create(plugin.session, request)).getProperties());
    expect(values).toMatchObject({ name: "n", serverId: UNKNOWN, status: UNKNOWN });
    expect(emulator.journal().map(({ method, path }) => `${method} ${path}`)).toEqual([
      "GET /instances",
    ]);
  });

  test("of an update shows everything that it does not change", async () => {
    const { id, outputs } = await createdBy("server", { name: "n" });
    const request = new UpdateRequest();
    request.setUrn(urnOf(kindOf("server")));
    request.setId(id);
    request.setOlds(encode(outputs.values));
    request.setNews(encode({ name: "other" }));
    request.setPreview(true);
    const { values } = decode((await update(plugin.session, request)).getProperties());
    expect(values).toMatchObject({ name: "other", createdAt: outputs.values["createdAt"] });
  });
});

describe("the plugin's outputs", () => {
  test("are secret where the definition or the program says so", async () => {
    const { outputs } = await createdBy("api_key", { name: "k", permissions: ["servers:read"] });
    expect(outputs.secrets).toContainEqual(["value"]);
    const request = createRequest(
      "server",
      { name: "n", properties: { open: "o", hidden: "h" } },
      { secrets: [["properties", "hidden"]] },
    );
    const { secrets } = decode((await create(plugin.session, request)).getProperties());
    expect(secrets).toEqual([["properties", "hidden"]]);
  });
});

describe("hashes of a value that the service changed", () => {
  test.each([
    ["are secret where the value is", { secretProperties: { pin: " 1 2 " } }, true],
    ["are not secret where the value is not", { properties: { note: " a b " } }, false],
  ])("%s", async (_, properties, secret) => {
    emulator.setFaults([{ match: { method: "POST" }, effect: { type: "normalise" } }]);
    const { outputs } = await createdBy("server", { name: "n", ...properties });
    expect(String(outputs.values["__state"])).toMatch(/"echo":\{"/);
    expect(outputs.secrets.some(([head]) => head === "__state")).toBe(secret);
  });
});

describe("an object that ends in a failed state", () => {
  test("keeps its id and its state in Pulumi, and the failure is reported", async () => {
    await plugin.close();
    await start({ provisionMs: 60_000 });
    const creating = create(plugin.session, createRequest("server", { name: "n" }));
    const failing = expect(creating).rejects.toMatchObject({
      message: expect.stringMatching(/ended in the state failed/),
    });
    await serverExists();
    emulator.changeObject("server", String(emulator.objects("server")[0]?.["id"]), {
      status: "failed",
    });
    await failing;
    const error = await creating.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    const details = error instanceof CallFailure ? error.details : undefined;
    const [detail] = Status.deserializeBinary(details ?? Buffer.alloc(0)).getDetailsList();
    const failed = ErrorResourceInitFailed.deserializeBinary(
      detail?.getValue_asU8() ?? new Uint8Array(),
    );
    expect(failed.getId()).toBe("srv_1");
    expect(decode(failed.getProperties()).values).toMatchObject({ name: "n", status: "failed" });
  });
});

describe("the plugin", () => {
  test("ends a wait at the time limit of customTimeouts with a warning, and keeps the object", async () => {
    await plugin.close();
    await start({ provisionMs: 60_000 });
    const response = await create(
      plugin.session,
      createRequest("server", { name: "n" }, { timeoutS: 0.3 }),
    );
    expect(response.getId()).toBe("srv_1");
    expect(plugin.messages.filter(({ severity }) => severity === "warning")).toEqual([
      expect.objectContaining({ text: expect.stringMatching(/still provisioning/) }),
    ]);
  });
});

describe("a cancelled run", () => {
  test("finishes the operations under way, and begins no others", async () => {
    await plugin.close();
    await start({ provisionMs: 60_000 });
    const begun = create(plugin.session, createRequest("server", { name: "n" }));
    await serverExists();
    await plugin.session.stop();
    expect((await begun).getId()).toBe("srv_1");
    await expect(
      create(plugin.session, createRequest("server", { name: "later" })),
    ).rejects.toMatchObject({
      message: expect.stringMatching(/was cancelled before this operation began/),
    });
    expect(emulator.objects("server")).toHaveLength(1);
  });
});

describe("a run that is cancelled while it reads", () => {
  test("ends reads that wait for the rate limit at once, and reports no object as gone", async () => {
    const { id, outputs } = await createdBy("server", { name: "n" });
    await nextRun();
    emulator.clearJournal();
    emulator.setFaults([
      { match: { path: "/**" }, effect: { type: "status", status: 429, retry_after: 60 } },
    ]);
    const lookup = new InvokeRequest();
    lookup.setTok(AUTH_TOKEN);
    const begin = () => [
      read(plugin.session, readRequest("server", id, outputs.values, { name: "n" })),
      read(plugin.session, readRequest("server", id)),
      invoke(plugin.session, lookup),
    ];
    const waiting = Promise.allSettled(begin());
    for (let tries = 0; emulator.journal().length === 0 && tries < 200; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
    const cancelledAt = performance.now();
    await plugin.session.stop();
    const outcomes = [...(await waiting), ...(await Promise.allSettled(begin()))];
    expect(performance.now() - cancelledAt).toBeLessThan(1_000);
    expect(outcomes.map((outcome) => outcome.status)).toEqual(Array(6).fill("rejected"));
    expect(emulator.objects("server")).toHaveLength(1);
  });
});

describe("the plugin's read", () => {
  test("answers an import by id or by name with the inputs that a program would need", async () => {
    const [server] = emulator.createObjects("server", [
      { name: "old", region: "eu", status: "running" },
    ]);
    for (const reference of [String(server?.["id"]), "name=old"]) {
      const response = await read(plugin.session, readRequest("server", reference));
      expect(response.getId()).toBe(server?.["id"]);
      expect(decode(response.getInputs()).values).toEqual({ name: "old" });
    }
  });

  test("answers a refresh with the inputs as the service has them", async () => {
    const inputs = { name: "n", properties: { region: "eu" }, wait: true };
    const { id, outputs } = await createdBy("server", inputs);
    emulator.changeObject("server", id, { name: "by hand", region: "us" });
    await nextRun();
    const response = await read(plugin.session, readRequest("server", id, outputs.values, inputs));
    expect(decode(response.getInputs()).values).toEqual({
      name: "by hand",
      properties: { region: "us" },
      wait: true,
    });
  });

  test("answers nothing for an object only once it is proved to be gone", async () => {
    const { id, outputs } = await createdBy("server", { name: "n" });
    emulator.removeObject("server", id);
    await nextRun();
    emulator.setFaults([
      { match: { path: "/servers" }, times: 1, effect: { type: "status", status: 403 } },
    ]);
    const request = () => readRequest("server", id, outputs.values, { name: "n" });
    await expect(read(plugin.session, request())).rejects.toThrow();
    expect((await read(plugin.session, request())).getId()).toBe("");
  });
});

describe("an instance that is named like a field", () => {
  test("keeps its name in the plugin's warning, which has the command that imports it", async () => {
    const server = await createdBy("server", { name: "s" });
    const name = "backup_before_upgrade";
    emulator.createObjects("instance", { name, server_id: server.id, status: "running" });
    const properties = { name, serverId: server.id };
    await create(plugin.session, createRequest("instance", properties, { preview: true }));
    const [warning] = plugin.messages.filter(({ severity }) => severity === "warning");
    expect(warning?.text).toMatch(/named backup_before_upgrade already exists/);
    expect(warning?.text).toMatch(/: pulumi import erphost:index:Instance it ins_1\./);
  });
});

describe("the plugin's delete", () => {
  test("reports that an object which the service cannot delete is retained", async () => {
    const { id, outputs } = await createdBy("team", { name: "t" });
    // In the same run the object counts as just created.
    await nextRun();
    const request = new DeleteRequest();
    request.setUrn(urnOf(kindOf("team")));
    request.setId(id);
    request.setProperties(encode(outputs.values));
    await remove(plugin.session, request);
    expect(emulator.objects("team")).toHaveLength(1);
    expect(plugin.messages.map(({ text }) => text).join()).toMatch(/Team team_1 \(t\) is retained/);
  });
});

describe("a replacement with pulumi up --replace", () => {
  test("leaves no intent of its create once Pulumi deletes the replaced object", async () => {
    const { id, outputs } = await createdBy("server", { name: "n" });
    await nextRun();
    await createdBy("server", { name: "n" });
    expect(plugin.intentCount()).toBe(1);
    const request = new DeleteRequest();
    request.setUrn(urnOf(kindOf("server")));
    request.setId(id);
    request.setProperties(encode(outputs.values));
    await remove(plugin.session, request);
    expect(plugin.intentCount()).toBe(0);
    expect(emulator.objects("server")).toHaveLength(1);
  });
});

describe("a lookup", () => {
  test("marks free fields as secret whose names say so", async () => {
    const [server] = emulator.createObjects("server", [
      { name: "n", db_password: "p", region: "eu" },
    ]);
    const answer = async (token: string, args: Properties) => {
      const request = new InvokeRequest();
      request.setTok(token);
      request.setArgs(encode(args));
      return decode((await invoke(plugin.session, request)).getReturn());
    };
    const one = await answer("erphost:index:getServer", { id: server?.["id"] });
    expect(one.values["properties"]).toMatchObject({ db_password: "p", region: "eu" });
    expect(one.secrets).toEqual([["properties", "db_password"]]);
    expect((await answer("erphost:index:getServers", {})).secrets).toEqual([["servers"]]);
  });

  const ask = async (token: string, args: Properties) => {
    const request = new InvokeRequest();
    request.setTok(token);
    request.setArgs(encode(args));
    const response = await invoke(plugin.session, request);
    expect(response.getFailuresList()).toEqual([]);
    return decode(response.getReturn()).values;
  };

  test.each(lookups.map((resource) => [resource.plural, resource] as const))(
    "of %s answers the list, and one object by its id or name",
    async (_, resource) => {
      const fields = { name: "one", status: "running", region: "eu" };
      const object = Object.fromEntries(
        Object.entries(fields).filter(([name]) => name in resource.fields || name === "region"),
      );
      const others = resource.name === "api_key" ? 1 : 0;
      const stored =
        resource.name === "api_key"
          ? emulator.createKey({ name: "one", permissions: ["servers:read"] })
          : // Without what else a service demands of a backup or an instance.
            emulator.createObjects(resource.name, [{ ...object, odd: true }])[0];
      const id = String(stored?.["id" as keyof typeof stored]);
      const one = await ask(oneToken(resource), { id });
      expect(one).toMatchObject({
        id,
        ...(resource.name !== "api_key" && { properties: { region: "eu" } }),
      });
      expect(JSON.stringify(one)).not.toMatch(/_test_/);
      if ("name" in resource.fields) {
        expect(await ask(oneToken(resource), { name: "one" })).toEqual(one);
      }
      const { [listKey(resource)]: list } = await ask(listToken(resource), {});
      expect(list).toHaveLength(1 + others);
      expect(list).toContainEqual(one);
    },
  );

  test("passes its filters on to the service", async () => {
    emulator.createObjects("server", [
      { name: "one", status: "running" },
      { name: "two", status: "failed" },
    ]);
    expect(await ask("erphost:index:getServers", { status: "failed" })).toMatchObject({
      servers: [{ name: "two" }],
    });
  });

  test("of the key in use answers its permissions", async () => {
    expect(await ask(AUTH_TOKEN, {})).toMatchObject({
      authenticated: true,
      permissions: ["admin"],
    });
  });
});
