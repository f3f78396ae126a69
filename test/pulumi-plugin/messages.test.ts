/** The message tables of the plugin, compared with the message classes of Pulumi's own SDK. */
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb";
import { LogSeverity } from "@pulumi/pulumi/proto/engine_pb";
import * as pb from "@pulumi/pulumi/proto/provider_pb";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb";
import { ResourceMonitorService } from "@pulumi/pulumi/proto/resource_grpc_pb";
import { RegisterResourceRequest } from "@pulumi/pulumi/proto/resource_pb";
import { Status } from "@pulumi/pulumi/proto/status_pb";
import { Empty } from "google-protobuf/google/protobuf/empty_pb";
import { afterAll, expect, test } from "@jest/globals";
import { registerOutputs, registerResource } from "../../provider/pulumi/plugin/component/monitor";
import { engineLog } from "../../provider/pulumi/plugin/host";
import * as m from "../../provider/pulumi/plugin/messages.gen";
import { methodsOf } from "../../provider/pulumi/plugin/methods/table";
import type { Message } from "../../provider/grpc";
import { expectSame, type OfficialClass } from "./official";
import { openPlugin } from "./support";

const plugin = openPlugin();
afterAll(() => plugin.close());

/** A method as Pulumi's SDK defines it; not part of its types. */
interface OfficialMethod {
  readonly path: string;
  readonly requestType: OfficialClass;
  readonly responseType: OfficialClass;
}
const official = new Map(
  [EngineService, ResourceProviderService, ResourceMonitorService]
    .flatMap((service) => Object.values<unknown>({ ...service }) as readonly OfficialMethod[])
    .map((method) => [method.path, method]),
);

/** Ours, by path. */
const methods = [
  ...Object.entries(methodsOf(plugin.session, { version: "", schema: () => "" })).map(
    ([name, method]) => ({ ...method, path: `/pulumirpc.ResourceProvider/${name}` }),
  ),
  registerResource,
  registerOutputs,
  engineLog,
];

const compared: readonly (readonly [name: string, Message<unknown>, OfficialClass])[] = [
  ["ErrorResourceInitFailed", m.resourceInitFailed, pb.ErrorResourceInitFailed],
  ["google.rpc.Status", m.statusDetails, Status],
  ...methods.flatMap(({ path, request, answer }) => {
    const { requestType = Empty, responseType = Empty } = official.get(path) ?? {};
    return [
      [`${path}, its request`, request, requestType],
      [`${path}, its answer`, answer, responseType],
    ] as const;
  }),
];

test.each(methods)("$path is a method of the official protocol", ({ path }) => {
  expect(official.has(path)).toBe(true);
});

test.each(compared)("%s: what one side writes, the other reads", (_, table, theirs) => {
  expectSame(table, theirs);
});

test("every message table is compared with an official class", () => {
  const tables = new Set<unknown>(compared.map(([, table]) => table));
  const missing = Object.entries({ ...m })
    .filter(([, value]) => "byNumber" in value && !tables.has(value))
    .map(([name]) => name);
  expect(missing).toEqual([]);
});

test("the component's hooks are the same message in both protocols", () => {
  const hooks = new pb.ConstructRequest.ResourceHooksBinding();
  hooks.setBeforeCreateList(["a"]);
  hooks.setAfterDeleteList(["b"]);
  const { ResourceHooksBinding } = RegisterResourceRequest;
  const read = ResourceHooksBinding.deserializeBinary(hooks.serializeBinary());
  expect(read.toObject()).toEqual(hooks.toObject());
});

test("constants have the official numbers", () => {
  const { Mode } = pb.CheckRequest.AutonamingOptions;
  const officials = [Mode, pb.DiffResponse.DiffChanges, pb.PropertyDiff.Kind, LogSeverity];
  const ours = [m.AutonamingMode, m.DiffChanges, m.DiffKind, m.LogSeverity];
  const lower = (of: object) =>
    Object.fromEntries(Object.entries(of).map(([name, number]) => [name.toLowerCase(), number]));
  expect(ours).toEqual(officials.map(lower));
});
