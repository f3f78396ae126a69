/** The resources that the component registers with Pulumi's engine for one Construct. */
import { promisify } from "node:util";
import { Server, ServerCredentials, type handleUnaryCall } from "@grpc/grpc-js";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { ConstructRequest } from "@pulumi/pulumi/proto/provider_pb";
import { ResourceMonitorService } from "@pulumi/pulumi/proto/resource_grpc_pb";
import {
  RegisterResourceResponse,
  type RegisterResourceOutputsRequest,
  type RegisterResourceRequest,
} from "@pulumi/pulumi/proto/resource_pb";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { installationToken } from "../../provider/pulumi/plugin/component/definition";
import { construct, decode, encode, openPlugin, type Plugin, type Properties } from "./support";

/** The reference of the provider that answers. */
const OWN = "urn:pulumi:dev::p::pulumi:providers:erphost::default::uuid";
const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const SIGNATURE = "4dabf18193072939515e22adb298388d";
const OUTPUT = "d0e6a833031e9bbcd3f4e8bde6ca49a4";
let server: Server;
let port: number;
let registered: RegisterResourceRequest[];
/** Whether resources get no ids, as in a preview. */
let preview: boolean;
let plugin: Plugin;

const register: handleUnaryCall<RegisterResourceRequest, RegisterResourceResponse> = (
  { request },
  callback,
) => {
  registered.push(request);
  const response = new RegisterResourceResponse();
  response.setUrn(`urn:${request.getName()}`);
  if (request.getCustom() && !preview) response.setId(`id of ${request.getName()}`);
  response.setObject(request.getObject() ?? Struct.fromJavaScript({}));
  callback(null, response);
};
const outputs: handleUnaryCall<RegisterResourceOutputsRequest, Empty> = (_, callback) =>
  callback(null, new Empty());

beforeEach(async () => {
  registered = [];
  preview = false;
  plugin = openPlugin();
  plugin.session.reference = OWN;
  server = new Server();
  const served = { registerResource: register, registerResourceOutputs: outputs };
  server.addService(ResourceMonitorService, served);
  const credentials = ServerCredentials.createInsecure();
  port = await promisify(server.bindAsync.bind(server))("127.0.0.1:0", credentials);
});
afterEach(async () => {
  await plugin.close();
  server.forceShutdown();
});

/** The registrations by name, and the component's outputs. @param more members of the request */
async function constructed(inputs: Struct, more: Properties = {}) {
  const own = { type: installationToken, name: "shop", monitorendpoint: `127.0.0.1:${port}` };
  const response = await construct(plugin.session, { ...own, inputs, ...more });
  const named = (name: string): RegisterResourceRequest => {
    const found = registered.find((each) => each.getName() === name);
    if (!found) throw new Error(`nothing is registered as ${name}`);
    return found;
  };
  return { named, given: (name: string) => decode(named(name).getObject()), response };
}

const names = (): string[] => registered.map((each) => each.getName());

test("a component's options reach the component, its resources, or both", async () => {
  const timeouts = new ConstructRequest.CustomTimeouts();
  timeouts.setCreate("1h");
  const hooks = new ConstructRequest.ResourceHooksBinding();
  hooks.setAfterCreateList(["hook"]);
  const ofComponent = {
    ...{ protect: true, retainondelete: true, deletedwith: "urn:other" },
    ...{ ignorechangesList: ["version"], replaceonchangesList: ["serverId"] },
    replaceWithList: ["urn:third"],
  };
  const { named } = await constructed(encode({}), {
    ...ofComponent,
    ...{ customtimeouts: timeouts, deletebeforereplace: true, dependenciesList: ["urn:first"] },
    ...{ additionalsecretoutputsList: ["instanceId"], resourceHooks: hooks },
    providersMap: { erphost: "urn:provider::id" },
  });
  expect(named("shop").toObject()).toMatchObject(ofComponent);
  expect(named("shop").getHooks()?.getAfterCreateList()).toEqual(["hook"]);
  for (const each of registered) {
    const own = { customtimeouts: { create: "1h" }, deletebeforereplace: true };
    expect(each.toObject()).toMatchObject(own);
    expect(each.getDependenciesList()).toContain("urn:first");
  }
  for (const child of [named("shop-server"), named("shop-instance")]) {
    expect(child.toObject()).toMatchObject({ parent: "urn:shop", provider: "urn:provider::id" });
  }
});

test("each input of a component's resources depends on what it came from alone", async () => {
  const version = new ConstructRequest.PropertyDependencies();
  version.setUrnsList(["urn:other"]);
  const { named } = await constructed(encode({ version: "17.0", backupTriggers: { a: "1" } }), {
    ...{ inputdependenciesMap: { version }, dependenciesList: ["urn:first"] },
  });
  const by = (name: string) =>
    named(name)
      .toObject()
      .propertydependenciesMap.map(([input, { urnsList }]) => [input, ...urnsList]);
  expect(by("shop-server")).toEqual([["name"]]);
  const ofInstance = [["name"], ["serverId", "urn:shop-server"], ["version", "urn:other"]];
  expect(by("shop-instance")).toEqual(ofInstance);
  expect(by("shop-backup")).toEqual([["instanceId", "urn:shop-instance"], ["triggers"]]);
});

test("without a provider option, resources stay with the provider that answers", async () => {
  expect((await constructed(encode({}))).named("shop-server").getProvider()).toBe(OWN);
});

test("options that Pulumi's engine passes on itself are not set on the resources", async () => {
  await constructed(encode({}), { protect: true });
  for (const child of registered.slice(1)) {
    expect([child.hasProtect(), child.hasRetainondelete()]).toEqual([false, false]);
  }
  expect(registered).toHaveLength(3);
});

test("deletionProtection of a component reaches its server and its instance", async () => {
  const { given } = await constructed(encode({ deletionProtection: true }));
  for (const name of ["shop-server", "shop-instance"]) {
    expect(given(name).values).toMatchObject({ name: "shop", deletionProtection: true });
  }
});

test("inputs of a component that are not known yet stay unknown, as does what depends on them", async () => {
  preview = true;
  const output: Properties = { [SIGNATURE]: OUTPUT, dependencies: ["urn:other"] };
  const { given, response } = await constructed(
    Struct.fromJavaScript({ name: UNKNOWN, version: output as never, backupTriggers: UNKNOWN }),
  );
  expect(names()).toEqual(["shop", "shop-server", "shop-instance", "shop-backup"]);
  const unknown = { name: UNKNOWN, serverId: UNKNOWN, version: UNKNOWN };
  expect(given("shop-instance").values).toEqual(unknown);
  expect(given("shop-backup").values).toEqual({ instanceId: UNKNOWN, triggers: UNKNOWN });
  const ids = { serverId: UNKNOWN, instanceId: UNKNOWN, backupId: UNKNOWN };
  expect(response.getState()?.toJavaScript()).toMatchObject(ids);
});

test("a component given a server id that is not known yet creates no server", async () => {
  preview = true;
  await constructed(encode({ serverId: UNKNOWN }));
  expect(names()).toEqual(["shop", "shop-instance"]);
});

test("a component given a server refuses what it would pass on to one of its own", async () => {
  const inputs = encode({ serverId: "srv_1", serverProperties: { region: "eu" } });
  await expect(constructed(inputs)).rejects.toThrow(/^serverProperties .* Leave one of them out/);
});

test("secret inputs of a component stay secret in its resources and outputs", async () => {
  const values = { secretProperties: { password: "canary" }, serverId: "srv_1", version: "17.0" };
  const names = Object.keys(values);
  const places = names.map((name) => [name]);
  const { given, response } = await constructed(encode(values, places));
  expect(given("shop-instance").secrets.flat().sort()).toEqual(names);
  expect(decode(response.getState()).secrets).toEqual([["serverId"]]);
});
